/** The archive of a commit is one row, which waits for upload until it says otherwise. */
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

test('a commit adds one row beside the head; a large one has an index and waits in the queue', async () => {
  const values = new Map<string, Uint8Array>();
  const commits = await openOn(memoryStore(values), retention);
  await commits.write([operation('a', 1)]);
  await commits.write([operation('b', 2)]);
  // The first commit brings the genesis along.
  expect(kindsOf(values)).toEqual({ 'commit/': 3, 'sent/': 0, 'car/': 0, 'idx/': 0, 'upload/': 0 });
  await commits.write(Array.from({ length: 500 }, (_, n) => operation(`doc-${n}`, n)));
  expect(kindsOf(values)).toEqual({ 'commit/': 3, 'sent/': 0, 'car/': 1, 'idx/': 1, 'upload/': 1 });
  expect(await commits.pendingUploads()).toHaveLength(4);
});

test('what was sent waits no longer, also when it is opened again; what was not is sent once it is merged', async () => {
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
  // One archive of what was sent, one of what was not.
  expect(kindsOf(values)).toEqual({ 'commit/': 0, 'sent/': 0, 'car/': 2, 'idx/': 2, 'upload/': 1 });
  expect(await again.pendingUploads()).toHaveLength(1);

  const last = await openOn(memoryStore(values), retention);
  expect(last.snapshot().head).toEqual(first.snapshot().head);
  expect((await last.verify({})).missing).toEqual([]);
});

test('another tab sees the commits of this one, and those that it merged', async () => {
  const values = new Map<string, Uint8Array>();
  const [writing, reading] = [
    await openOn(memoryStore(values), retention),
    await openOn(memoryStore(values), retention),
  ];
  for (let n = 0; n < 4; n++) await writing.write([operation('a', n)]);
  // It finds that another one was faster, and reads again what is stored.
  await reading.write([operation('b', 1)]);
  expect(await reading.pendingUploads()).toHaveLength(6);
  await writing.write([operation('b', 2)]);
  await writing.compact();
  await reading.write([operation('b', 3)]);
  expect(await reading.pendingUploads()).toHaveLength(2);
  expect((await reading.verify({})).missing).toEqual([]);
});
