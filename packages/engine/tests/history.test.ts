import { describe, expect, test, vi } from 'vitest';
import type { Core } from '../src/database/core.ts';
import type { Database } from '../src/database/database.ts';
import { insideOf } from '../src/database/inside.ts';
import { openDatabase } from '../src/database/open.ts';
import type { ConflictingDocument } from '../src/database/past/conflicts-interface.ts';
import type { CommitEvent } from '../src/database/past/history.ts';
import { seededRandom } from '../src/testing/seeded-random.ts';
import { inPage } from './in-page.fixture.ts';
import { causalityOf } from './maximal-writes.fixture.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';
import { haveSameHead, type Replica, world } from './sync-world.fixture.ts';

async function inSync(
  { time }: ReturnType<typeof world>,
  replicas: readonly Replica[],
  line: 'up' | 'cut' = 'up',
) {
  for (const replica of replicas) replica.line.set(line);
  if (line === 'cut') return;
  await time.until(() => haveSameHead(replicas));
}

/** Returns two synced replicas that wrote a document apart. */
async function conflictOf(id: string) {
  const here = world({ commitEachWrite: true });
  const [a, b] = [here.replica(), here.replica()];
  await Promise.all([a.attach(), b.attach()]);
  await a.db.put({ _id: id, text: 'first' });
  await inSync(here, [a, b]);
  await inSync(here, [a, b], 'cut');
  await a.db.put({ _id: id, text: 'of a' });
  await b.db.put({ _id: id, text: 'of b' });
  await inSync(here, [a, b]);
  return { here, a, b };
}

async function inPages(db: Database, limit: number): Promise<readonly CommitEvent[]> {
  const found: CommitEvent[] = [];
  for (;;) {
    const page = await db.events({ limit, after: found.at(-1)?.event });
    found.push(...page);
    if (page.length < limit) return found;
  }
}

describe('history', () => {
  test('lists versions of a document newest first, page by page', async () => {
    const { db } = world({ commitEachWrite: true }).replica();
    for (let n = 0; n < 12; n++) {
      if (n === 6) await db.del('a');
      else await db.put({ _id: 'a', n });
      await db.put({ _id: 'other', n });
    }
    const values = async (after?: string) => db.history<{ n: number }>('a', { limit: 5, after });
    const first = await values();
    expect(first.map(({ value }) => value?.n)).toEqual([11, 10, 9, 8, 7]);
    const second = await values(first.at(-1)?.event);
    expect(second.map(({ value }) => value?.n)).toEqual([undefined, 5, 4, 3, 2]);
    expect(second.some(({ concurrent }) => concurrent)).toBe(false);
    expect((await values(second.at(-1)?.event)).map(({ value }) => value?.n)).toEqual([1, 0]);
    // As with `events`, the result is empty after an event that isn't in the list. Otherwise, a
    // caller that reads page by page would start again.
    expect(await values((await db.history('other'))[0]?.event)).toEqual([]);
    expect(await db.history('never')).toEqual([]);
    const [newest] = first;
    expect(await db.at([newest?.event ?? '']).get('a')).toEqual({ _id: 'a', n: 11 });
  });

  test('says when and on which device each version and event was written', async () => {
    const here = world({ commitEachWrite: true });
    const [a, b] = [here.replica(), here.replica()];
    await a.db.put({ _id: 'a', n: 1 });
    await here.time.pass(5000);
    const [syncA, syncB] = [await a.attach(), await b.attach()];
    await here.time.run(syncA.synced());
    await here.time.run(syncB.synced());
    await b.db.put({ _id: 'a', n: 2 });
    const [second, first] = await b.db.history('a');
    const ids = [await a.db.device(), await b.db.device()];
    expect([first?.device, second?.device]).toEqual(ids);
    expect(new Set(ids).size).toBe(2);
    expect((second?.time ?? 0) - (first?.time ?? 0)).toBeGreaterThanOrEqual(5000);
    const events = await b.db.events();
    expect(events.map(({ device }) => device)).toEqual([ids[1], ids[0], undefined]);
    expect(events.map(({ time }) => time)).toEqual([second?.time, first?.time, undefined]);
    const { db } = await (await b.reopen()).tab();
    expect(await db.device()).toBe(ids[1]);
  });

  test('writes no time and no device with stamps: false', async () => {
    const { platform } = memoryPlatform();
    const db = openDatabase('plain', platform, { stamps: false });
    await db.put({ _id: 'a' });
    const [version] = await db.history('a');
    expect([version?.time, version?.device, await db.device()]).toEqual([undefined, undefined, undefined]);
  });

  test('returns pages of 50 versions or events by default', async () => {
    const { db } = world({ commitEachWrite: true }).replica();
    for (let n = 0; n < 52; n++) await db.put({ _id: 'a', n });
    expect(await db.history('a')).toHaveLength(50);
    expect(await db.events()).toHaveLength(50);
    expect(await db.history('a', { limit: 51 })).toHaveLength(51);
    const all = await db.events({ limit: Number.POSITIVE_INFINITY });
    expect(all).toHaveLength(53);
    for (const limit of [0, 1, 52, 53, 54, 2000])
      expect(await db.events({ limit })).toEqual(all.slice(0, limit));
  });

  test('reports concurrent writes as a conflict until the document is written again', async () => {
    const here = world({ commitEachWrite: true });
    const [a, b] = [here.replica(), here.replica()];
    await Promise.all([a.attach(), b.attach()]);
    await a.db.put({ _id: 'note', text: 'first' });
    await inSync(here, [a, b]);
    expect(await b.db.conflicts('note')).toBeUndefined();
    const seen: (readonly ConflictingDocument[])[] = [];
    const stop = b.db.onConflicts((conflicts) => seen.push(conflicts));
    await vi.waitUntil(() => seen.length > 0);
    await inSync(here, [a, b], 'cut');
    await a.db.put({ _id: 'note', text: 'of a' });
    await b.db.put({ _id: 'note', text: 'of b' });
    await inSync(here, [a, b]);
    const found = await a.db.conflicts<{ text: string }>('note');
    expect(found).toEqual(await b.db.conflicts('note'));
    expect(found?.winner.value).toEqual(await a.db.get('note'));
    const texts = [found?.winner, ...(found?.losers ?? [])].map((version) => version?.value?.text);
    expect(texts.sort()).toEqual(['of a', 'of b']);
    const versions = await a.db.history<{ text: string }>('note');
    expect(versions.map(({ concurrent }) => concurrent)).toEqual([true, true, false]);
    await a.db.put({ _id: 'another' });
    await inSync(here, [a, b]);
    expect(await a.db.conflicts()).toEqual([{ id: 'note', ...found }]);
    await b.db.put({ _id: 'note', text: 'settled' });
    await inSync(here, [a, b]);
    expect(await a.db.conflicts('note')).toBeUndefined();
    expect(await a.db.conflicts()).toEqual([]);
    await vi.waitUntil(() => seen.length > 2);
    expect(seen).toEqual([[], [{ id: 'note', ...found }], []]);
    stop();
    await b.db.put({ _id: 'note', text: 'later' });
    expect(seen).toHaveLength(3);
  });

  test('marks each version that was written apart from any other one, also on another page', async () => {
    const here = world({ commitEachWrite: true });
    const [a, b] = [here.replica(), here.replica()];
    await Promise.all([a.attach(), b.attach()]);
    await a.db.put({ _id: 'note', text: 'first' });
    await inSync(here, [a, b]);
    await inSync(here, [a, b], 'cut');
    for (const text of ['a1', 'a2', 'a3']) await a.db.put({ _id: 'note', text });
    // The list sorts by the length of the history, so no version of `b` is listed beside `a1`.
    for (const _id of ['x', 'y', 'z']) await b.db.put({ _id });
    await b.db.put({ _id: 'note', text: 'b1' });
    await inSync(here, [a, b]);
    await a.db.put({ _id: 'note', text: 'merged' });
    const marks = async (limit: number, after?: string) =>
      (await a.db.history<{ text: string }>('note', { limit, after })).map(
        ({ value, concurrent }) => `${value?.text} ${concurrent}`,
      );
    const all = ['merged false', 'b1 true', 'a3 true', 'a2 true', 'a1 true', 'first false'];
    expect(await marks(9)).toEqual(all);
    const third = (await a.db.history('note', { limit: 3 })).at(-1)?.event;
    expect(await marks(9, third)).toEqual(all.slice(3));
  });

  test('ends a conflict when two devices keep the current version at the same time', async () => {
    const { here, a, b } = await conflictOf('note');
    const kept = await a.db.get('note');
    await inSync(here, [a, b], 'cut');
    for (const { db } of [a, b])
      await db.transact(async (transaction) => void transaction.put(await transaction.get('note')));
    await inSync(here, [a, b]);
    expect([await a.db.conflicts(), await b.db.conflicts('note')]).toEqual([[], undefined]);
    expect(await b.db.get('note')).toEqual(kept);
    const { length } = await a.db.history('note');
    await a.db.transact(async (transaction) => void transaction.put(await transaction.get('note')));
    expect(await a.db.history('note')).toHaveLength(length);
  });

  test('keeps a conflict when an update changes nothing, also in the page of a worker', async () => {
    const { a } = await conflictOf('note');
    await a.db.update('note', (doc) => ({ ...doc }));
    await inPage(a.db).update('note', (doc) => ({ ...doc }));
    expect(await a.db.conflicts('note')).toBeDefined();
  });

  test('[R9] runs a transaction again if a version arrives that nobody saw, even one that loses', async () => {
    const here = world({ commitEachWrite: true });
    const [a, b] = [here.replica(), here.replica()];
    await Promise.all([a.attach(), b.attach()]);
    await a.db.put({ _id: 'note', text: 'first' });
    await inSync(here, [a, b]);
    await inSync(here, [a, b], 'cut');
    await b.db.put({ _id: 'note', text: 'of b' });
    // Later writes win.
    await here.time.pass(1000);
    await a.db.put({ _id: 'note', text: 'of a' });
    const seen: (number | undefined)[] = [];
    await a.db.transact(async (transaction) => {
      const doc = await transaction.get('note');
      seen.push((await a.db.conflicts('note'))?.losers.length);
      if (seen.length === 1) await inSync(here, [a, b]);
      transaction.put({ ...doc, text: 'decided' });
    });
    expect(seen).toEqual([undefined, 1]);
  });

  test('[P2] reports exactly the causally maximal writes as conflicts, whatever replicas did', async () => {
    for (let seed = 1; seed <= 15; seed++) {
      const here = world({ seed, commitEachWrite: true });
      const chance = seededRandom(seed);
      const replicas = [here.replica(), here.replica(), here.replica()];
      await Promise.all(replicas.map((replica) => replica.attach()));
      for (let step = 0; step < 40; step++) {
        const replica = replicas[chance.below(3)] as Replica;
        const action = chance.below(6);
        if (action === 0) replica.line.set(chance.below(2) === 0 ? 'up' : 'cut');
        else if (action === 1) await here.time.pass(chance.below(2000));
        else await replica.db.put({ _id: `doc-${chance.below(3)}`, step });
        if (chance.below(4) === 0) await (replicas[0] as Replica).db.conflicts();
      }
      await inSync(here, replicas);
      const [{ db, events }] = replicas as [Replica];
      const ids = ['doc-0', 'doc-1', 'doc-2'];
      const apart = await Promise.all(ids.map(async (id) => ({ id, ...(await db.conflicts(id)) })));
      const wanted = apart.filter((one) => 'winner' in one);
      expect(await db.conflicts()).toEqual(wanted);
      expect(await (replicas[1] as Replica).db.conflicts()).toEqual(
        wanted.map((one) => expect.objectContaining({ id: one.id })),
      );
      const newestFirst = await db.events({ limit: Number.POSITIVE_INFINITY });
      for (const limit of [1, 2, 5, 20])
        expect(await db.events({ limit })).toEqual(newestFirst.slice(0, limit));
      expect(await inPages(db, 3)).toEqual(newestFirst);
      const { maximal } = causalityOf(await events());
      for (const [id, values] of maximal) {
        if (!id.startsWith('doc-')) continue;
        const found = await db.conflicts(id);
        expect(1 + (found?.losers.length ?? 0)).toBe(values.size);
        if (found !== undefined) expect(found.winner.value).toEqual(await db.get(id));
      }
    }
  });

  test('reads no other documents and events to list conflicts after a commit', async () => {
    const here = world({ commitEachWrite: true });
    const [a, b] = [here.replica(), here.replica()];
    await Promise.all([a.attach(), b.attach()]);
    for (let n = 0; n < 60; n++) await a.db.put({ _id: `doc-${n % 30}`, n });
    await inSync(here, [a, b]);
    await inSync(here, [a, b], 'cut');
    for (const { db } of [a, b])
      for (let n = 0; n < 5; n++) await db.put({ _id: `doc-${n}`, by: db === a.db });
    await inSync(here, [a, b]);
    expect(await a.db.conflicts()).toHaveLength(5);
    const core = (await insideOf(a.db)?.open()) as Core;
    const { readers } = core.commits;
    const counts = (['event', 'block'] as const).map((name) => vi.spyOn(readers, name));
    const told = vi.fn();
    const stop = a.db.onConflicts(told);
    await vi.waitUntil(() => told.mock.calls.length === 1);
    for (const count of counts) count.mockClear();
    for (let n = 0; n < 10; n++) await a.db.put({ _id: 'doc-20', more: n });
    await a.db.head();
    await vi.waitUntil(async () => (await a.db.conflicts()).length === 5);
    expect(told).toHaveBeenCalledTimes(1);
    const [events, blocks] = counts.map((count) => count.mock.calls.length);
    // A commit needs a few events. The list reads two versions of each of the five documents.
    expect(events).toBeLessThan(10 * 12);
    expect(blocks).toBeLessThan(10 + 2 * 5 + 60);
    stop();
  });

  test('searches all events once instead of checking each of many written documents', async () => {
    const here = world({ commitEachWrite: true });
    const [a, b] = [here.replica(), here.replica()];
    await Promise.all([a.attach(), b.attach()]);
    const many = Array.from({ length: 1200 }, (_, n) => ({ _id: `doc-${n}` }));
    await a.db.bulk(many);
    await inSync(here, [a, b]);
    await inSync(here, [a, b], 'cut');
    for (const { db } of [a, b]) await db.bulk(['doc-1', 'doc-2'].map((_id) => ({ _id, by: db === a.db })));
    await inSync(here, [a, b]);
    expect((await a.db.conflicts()).map(({ id }) => id)).toEqual(['doc-1', 'doc-2']);
    const core = (await insideOf(a.db)?.open()) as Core;
    await a.db.bulk(many.filter(({ _id }) => _id !== 'doc-2'));
    const reads = vi.spyOn(core.commits.readers, 'event');
    expect((await a.db.conflicts()).map(({ id }) => id)).toEqual(['doc-2']);
    expect(reads.mock.calls.length).toBeLessThan(200);
  });

  test('pages through a linear history, and returns nothing after an unknown event', async () => {
    const { db } = world({ commitEachWrite: true }).replica();
    for (let n = 0; n < 11; n++) await db.put({ _id: 'a', n });
    const all = await db.events();
    expect(all).toHaveLength(12);
    for (const limit of [1, 4, 12, 20]) expect(await inPages(db, limit)).toEqual(all);
    const { db: other } = world({ commitEachWrite: true }).replica();
    await other.put({ _id: 'b' });
    const head = await other.head();
    expect(await db.events({ after: head[0], limit: 3 })).toEqual([]);
  });

  test('lists events newest first, each with its documents and whether a remote has the event', async () => {
    const here = world({ commitEachWrite: true });
    const replica = here.replica();
    await replica.db.bulk(Array.from({ length: 30 }, (_, n) => ({ _id: `doc-${n}` })));
    await replica.attach();
    await here.time.until(async () => (await replica.db.events()).every(({ state }) => state === 'sent'));
    replica.line.set('cut');
    await replica.db.put({ _id: 'late' });
    const events = await replica.db.events();
    expect(events.map(({ documents, state }) => [documents, state])).toEqual([
      [1, 'local'],
      [30, 'sent'],
      [0, 'sent'],
    ]);
    expect(events[0]?.parents).toEqual([events[1]?.event]);
    expect(events[1]?.ids).toHaveLength(20);
    expect(await replica.db.events({ after: events[0]?.event, limit: 1 })).toEqual([events[1]]);
  });

  test('counts the deletions of an event separately, and lists the deleted ids', async () => {
    const { db } = world({ commitEachWrite: true }).replica();
    await db.bulk(Array.from({ length: 30 }, (_, n) => ({ _id: `doc-${n}` })));
    await db.del('doc-3');
    // Concurrent writes of one database become one event.
    await Promise.all([db.put({ _id: 'new' }), db.del('doc-4')]);
    await Promise.all(Array.from({ length: 25 }, (_, n) => db.del(`doc-${n + 5}`)));
    const events = await db.events();
    expect(events.map(({ documents, deletions }) => [documents, deletions])).toEqual([
      [25, 25],
      [2, 1],
      [1, 1],
      [30, 0],
      [0, 0],
    ]);
    expect(events[0]?.ids).toHaveLength(20);
    const deleted = [events[0]?.ids, ['doc-4'], ['doc-3'], [], []];
    expect(events.map(({ deletedIds }) => deletedIds)).toEqual(deleted);
  });
});
