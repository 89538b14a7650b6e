import { FixpointError } from '@fixpoint/protocol';
import { expect, test } from 'vitest';
import type { Cid } from '../codec/cid.ts';
import type { Commits } from '../commit/commits-interface.ts';
import { insideOf } from '../database/inside.ts';
import type { ExistingTarget } from '../ports/existing-store.ts';
import { fakeCloud, memoryDatabase } from '../testing/fake-cloud.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import { entries } from '../trie/entries.ts';
import { exportExisting } from './export-existing.ts';
import { valuesOfChanges } from './walk-of-changes.ts';

const memoryTarget = (): ExistingTarget => ({
  place: 'memory',
  isTaken: async () => false,
  write: async () => undefined,
  readKeyRecord: async () => undefined,
  writeKeyRecord: async () => undefined,
});

/** Returns a history with two branches, which changed different documents. */
async function diverged(): Promise<Commits> {
  const cloud = fakeCloud();
  const [ann, ben] = [memoryDatabase(), memoryDatabase()];
  await ann.attach(cloud.remote());
  await ben.attach(cloud.remote());
  await ann.bulk([
    { _id: 'a', n: 1 },
    { _id: 'b', n: 1 },
  ]);
  await expect.poll(() => ben.head()).toEqual(await ann.head());
  cloud.offline();
  await ann.put({ _id: 'a', n: 2 });
  await ben.put({ _id: 'b', n: 2 });
  cloud.online();
  await expect.poll(() => ann.head()).toHaveLength(2);
  const core = await insideOf(ann)?.open();
  if (core === undefined) throw new Error('no core');
  return core.commits;
}

test('counts old versions that were dropped, but exports everything else', async () => {
  const commits = await diverged();
  const { head, root } = commits.snapshot();
  const old = new Set(await valuesOfChanges(head, commits.readers.event));
  for await (const [, value] of entries(commits.readers.shard, root as Cid)) old.delete(value);
  expect(old.size).toBe(2);
  const exported = (from: Commits) => exportExisting(from, memoryTarget(), undefined, seededRandom(1));
  const all = { documents: 2, files: 0, filesMissing: 0, head };
  expect(await exported(commits)).toEqual({ ...all, versionsMissing: 0 });
  const block = async (cid: Cid) => {
    if (old.has(cid)) throw new FixpointError('MISSING_BLOCK');
    return commits.readers.block(cid);
  };
  const dropped = { ...commits, readers: { ...commits.readers, block } };
  expect(await exported(dropped)).toEqual({ ...all, versionsMissing: 2 });
  const failing = { ...dropped.readers, block: () => Promise.reject(new FixpointError('STORE_FAILED')) };
  await expect(exported({ ...commits, readers: failing })).rejects.toMatchObject({ code: 'STORE_FAILED' });
});
