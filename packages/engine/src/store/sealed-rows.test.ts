import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { equalBytes, utf8 } from '../base/bytes.ts';
import { openDatabaseKeys } from '../crypto/database-keys.ts';
import { seal } from '../crypto/seal.ts';
import { memoryKeyBag } from '../platform/memory-platform.ts';
import { memoryStore } from '../platform/memory-store.ts';
import type { Guard } from '../ports/byte-store.ts';
import type { KeyMaterials } from '../ports/key-bag.ts';
import { byteStoreSuite } from '../testing/adapter-suites.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import { sealRows } from './sealed-rows.ts';

const random = seededRandom(3);

async function place() {
  const [values, bag] = [new Map<string, Uint8Array>(), new Map<string, KeyMaterials>()];
  const writer = async () => {
    const keys = await openDatabaseKeys('db', {
      bag: memoryKeyBag(bag),
      random,
      hasContent: async () => false,
    });
    return { keys, store: sealRows(memoryStore(values), keys, random) };
  };
  return { values, writer };
}
const plain = utf8('{"v":1,"head":["a plain text of some length"]}');

byteStoreSuite('sealed rows over memory', async () => {
  const { writer } = await place();
  return { open: async () => (await writer()).store };
});

describe('sealed rows', () => {
  test('stores no plaintext of a row, and stores equal rows as different bytes', async () => {
    const { values, writer } = await place();
    const { store } = await writer();
    await store.write([
      { key: 'head', bytes: plain },
      { key: 'idx/1', bytes: plain },
    ]);
    const [a = plain, b = plain] = [values.get('head'), values.get('idx/1')];
    expect(equalBytes(a, b)).toBe(false);
    for (const stored of [a, b])
      expect(Buffer.from(stored).includes(Buffer.from(plain).subarray(0, 6))).toBe(false);
    expect(await store.read('idx/1')).toEqual(plain);
  });

  test('[R10] passes on which rows a later write commits, so that the store reserves space', async () => {
    const { writer } = await place();
    const { keys } = await writer();
    const pending: unknown[] = [];
    const below = memoryStore(new Map());
    const store = sealRows(
      {
        ...below,
        write: (changes, guard) => {
          pending.push(...changes.map(({ isPending }) => isPending));
          return below.write(changes, guard);
        },
      },
      keys,
      random,
    );
    await store.write([
      { key: 'pending/a/1', bytes: plain, isPending: true },
      { key: 'idx/1', bytes: plain },
    ]);
    expect(pending).toEqual([true, undefined]);
  });

  test('[R17] reads plaintext rows of an earlier version, and applies guards to these rows', async () => {
    const { values, writer } = await place();
    const { store } = await writer();
    values.set('head', plain);
    expect(await store.read('head')).toEqual(plain);
    expect(await store.write([{ key: 'head', bytes: utf8('2') }], { key: 'head', bytes: utf8('x') })).toBe(
      false,
    );
    expect(await store.write([{ key: 'head', bytes: utf8('2') }], { key: 'head', bytes: plain })).toBe(true);
    expect(await store.read('head')).toEqual(utf8('2'));
    expect(values.get('head')?.[0]).toBe(0xf5);
  });

  test('[R4] rejects a changed byte, a shortened row, and a row copied from another key of the store', async () => {
    const { values, writer } = await place();
    const { store } = await writer();
    await store.write([
      { key: 'a', bytes: plain },
      { key: 'b', bytes: plain },
    ]);
    const stored = values.get('a') ?? plain;
    const refused = expect.objectContaining({
      code: expect.stringMatching(/^(CORRUPT|KEY_UNKNOWN|FORMAT_NEWER)$/) as string,
    }) as Error;
    values.set('b', stored);
    await expect(store.read('b')).rejects.toThrow(expect.objectContaining({ code: 'CORRUPT' }) as Error);
    for (let at = 1; at < stored.length; at++) {
      const changed = stored.slice();
      changed[at] = (changed[at] ?? 0) ^ 4;
      values.set('a', changed);
      await expect(store.read('a')).rejects.toThrow(refused);
      values.set('a', stored.subarray(0, at));
      await expect(store.read('a')).rejects.toThrow(refused);
    }
  });

  test('reads rows that another writer sealed with a new key; only one of two concurrent writes wins', async () => {
    const { writer } = await place();
    const [one, two] = [await writer(), await writer()];
    await two.keys.rotate();
    await two.store.write([{ key: 'head', bytes: utf8('0') }]);
    expect(await one.store.read('head')).toEqual(utf8('0'));
    expect([...(await one.store.readPrefix('')).values()]).toEqual([utf8('0')]);
    const step = (writerOf: typeof one, from: string, to: string) =>
      writerOf.store.write([{ key: 'head', bytes: utf8(to) }], { key: 'head', bytes: utf8(from) });
    expect(await step(one, '0', '1')).toBe(true);
    expect(await step(one, '1', '2')).toBe(true);
    expect(await step(two, '0', '9')).toBe(false);
    expect(await step(two, '2', '3')).toBe(true);
    expect(await step(one, '2', '4')).toBe(false);
    // Guards compare the content, so they still match a row that was sealed again.
    await two.store.write([{ key: 'head', bytes: utf8('3') }]);
    expect(await step(two, '3', '5')).toBe(true);
  });

  test('[B4] reads a part of a row from its plain bytes, and a part of an archive from the stored bytes', async () => {
    const { values, writer } = await place();
    const { keys } = await writer();
    const readPart = async (key: string, offset: number, length: number) =>
      values.get(key)?.subarray(offset, offset + length);
    const store = sealRows({ ...memoryStore(values), readPart }, keys, random);
    await store.write([
      { key: 'idx/a', bytes: plain },
      { key: 'car/a', bytes: utf8('sealed already') },
    ]);
    expect(await store.readPart?.('idx/a', 2, 5)).toEqual(plain.subarray(2, 7));
    expect(await store.readPart?.('idx/none', 2, 5)).toBeUndefined();
    expect(await store.readPart?.('car/a', 7, 7)).toEqual(utf8('already'));
  });

  test('checks a guard without reading the store if this writer wrote the row last; reads the store for other guards', async () => {
    const { values, writer } = await place();
    const { keys } = await writer();
    const inner = memoryStore(values);
    const looked: string[] = [];
    const read = (key: string) => {
      looked.push(key);
      return inner.read(key);
    };
    const store = sealRows({ ...inner, read }, keys, random);
    const step = (from: string | undefined, to: string) =>
      store.write([{ key: 'head', bytes: utf8(to) }], { key: 'head', bytes: from && utf8(from) } as Guard);
    expect([await step(undefined, '1'), await step('1', '2'), await step('2', '3')]).toEqual([
      true,
      true,
      true,
    ]);
    expect(looked).toEqual([]);
    expect(await step('1', '4')).toBe(false);
    expect(looked).toEqual(['head']);
    expect(await step('3', '5')).toBe(true);
  });

  test('[R9] supports turns of writers if the store does', async () => {
    const { values, writer } = await place();
    const { keys, store } = await writer();
    expect(store.inTurn).toBeUndefined();
    let turns = 0;
    const inTurn = async <T>(work: () => Promise<T>) => {
      turns++;
      return work();
    };
    const withTurns = sealRows({ ...memoryStore(values), inTurn }, keys, random);
    expect([await withTurns.inTurn?.(async () => 'done'), turns]).toEqual(['done', 1]);
  });

  test('[R9] rejects a write sealed with a key that another tab replaced, so that the caller seals the write again', async () => {
    const { values, writer } = await place();
    const [one, two] = [await writer(), await writer()];
    await one.store.write([{ key: 'head', bytes: utf8('0') }]);
    const archiveOf = async () => seal(plain, one.keys.keys().current);
    const step = (archive: Uint8Array) => {
      const changes = [
        { key: 'car/a', bytes: archive },
        { key: 'upload/a', bytes: new Uint8Array() },
        { key: 'idx/b', bytes: undefined },
        { key: 'head', bytes: utf8('1') },
      ];
      return one.store.write(changes, { key: 'head', bytes: utf8('0') });
    };
    const before = await archiveOf();
    await two.keys.rotate();
    await two.store.write([{ key: 'head', bytes: utf8('0') }]);
    expect(await step(before)).toBe(false);
    expect([...values.keys()]).toEqual(['head']);
    expect(await step(await archiveOf())).toBe(true);
    expect([...values.keys()].sort()).toEqual(['car/a', 'head', 'upload/a']);
  });

  test('[R9] seals a new row with the newest key, even if this tab has not heard of it', async () => {
    const { values, writer } = await place();
    const [a, b] = [await writer(), await writer()];
    await a.store.write([{ key: 'head', bytes: plain }]);
    await b.keys.rotate();
    const write = () => a.store.write([{ key: 'new', bytes: plain }], { key: 'new', bytes: undefined });
    expect(await write()).toBe(false);
    expect(await write()).toBe(true);
    expect(a.keys.keys().current).toEqual(b.keys.keys().current);
    expect(await b.store.read('new')).toEqual(plain);
    expect(values.has('new')).toBe(true);
  });

  test('[R20] reads any stored bytes or rejects them with a typed error', async () => {
    const { values, writer } = await place();
    const { store } = await writer();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 80 }), fc.boolean(), async (bytes, isMarked) => {
        values.set('k', isMarked ? Uint8Array.of(0xf5, 1, ...bytes) : bytes);
        await store.read('k').catch((error: { code?: string }) => {
          expect(error.code).toMatch(/^(CORRUPT|KEY_UNKNOWN|FORMAT_NEWER)$/);
        });
      }),
    );
  });
});
