import { expect, test } from 'vitest';
import { memoryPlatform } from '../../tests/memory-platform.fixture.ts';
import { openDatabase } from '../database/open.ts';
import { fireproofDatabase } from './database.ts';

const open = () => fireproofDatabase(openDatabase('notes', memoryPlatform().platform));

test('returns the head and the name of the database from each write', async () => {
  const db = open();
  const head = () => db.fixpoint.head();
  const name = 'notes';
  expect(await db.put({ _id: 'a' })).toEqual({ id: 'a', clock: await head(), name });
  expect(await db.bulk([{ _id: 'b' }, { _id: 'c' }])).toEqual({ ids: ['b', 'c'], clock: await head(), name });
  expect(await db.del('a')).toEqual({ id: 'a', clock: await head(), name });
  expect(await db.remove('b')).toEqual({ id: 'b', clock: await head(), name });
  expect((await db.allDocs()).clock).toEqual(await head());
  await db.close();
});

test('acknowledges a write that was pending when the database was closed', async () => {
  const db = open();
  await db.ready();
  const writing = db.put({ _id: 'a' });
  await db.close();
  expect(await writing).toMatchObject({ id: 'a', clock: [expect.any(String)] });
});

test('rejects a write with its own reason', async () => {
  const db = open();
  await expect(db.put({ _id: 'a', n: Number.NaN })).rejects.toMatchObject({ code: 'DOC_INVALID' });
  await db.close();
  await expect(db.put({ _id: 'a' })).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
});
