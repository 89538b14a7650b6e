/** Versions of a document that can't be read until their key arrives. */
import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test, vi } from 'vitest';
import type { Cid } from '../src/codec/cid.ts';
import type { Core } from '../src/database/core.ts';
import type { Database } from '../src/database/database.ts';
import { insideOf } from '../src/database/inside.ts';
import type { Attached } from '../src/sync/remote.ts';
import { haveSameHead, type Replica, type World, world } from './sync-world.fixture.ts';

const KEEP = { keepConflicts: true };

interface Note {
  readonly text: string;
}

const coreOf = async (db: Database) => (await insideOf(db)?.open()) as Core;

/** Returns the versions of the note in its history, newest first. */
const pastOf = async (db: Database) =>
  (await db.history<Note>('note')).map(({ value, isDropped }) => (isDropped ? 'dropped' : value?.text));

/**
 * Returns a database with two versions of a note, and the text of the one that lost. That version,
 * or the event that wrote it, can't be read until `receiveKey` is called.
 */
async function withoutKey(what: 'event' | 'content', commits?: number) {
  const here = world({ commitEachWrite: true, ...(commits && { history: { commits } }) });
  const [a, b] = [here.replica(), here.replica()];
  await Promise.all([a.attach(), b.attach()]);
  await a.db.put({ _id: 'note', text: 'first' });
  await here.time.until(() => haveSameHead([a, b]));
  for (const { line } of [a, b]) line.set('cut');
  await a.db.put({ _id: 'note', text: 'of a' });
  await b.db.put({ _id: 'note', text: 'of b' });
  for (const { line } of [a, b]) line.set('up');
  await here.time.until(() => haveSameHead([a, b]));
  // Each write reads the newest event. It must not be the one without a key.
  await a.db.put({ _id: 'other' });
  const { winner, losers } = (await a.db.conflicts<Note>('note')) ?? {};
  const event = losers?.[0]?.event as Cid;
  const { operations } = await (await coreOf(a.db)).commits.readers.event(event);
  const { db } = await a.reopen();
  const { readers } = (await coreOf(db)).commits;
  const { event: readEvent, block: readBlock } = readers;
  const sealed = new Set([what === 'event' ? event : operations[0]?.value]);
  const unlessSealed =
    <T>(read: (cid: Cid) => Promise<T>) =>
    async (cid: Cid) => {
      if (sealed.has(cid)) throw new FixpointError('KEY_UNKNOWN');
      return read(cid);
    };
  vi.spyOn(readers, 'event').mockImplementation(unlessSealed(readEvent));
  vi.spyOn(readers, 'block').mockImplementation(unlessSealed(readBlock));
  const [shown, lost] = [winner?.value?.text, losers?.[0]?.value?.text];
  return { db, event, shown, lost, receiveKey: () => sealed.clear() };
}

describe.each(['event', 'content'] as const)('a write that follows a version without a key (%s)', (what) => {
  test('ends the conflict for good, but the history shows the version once the key arrives', async () => {
    const { db, event, shown, lost, receiveKey } = await withoutKey(what);
    expect(await db.conflicts(['note'])).toEqual([{ id: 'note', events: [] }]);
    expect((await db.bulk([{ _id: 'note', text: 'later' }], KEEP)).kept).toEqual([]);
    // Until then, the history can't be complete, and says so.
    await expect(db.history('note')).rejects.toMatchObject({ code: 'KEY_UNKNOWN' });
    receiveKey();
    expect(await db.conflicts('note')).toBeUndefined();
    expect(await db.conflicts()).toEqual([]);
    expect(await db.get('note')).toEqual({ _id: 'note', text: 'later' });
    const past = await db.history<Note>('note');
    expect(past.find((version) => version.event === event)).toMatchObject({
      value: { text: lost },
      concurrent: true,
    });
    expect((await pastOf(db)).toSorted()).toEqual(['first', 'later', lost, shown].toSorted());
  });

  test('leaves a trace of the version in the history after compaction dropped it', async () => {
    const { db, event, receiveKey } = await withoutKey(what, 1);
    await db.bulk([{ _id: 'note', text: 'later' }], KEEP);
    receiveKey();
    for (let n = 0; n < 5; n++) await db.put({ _id: 'other', n });
    await db.compact();
    const past = await db.history('note');
    expect(past.find((version) => version.event === event)?.isDropped).toBe(true);
    expect((await pastOf(db))[0]).toBe('later');
  });
});

/** Attaches an additional device, which an existing device approves. */
async function join({ time, replica }: World, by: Attached) {
  const made = replica();
  const sync = await made.attach({ kind: 'sealed' });
  const code = await time.run(sync.devices.code());
  await time.run(by.devices.approve(code));
  await time.until(() => sync.devices.isApproved());
  await time.run(sync.synced());
  return { ...made, sync };
}

const textsOf = async ({ db }: Pick<Replica, 'db'>) => {
  const found = await db.conflicts<Note>('note');
  return found && [found.winner, ...found.losers].map(({ value }) => value?.text).sort();
};

test('keeps a version out of the database until its rotated key arrives, then shows the conflict', async () => {
  const there = world({ commitEachWrite: true });
  const a = there.replica();
  const sync = await a.attach({ kind: 'sealed' });
  await there.time.run(sync.synced());
  const b = await join(there, sync);
  const leaves = await join(there, sync);
  await a.db.put({ _id: 'note', text: 'first' });
  await there.time.run(sync.synced());
  await there.time.until(() => haveSameHead([a, b]));
  b.line.set('cut');
  const { keys } = there.gateway.ledgers.get('t/l') ?? expect.fail('no ledger');
  const before = new Set(keys);
  const [gone] = await leaves.sync.devices.list().then((all) => all.filter(({ isThis }) => isThis));
  await there.time.run(sync.devices.remove([gone?.id ?? '']));
  await a.db.put({ _id: 'note', text: 'of a' });
  await there.time.run(sync.synced());
  for (const { line } of [a, leaves]) line.set('cut');
  const rotated = [...keys].filter((key) => !before.has(key));
  expect(rotated).not.toEqual([]);
  for (const key of rotated) keys.delete(key);

  b.line.set('up');
  await there.time.pass(30_000);
  expect(b.sync.status().state).toBe('catching-up');
  expect(await b.db.get('note')).toEqual({ _id: 'note', text: 'first' });
  expect((await b.db.bulk([{ _id: 'note', text: 'of b' }], KEEP)).kept).toEqual([]);
  expect(await b.db.conflicts()).toEqual([]);

  for (const key of rotated) keys.add(key);
  // A new connection reads the keys again.
  b.line.set('cut');
  for (const { line } of [a, b]) line.set('up');
  await there.time.until(() => haveSameHead([a, b]));
  expect(await textsOf(b)).toEqual(['of a', 'of b']);
  expect(await textsOf(a)).toEqual(['of a', 'of b']);
});
