import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { long } from '../../tests/budget.fixture.ts';
import type { Cid } from '../codec/cid.ts';
import { encode, link } from '../codec/dag-cbor.ts';
import { entries } from './entries.ts';
import { getLink } from './get.ts';
import { putMany } from './put-many.ts';
import { decodeShard, encodeShard } from './shard.ts';
import { linkTo, someKey, somePuts, trieStore } from './trie.fixture.ts';

const sorted = (map: ReadonlyMap<string, Cid>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

async function put(
  store: ReturnType<typeof trieStore>,
  root: Cid | undefined,
  puts: readonly (readonly [string, Cid])[],
) {
  const update = await putMany(store.read, root, puts);
  store.add(update.added);
  return update.root;
}

describe('trie', () => {
  test('[R6] contains the same keys and links as a map, after puts in any number of steps', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(somePuts, { minLength: 1, maxLength: 5 }), someKey, async (steps, other) => {
        const store = trieStore();
        const model = new Map<string, Cid>();
        let root: Cid | undefined;
        for (const puts of steps) {
          root = await put(store, root, puts);
          for (const [key, value] of puts) model.set(key, value);
        }
        if (root === undefined) throw new Error('no root');
        const again = store.fresh();
        expect(await again.list(root)).toEqual(sorted(model));
        for (const key of [...model.keys(), other])
          expect(await getLink(again.read, root, key)).toBe(model.get(key));
      }),
    );
  });

  test('[R7] has the same root for the same keys and links, whatever the order and number of puts', async () => {
    await fc.assert(
      fc.asyncProperty(somePuts, fc.nat(60), fc.nat(), async (puts, cut, seed) => {
        const model = sorted(new Map(puts));
        const shuffled = model.map((entry, at) => ({ entry, rank: ((at + 1) * (seed + 7919)) % 104_729 }));
        const order = shuffled.sort((a, b) => a.rank - b.rank).map(({ entry }) => entry);
        const [one, two, three] = [trieStore(), trieStore(), trieStore()];
        const atOnce = await put(one, undefined, puts);
        const inTwo = await put(two, await put(two, undefined, order.slice(0, cut)), order.slice(cut));
        let single = await put(three, undefined, []);
        for (const entry of order) single = await put(three, single, [entry]);
        expect([inTwo, single]).toEqual([atOnce, atOnce]);
      }),
    );
  });

  test('encodes a shard to the same bytes as the general dag-cbor encoder', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab~ 0'), maxLength: 60 });
    const some = fc.option(
      fc.nat(9).map((n) => linkTo(n)),
      { nil: undefined },
    );
    const entry = fc.record({ key: text, value: some, child: some });
    fc.assert(
      fc.property(text, fc.array(entry, { maxLength: 40 }), (prefix, given) => {
        const kept = given.filter(({ value, child }) => value !== undefined || child !== undefined);
        const { bytes } = encodeShard({ prefix, entries: kept });
        const targetOf = ({ value, child }: (typeof kept)[number]) => {
          if (child === undefined) return value && link(value);
          return value === undefined ? [link(child)] : [link(child), link(value)];
        };
        const map = {
          entries: kept.map((one) => [one.key, targetOf(one)]),
          version: 1,
          keyChars: 'ascii',
          maxKeySize: 4096,
          prefix,
        };
        expect(bytes).toEqual(encode(map));
      }),
    );
  });

  test('encodes a shard to the same bytes, whether or not earlier bytes are reused', () => {
    const key = fc.string({ unit: fc.constantFrom(...'abcdefg é'), maxLength: 30 });
    const some = fc.option(
      fc.nat(9).map((n) => linkTo(n)),
      { nil: undefined },
    );
    const shard = fc.record({
      prefix: fc.oneof(key, fc.constant('x'.repeat(300))),
      entries: fc.array(fc.record({ key, value: some, child: some }), { minLength: 1, maxLength: 30 }),
    });
    const change = fc.record({ at: fc.nat(29), value: some, child: some });
    fc.assert(
      fc.property(
        shard,
        fc.array(change, { minLength: 1, maxLength: 2 }),
        ({ prefix, entries: before }, changes) => {
          const entries = [...before];
          for (const { at, ...links } of changes) {
            const index = at % entries.length;
            entries[index] = { key: '', ...entries[index], ...links };
          }
          const { bytes } = encodeShard({ prefix, entries: before });
          expect(encodeShard({ prefix, entries }, { prefix, entries: before, bytes })).toEqual(
            encodeShard({ prefix, entries }),
          );
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('adds nothing and keeps the root when puts change nothing', async () => {
    await fc.assert(
      fc.asyncProperty(somePuts, async (puts) => {
        const store = trieStore();
        const root = await put(store, undefined, puts);
        expect(await putMany(store.read, root, sorted(new Map(puts)))).toEqual({ root, added: [] });
      }),
    );
  });

  test('encodes each changed shard once, and no unchanged shard', async () => {
    const store = trieStore();
    const keys = Array.from({ length: 1000 }, (_, n) => `doc-${String(n).padStart(7, '0')}`);
    const root = await put(
      store,
      undefined,
      keys.map((key) => [key, linkTo(1)]),
    );
    const { added } = await putMany(
      store.read,
      root,
      keys.slice(100, 110).map((key) => [key, linkTo(2)]),
    );
    const prefixes = added.map(({ bytes }) => decodeShard(bytes).prefix);
    expect(prefixes.sort()).toEqual(Array.from({ length: 11 }, (_, n) => 'doc-000010'.slice(0, n)));
  });

  test('[R6] lists the same range as a map, in either direction', async () => {
    const bound = fc.option(someKey, { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        somePuts,
        bound,
        bound,
        bound,
        fc.boolean(),
        async (puts, prefix, from, to, descending) => {
          const store = trieStore();
          const root = await put(store, undefined, puts);
          const model = sorted(new Map(puts)).filter(
            ([key]) => key.startsWith(prefix ?? '') && key >= (from ?? '') && (to === undefined || key <= to),
          );
          const listed = await store.list(root, { prefix, from, to, descending });
          expect(listed).toEqual(descending ? model.reverse() : model);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('reads no shard outside of a range', async () => {
    const store = trieStore();
    const keys = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'));
    const root = await put(
      store,
      undefined,
      keys.map((key) => [key, linkTo(1)]),
    );
    const reader = store.fresh();
    expect(await reader.list(root, { prefix: '123' })).toEqual([['123', linkTo(1)]]);
    expect(reader.readCount()).toBe(3);
  });

  test('reads no more shards when a listing stops early', async () => {
    const store = trieStore();
    const keys = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'));
    const root = await put(
      store,
      undefined,
      keys.map((key) => [key, linkTo(1)]),
    );
    const reader = store.fresh();
    for await (const [key] of entries(reader.read, root)) {
      expect(key).toBe('000');
      break;
    }
    expect(reader.readCount()).toBe(3);
  });

  test('reads new shards without decoding them', async () => {
    const store = trieStore();
    const root = await put(store, undefined, [
      ['a', linkTo(1)],
      ['ab', linkTo(2)],
    ]);
    expect(await getLink(store.read, root, 'ab')).toBe(linkTo(2));
    expect(store.readCount()).toBe(0);
  });

  test('[S7] rejects a small trie with an enormous number of paths as corrupt', async () => {
    const store = trieStore();
    let child = encodeShard({ prefix: '', entries: [{ key: 'x', value: linkTo(1), child: undefined }] });
    store.add([child]);
    for (let depth = 0; depth < 40; depth++) {
      const below = child.cid;
      const entries = ['a', 'b', 'c'].map((key) => ({ key, value: undefined, child: below }));
      child = encodeShard({ prefix: '', entries });
      store.add([child]);
    }
    const corrupt = expect.objectContaining({ code: 'CORRUPT' });
    await expect(store.list(child.cid)).rejects.toThrow(corrupt);
    await expect(getLink(store.read, child.cid, 'aaaa')).rejects.toThrow(corrupt);
    await expect(putMany(store.read, child.cid, [['aaaa', linkTo(2)]])).rejects.toThrow(corrupt);
  });

  test.each([
    ['two entries with the same first character', ['ab', 'ac']],
    ['entries out of order', ['b', 'a']],
    ['an entry without a key', ['', 'a']],
  ])('[R4] rejects a shard with %s as corrupt', (_, keys) => {
    const entries = keys.map((key) => ({ key, value: linkTo(1), child: undefined }));
    expect(() => decodeShard(encodeShard({ prefix: 'p', entries }).bytes)).toThrow(
      expect.objectContaining({ code: 'CORRUPT' }),
    );
  });

  test('reports a missing shard as a missing block, not a missing key', async () => {
    const store = trieStore();
    const { root } = await putMany((cid) => store.read(cid), undefined, [['a', linkTo(1)]]);
    await expect(getLink(store.read, root, 'a')).rejects.toThrow(
      expect.objectContaining({ code: 'MISSING_BLOCK' }),
    );
  });

  test('accepts a key of the maximum length', long, async () => {
    const store = trieStore();
    const [a, b] = ['k'.repeat(4096), `${'k'.repeat(4095)}l`];
    const root = await put(store, await put(store, undefined, [[a, linkTo(1)]]), [[b, linkTo(2)]]);
    expect(await store.list(root)).toEqual([
      [a, linkTo(1)],
      [b, linkTo(2)],
    ]);
    const again = await put(store, root, [[a, linkTo(3)]]);
    expect(
      await put(store, root, [
        [b, linkTo(2)],
        [a, linkTo(3)],
      ]),
    ).toBe(again);
  });
});
