import { describe, expect, test } from 'vitest';
import { packArchive } from '../../archive/pack.ts';
import { sortHead } from '../../clock/event.ts';
import { putAt, sessionOver, write } from '../session.fixture.ts';
import type { SyncParts } from '../sync-progress.ts';
import { isHeadLost } from './rollback.ts';

/** Creates a device with two commits, and a complete listing of its ledger with one entry. */
async function compared() {
  const world = await sessionOver();
  const { session, commits, memory, remote, reports } = world;
  await write(commits, ['a', 1]);
  const older = commits.snapshot().head;
  await write(commits, ['a', 2]);
  const { head } = commits.snapshot();
  const parts = { session } as SyncParts;
  const list = (...names: readonly string[]) =>
    session.listed.take({
      metas: names.map((cid) => ({ cid, parents: [], data: '' })),
      keys: [],
      anew: true,
    });
  list('one');
  world.connect();
  /** Records the content of an entry that omits its head. The archive of the entry has the head. */
  const silent = async (name: string, said: typeof head) => {
    const archive = await packArchive({ cars: [], compact: [], head: said }, [session.sealing().mark([])]);
    await putAt(session, remote, 'car', archive);
    session.listed.read(name, { group: [archive.cid], head: sortHead([]) });
  };
  const compare = () => isHeadLost(parts, head, session.listed.doubt());
  const seal = () => memory.learned(memory.rowsOfKind('kind', 'sealed'));
  return { ...world, parts, list, older, head, silent, compare, seal, reports };
}

describe('comparing a listing with the head', () => {
  test('[R17] reports a head as lost if no listed entry has the head, and ends the doubt', async () => {
    const { session, older, compare, reports } = await compared();
    session.listed.read('one', { group: [session.commits.archiveIds()[0] as never], head: older });
    expect(await compare()).toBe(true);
    expect([session.listed.doubt(), reports]).toEqual([undefined, []]);
  });

  test('finds a head that is only in the archive of an entry', async () => {
    const { session, head, silent, compare } = await compared();
    await silent('one', head);
    expect(await compare()).toBe(false);
    expect(session.listed.doubt()).toBeUndefined();
  });

  test('[R17] ignores an entry whose archive cannot be fetched', async () => {
    const { silent, head, compare, remote } = await compared();
    await silent('one', head);
    remote.status = () => 404;
    expect(await compare()).toBe(true);
  });

  test('concludes nothing when a new complete listing started before the comparison', async () => {
    const { session, list, parts, head, reports, seal, memory } = await compared();
    seal();
    memory.learned(memory.rowsOfSeen(head));
    const before = session.listed.doubt();
    list('one', 'two');
    expect(await isHeadLost(parts, head, before)).toBe(false);
    expect(session.listed.doubt()).not.toBe(before);
    expect([session.listed.doubt() === undefined, reports]).toEqual([false, []]);
  });

  test('[R17] concludes nothing when a new complete listing starts during the comparison', async () => {
    const { session, list, silent, head, older, compare, remote, reports, memory, parts, seal } =
      await compared();
    seal();
    memory.learned(memory.rowsOfSeen(head));
    await silent('one', older);
    // The entry that this device sent is in the new listing, but wasn't read yet.
    remote.before = () => list('one', 'own');
    expect(await compare()).toBe(false);
    expect(session.listed.doubt()).toBeDefined();
    expect([reports, parts.rollback]).toEqual([[], undefined]);
  });
});

describe('a ledger that shows an older state', () => {
  test('is reported if it is sealed and this device has seen a newer state', async () => {
    const { session, older, head, compare, reports, memory, parts, seal } = await compared();
    seal();
    memory.learned(memory.rowsOfSeen(head));
    session.listed.read('one', { group: [session.commits.archiveIds()[0] as never], head: older });
    expect(await compare()).toBe(true);
    expect(reports).toEqual([expect.objectContaining({ code: 'LEDGER_ROLLED_BACK' })]);
    expect(parts.rollback).toBe(reports[0]);
  });

  test('is not reported if it never showed this device a newer state', async () => {
    const { session, older, compare, reports, memory, parts, seal } = await compared();
    seal();
    memory.learned(memory.rowsOfSeen(older));
    session.listed.read('one', { group: [session.commits.archiveIds()[0] as never], head: older });
    // The remote never acknowledged this device's newer head.
    expect(await compare()).toBe(true);
    expect([reports, parts.rollback]).toEqual([[], undefined]);
  });

  test('is not reported if it is an open-key ledger', async () => {
    const { session, older, head, compare, reports, memory } = await compared();
    memory.learned(memory.rowsOfKind('kind', 'open-key'));
    memory.learned([{ key: `${memory.prefix}seen`, bytes: new TextEncoder().encode(JSON.stringify(head)) }]);
    session.listed.read('one', { group: [session.commits.archiveIds()[0] as never], head: older });
    expect(await compare()).toBe(true);
    expect(reports).toEqual([]);
  });
});
