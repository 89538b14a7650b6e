/** Merge rules that fail, return nonsense or never return, and versions that a rule can't merge. */
import { FixpointError } from '@fixpoint/protocol';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { isMergeStamp } from '../src/clock/stamp.ts';
import type { Cid } from '../src/codec/cid.ts';
import type { Collections } from '../src/collections/collection-types.ts';
import type { DatabaseOptions } from '../src/database/database.ts';
import type { MergeRule } from '../src/database/database-results.ts';
import { mergeWith } from '../src/database/merger.ts';
import { type BridgePort, connectEngine } from '../src/entries/bridge.ts';
import { collection } from '../src/entries/collection.ts';
import { serveEngine } from '../src/entries/worker.ts';
import { converge, openPeer, type Peer, pause, send } from './merge-world.fixture.ts';

type Any = Peer<Collections>;
const opened: Any[] = [];
const ends: (() => void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) end();
  for (const { db } of opened.splice(0)) await db.close();
});

async function peer<C extends Collections>(
  collections: C,
  values?: Map<string, Uint8Array>,
  options: DatabaseOptions = {},
): Promise<Peer<C>> {
  const one = await openPeer(collections, { ...(values && { values }), options });
  opened.push(one as unknown as Any);
  return one;
}

/** Two peers without rules that wrote two versions of each document, and have both. */
async function conflicting(...ids: readonly string[]): Promise<readonly [Any, Any]> {
  const [a, b] = [await peer({}), await peer({})];
  await a.db.bulk(ids.map((_id) => ({ _id, from: 'both' })));
  await send(a, b);
  await a.db.bulk(ids.map((_id) => ({ _id, from: 'a', a: 1 })));
  await b.db.bulk(ids.map((_id) => ({ _id, from: 'b', b: 1 })));
  await Promise.all([send(a, b), send(b, a)]);
  return [a, b];
}

async function mergesOf({ core }: Pick<Any, 'core'>): Promise<Cid[]> {
  const seen = new Set(core.commits.snapshot().head);
  const merges: Cid[] = [];
  for (const cid of seen) {
    const event = await core.commits.readers.event(cid);
    if (isMergeStamp(event.by)) merges.push(cid);
    for (const parent of event.parents) seen.add(parent);
  }
  return merges;
}

const conflictsOf = async ({ db }: Any) => (await db.conflicts()).map(({ id }) => id);

describe('[P1] a rule', () => {
  test.each([null, 'text', 7, [], new Date(0), new Map(), { _deleted: true }])(
    'keeps both versions and reports a rule that returns %j',
    async (result) => {
      const [a] = await conflicting('x', 'y');
      const before = await a.db.get('x');
      await a.db.mergeWith('', (_, ours) => (ours._id === 'x' ? (result as never) : { merged: true }));
      await vi.waitUntil(async () => (await mergesOf(a)).length === 1);
      expect(await a.db.get('x')).toEqual(before);
      expect(await a.db.get('y')).toEqual({ _id: 'y', merged: true });
      expect(await conflictsOf(a)).toEqual(['x']);
      const versions = await a.db.conflicts('x');
      expect(
        [versions?.winner, ...(versions?.losers ?? [])].map((one) => one?.value?.['from']).sort(),
      ).toEqual(['a', 'b']);
      expect(a.reports).toMatchObject([{ code: 'DOC_INVALID' }]);
    },
  );

  test('keeps both versions if it never returns, and merges other documents', async () => {
    const [a] = await conflicting('x', 'y');
    let calls = 0;
    await a.db.mergeWith('', (_, ours) => {
      calls += 1;
      return ours._id === 'x' ? new Promise(() => undefined) : { merged: true };
    });
    await vi.waitUntil(() => calls === 1);
    await a.time.pass(10_000);
    await vi.waitUntil(async () => (await mergesOf(a)).length === 1);
    expect(await a.db.get('y')).toEqual({ _id: 'y', merged: true });
    expect(await conflictsOf(a)).toEqual(['x']);
    expect(a.reports).toMatchObject([{ code: 'TIMEOUT' }]);
    await a.db.put({ _id: 'z' });
    await a.db.close();
  });

  test('applies even if somebody writes other documents each time it runs', async () => {
    const [a] = await conflicting('x');
    let calls = 0;
    await a.db.mergeWith('', async () => {
      calls += 1;
      await a.db.put({ _id: 'other', calls });
      return { merged: true };
    });
    await vi.waitUntil(async () => (await conflictsOf(a)).length === 0);
    expect(await a.db.get('x')).toEqual({ _id: 'x', merged: true });
    expect(calls).toBe(3);
  });

  test('applies if it has the longest prefix', async () => {
    const [a] = await conflicting('set-1', 'set-of-2');
    await a.db.mergeWith('set-of-', () => ({ by: 'long' }));
    await a.db.mergeWith('set-', () => ({ by: 'short' }));
    await vi.waitUntil(async () => (await conflictsOf(a)).length === 0);
    expect(await a.db.get('set-1')).toMatchObject({ by: 'short' });
    expect(await a.db.get('set-of-2')).toMatchObject({ by: 'long' });
  });

  test('ends with the page that set it, and applies the rule of another page again', async () => {
    const [a, b] = await conflicting();
    const page = () => {
      const { port1, port2 } = new MessageChannel();
      serveEngine(port2 as unknown as BridgePort, () => a.db as never);
      ends.push(() => port1.close());
      return { db: connectEngine(port1 as unknown as BridgePort).open('page'), end: () => port1.close() };
    };
    const [first, second] = [page(), page()];
    await first.db.mergeWith('x', () => ({ by: 'first' }));
    await second.db.mergeWith('x', () => ({ by: 'second' }));
    await second.db.mergeWith('y', () => ({ by: 'second' }));
    second.end();
    // Waits until the worker knows that the page has ended.
    for (let turn = 0; turn < 20; turn++) await pause();
    await a.db.bulk([
      { _id: 'x', a: 1 },
      { _id: 'y', a: 1 },
    ]);
    await b.db.bulk([
      { _id: 'x', b: 1 },
      { _id: 'y', b: 1 },
    ]);
    await send(b, a);
    await vi.waitUntil(async () => (await mergesOf(a)).length === 1);
    expect(await a.db.get('x')).toEqual({ _id: 'x', by: 'first' });
    expect(await conflictsOf(a)).toEqual(['y']);
    expect(a.reports).toEqual([]);
  });

  test('applies if it is set at any moment while an earlier search ends', async () => {
    const ids = Array.from({ length: 150 }, (_, n) => `id-${String(n).padStart(3, '0')}`);
    const [a] = await conflicting(...ids);
    for (const [turns, id] of ids.entries()) {
      mergeWith(a.core, `none-${id}`, 'fields');
      for (let turn = 0; turn < turns; turn++) await undefined;
      mergeWith(a.core, id, 'fields');
      for (let turn = 0; turn < 30; turn++) await pause();
      expect((await conflictsOf(a)).includes(id), id).toBe(false);
    }
  });
});

describe('[P1] merging versions', () => {
  test('merges other documents if a version is damaged', async () => {
    const [a] = await conflicting('x', 'y');
    const { readers } = a.core.commits;
    const { event, block } = readers;
    const [write] = (await a.db.conflicts('x'))?.losers ?? [];
    const link = (await event(write?.event as Cid)).operations.find(({ key }) => key === 'x')?.value;
    vi.spyOn(readers, 'block').mockImplementation(async (cid) => {
      if (cid === link) throw new FixpointError('CORRUPT', 'of the test');
      return block(cid);
    });
    await a.db.mergeWith('', 'fields');
    await vi.waitUntil(async () => (await mergesOf(a)).length === 1);
    vi.restoreAllMocks();
    expect(await a.db.get('y')).toMatchObject({ a: 1, b: 1 });
    expect(await conflictsOf(a)).toEqual(['x']);
    expect(a.reports).toMatchObject([{ code: 'CORRUPT' }]);
  });

  test('keeps the conflict and all fields if the schema would drop some', async () => {
    const notes = collection('notes', { schema: z.object({ from: z.string() }), merge: 'fields' });
    const counts = collection('counts', {
      schema: z.object({ from: z.string() }),
      merge: (_, ours) => ours,
    });
    const variants = collection('variants', {
      schema: z.union([
        z.object({ type: z.literal('a'), a: z.number() }),
        z.object({ type: z.literal('b'), b: z.number() }),
      ]),
      merge: 'fields',
    });
    const [a, b] = await conflicting('notes/x', 'counts/x');
    await a.db.put({ _id: 'variants/x', type: 'a', a: 1 });
    await b.db.put({ _id: 'variants/x', type: 'b', b: 1 });
    const c = await peer({ notes, counts, variants });
    await converge([a, b, c]);
    expect(await conflictsOf(c as unknown as Any)).toEqual(['counts/x', 'notes/x', 'variants/x']);
    for (const id of ['notes/x', 'counts/x']) {
      const doc = await c.db.get(id);
      expect([{ a: 1 }, { b: 1 }]).toContainEqual({ ...(doc['a'] ? { a: 1 } : { b: doc['b'] }) });
    }
    expect(c.reports).toEqual([]);
  });

  test('keeps the conflict if the base breaks the schema', async () => {
    const counts = collection('counts', {
      schema: z.object({ n: z.number() }),
      merge: (base, ours, theirs) => ({ n: ours.n + theirs.n - (base?.n ?? 0) }),
    });
    const [a, b] = [await peer({ counts }), await peer({})];
    await b.db.put({ _id: 'counts/x', n: 'ten' });
    await send(b, a as never);
    await a.db.counts.put({ _id: 'x', n: 11 });
    await b.db.put({ _id: 'counts/x', n: 12 });
    await converge([a, b]);
    expect(await conflictsOf(a as unknown as Any)).toEqual(['counts/x']);
  });

  test('keeps files, merged by name, with fields and with a function', async () => {
    const schema = z.object({ n: z.number() });
    const rules = {
      notes: collection('notes', { schema, merge: 'fields' }),
      sums: collection('sums', { schema, merge: (_, ours, theirs) => ({ n: ours.n + theirs.n }) }),
    };
    const [a, b] = [await peer(rules), await peer(rules)];
    for (const [{ db }, name] of [
      [a, 'a'],
      [b, 'b'],
    ] as const)
      for (const one of [db.notes, db.sums])
        await one.put({ _id: 'x', n: 1, _files: { [name]: new File([name], name) } } as never);
    await converge([a, b]);
    for (const id of ['notes/x', 'sums/x']) {
      const { _files, n } = (await a.db.get(id)) as { _files?: object; n: number };
      expect(Object.keys(_files ?? {}).sort()).toEqual(['a', 'b']);
      expect(n).toBe(id === 'sums/x' ? 2 : 1);
    }
    expect(await conflictsOf(a as unknown as Any)).toEqual([]);
  });

  test('lists conflicts that no merge covers, even if all current writes are merges', async () => {
    const [a, b, c, none] = [await peer({}), await peer({}), await peer({}), await peer({})];
    await a.db.put({ _id: 'x', a: 1 });
    await b.db.put({ _id: 'x', b: 1 });
    await c.db.put({ _id: 'x', c: 1 });
    await send(b, a);
    await b.db.close();
    const later = await peer({});
    await send(c, later);
    await later.db.put({ _id: 'y' });
    const second = await peer({});
    await second.db.put({ _id: 'x', d: 1 });
    await send(second, later);
    await a.db.mergeWith('', 'fields');
    await later.db.mergeWith('', 'fields');
    for (const one of [a, later]) await vi.waitUntil(async () => (await mergesOf(one)).length === 1);
    await send(a, none);
    await send(later, none);
    expect(await conflictsOf(none)).toEqual(['x']);
    expect(await none.db.conflicts('x')).toBeDefined();
    await none.db.mergeWith('', 'fields');
    await vi.waitUntil(async () => (await conflictsOf(none)).length === 0);
    expect(await none.db.get('x')).toEqual({ _id: 'x', a: 1, b: 1, c: 1, d: 1 });
  });

  test('merges large documents in several events, which are equal on all devices', async () => {
    const peers = [await peer({}), await peer({})] as const;
    const large = (n: number) => 'x'.repeat(400_000 + n);
    for (const [at, { db }] of peers.entries())
      await db.bulk(['x', 'y', 'z'].map((_id) => ({ _id, [`of${at}`]: at, text: large(at) })));
    for (const { db } of peers) await db.mergeWith('', 'fields');
    await Promise.all([send(...peers), send(peers[1], peers[0])]);
    for (const one of peers) await vi.waitUntil(async () => (await conflictsOf(one)).length === 0);
    const [ofA, ofB] = [await mergesOf(peers[0]), await mergesOf(peers[1])];
    expect(ofA).toHaveLength(2);
    expect(ofB).toEqual(ofA);
  });
});

describe('[P1] merging with a copy of a database whose past was dropped', () => {
  const sum: MergeRule = (base, ours, theirs) => ({
    n: ((ours['n'] as number) ?? 0) + (theirs['n'] as number) - ((base?.['n'] as number) ?? 0),
  });

  /** A database and its copy. The database dropped its past before the first sync. */
  async function copies() {
    const [a, b] = [await peer({}), await peer({})];
    await a.db.bulk([
      { _id: 'x', n: 100 },
      { _id: 'gone', n: 7 },
      { _id: 'same', n: 5 },
    ]);
    await send(a, b);
    await a.db.put({ _id: 'x', n: 130 });
    await a.db.del('gone');
    for (let n = 0; n < 1100; n++) await a.db.put({ _id: 'other', n });
    await a.db.compact();
    expect(a.core.commits.horizon()).toBeDefined();
    await a.core.commits.prepareForSync();
    await b.core.commits.prepareForSync();
    return [a, b] as const;
  }

  test.each([
    ['fields', 'fields'],
    ['a function', sum],
  ] as const)('keeps the current documents and lists the conflicts with %s', async (_, rule) => {
    const [a, b] = await copies();
    // A write after the joined event has no base either.
    await a.db.put({ _id: 'same', n: 6 });
    for (const { db } of [a, b]) await db.mergeWith('', rule);
    await converge([a, b]);
    for (const one of [a, b]) {
      expect(await mergesOf(one)).toEqual([]);
      expect(await conflictsOf(one)).toEqual(['gone', 'same', 'x']);
    }
    // A version on top of both is a base.
    await a.db.put({ _id: 'x', n: 130 });
    await send(a, b);
    await a.db.put({ _id: 'x', n: 131 });
    await b.db.put({ _id: 'x', n: 140 });
    await converge([a, b]);
    expect(await a.db.get('x')).toEqual({ _id: 'x', n: rule === sum ? 141 : 140 });
  });

  test('recognizes a joined history of an earlier release next to stamped events', async () => {
    const [a, b] = [await peer({}), await peer({}, undefined, { stamps: true })];
    await a.db.bulk([
      { _id: 'x', n: 1 },
      { _id: 'y', n: 1 },
    ]);
    await b.db.put({ _id: 'x', n: 2 });
    await send(b, a);
    await a.db.mergeWith('', sum);
    await pause(20);
    expect(await mergesOf(a)).toEqual([]);
    expect(await conflictsOf(a)).toEqual(['x']);
  });
});

describe('opening a database with a rule', () => {
  test('reads no history if nothing has begun a conflict since the last search', async () => {
    const values = new Map<string, Uint8Array>();
    const [a, b] = [await peer({}, values), await peer({})];
    for (let n = 0; n < 100; n++) await a.db.put({ _id: 'n', n });
    await send(a, b);
    await a.db.put({ _id: 'x', a: 1 });
    await b.db.put({ _id: 'x', b: 1 });
    await send(b, a);
    await a.db.mergeWith('', 'fields');
    await vi.waitUntil(async () => (await conflictsOf(a)).length === 0);
    for (let turn = 0; turn < 20; turn++) await pause();
    await a.time.pass(1000);
    await vi.waitUntil(() => [...values.keys()].includes('local/merged'));
    await a.db.put({ _id: 'last' });
    await a.db.close();

    const again = await peer({}, values);
    const read = vi.spyOn(again.core.commits.readers, 'event');
    await again.db.mergeWith('', 'fields');
    for (let turn = 0; turn < 50; turn++) await pause();
    expect(read.mock.calls.length).toBeLessThan(5);
    // A rule of another prefix searches, and a conflict is still found.
    await b.db.put({ _id: 'x', b: 2 });
    await again.db.put({ _id: 'x', a: 2, b: 1 });
    await send(b, again);
    await vi.waitUntil(async () => (await mergesOf(again)).length === 2);
    vi.restoreAllMocks();
    expect(await again.db.get('x')).toMatchObject({ a: 2, b: 2 });
  });
});
