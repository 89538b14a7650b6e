/**
 * Tests that the archive of a small commit is stored as one row, which stays in the upload queue
 * until the archive is marked as sent.
 */
import { expect, test } from 'vitest';
import type { Cid } from '../src/codec/cid.ts';
import { memoryStore } from '../src/platform/memory-store.ts';
import { openOn, operation } from './compaction-world.fixture.ts';

const retention = { commits: 1000, bytes: Number.POSITIVE_INFINITY };
const kindsOf = (values: ReadonlyMap<string, Uint8Array>) =>
  Object.fromEntries(
    ['commit/', 'sent/', 'car/', 'idx/', 'upload/'].map((prefix) => [
      prefix,
      [...values.keys()].filter((key) => key.startsWith(prefix)).length,
    ]),
  );

test('stores a small commit in one row plus the head, and a large commit in one row each for its archive, block index and upload', async () => {
  const values = new Map<string, Uint8Array>();
  const commits = await openOn(memoryStore(values), retention);
  await commits.write([operation('a', 1)]);
  await commits.write([operation('b', 2)]);
  // The first commit also stores the genesis.
  expect(kindsOf(values)).toEqual({ 'commit/': 3, 'sent/': 0, 'car/': 0, 'idx/': 0, 'upload/': 0 });
  await commits.write(Array.from({ length: 500 }, (_, n) => operation(`doc-${n}`, n)));
  expect(kindsOf(values)).toEqual({ 'commit/': 3, 'sent/': 0, 'car/': 1, 'idx/': 1, 'upload/': 1 });
  expect(await commits.pendingUploads()).toHaveLength(4);
});

test('removes sent commits from the upload queue and keeps unsent ones in it, also after a reopen and a compaction', async () => {
  const values = new Map<string, Uint8Array>();
  const first = await openOn(memoryStore(values), retention);
  for (let n = 0; n < 6; n++) await first.write([operation('a', n)]);
  const before = await first.pendingUploads();
  const sent = before.slice(0, 4);
  await first.markUploaded(sent, []);
  const waiting = (cids: readonly Cid[]) => cids.filter((cid) => !sent.includes(cid)).sort();
  expect([...(await first.pendingUploads())].sort()).toEqual(waiting(before));

  const again = await openOn(memoryStore(values), retention);
  expect([...(await again.pendingUploads())].sort()).toEqual(waiting(before));
  await again.compact();
  // One archive contains the sent commits, and the other one contains the unsent commits.
  expect(kindsOf(values)).toEqual({ 'commit/': 0, 'sent/': 0, 'car/': 2, 'idx/': 2, 'upload/': 1 });
  expect(await again.pendingUploads()).toHaveLength(1);

  const last = await openOn(memoryStore(values), retention);
  expect(last.snapshot().head).toEqual(first.snapshot().head);
  expect((await last.verify({})).missing).toEqual([]);
});

test('reads commits that another tab wrote or merged', async () => {
  const values = new Map<string, Uint8Array>();
  const [writing, reading] = [
    await openOn(memoryStore(values), retention),
    await openOn(memoryStore(values), retention),
  ];
  for (let n = 0; n < 4; n++) await writing.write([operation('a', n)]);
  // The write detects that the other tab was faster, and reads the stored state again.
  await reading.write([operation('b', 1)]);
  expect(await reading.pendingUploads()).toHaveLength(6);
  await writing.write([operation('b', 2)]);
  await writing.compact();
  await reading.write([operation('b', 3)]);
  expect(await reading.pendingUploads()).toHaveLength(2);
  expect((await reading.verify({})).missing).toEqual([]);
});
