import { fixpoint, type StoredFile, toCloud } from 'fixpoint';
import { expect, test } from 'vitest';
import { newLedger, temporaryFolder, testCloud } from '../../packages/cloud/tests/cloud.fixture.ts';

type WithFiles = { _files: Record<string, StoredFile> };

/** Content that is longer than two parts of a file, with bytes that depend on their position. */
const long = Uint8Array.from({ length: 9_000_000 }, (_, at) => (at ^ (at >> 9)) & 0xff);

test('syncs short and long files, on demand and prefetched, live and for a late client', async () => {
  const cloud = await testCloud();
  const { tenant, ledger, token } = await newLedger(cloud);
  const open = async (files: 'when-read' | 'always') => {
    const db = fixpoint('album', { directory: await temporaryFolder() });
    return { db, attached: await db.attach(toCloud({ base: cloud.url, tenant, ledger, token, files })) };
  };
  const [a, b] = [await open('when-read'), await open('when-read')];
  await a.db.put({ _id: 'trip', _files: { note: new Blob(['hello'], { type: 'text/plain' }), film: long } });
  await a.attached.synced();
  await b.attached.synced();
  const { _files } = await b.db.get<WithFiles>('trip');
  expect(await (await _files['note']?.file())?.text()).toBe('hello');
  const parts: Uint8Array[] = [];
  for await (const part of _files['film']?.stream() ?? []) parts.push(part);
  expect(Buffer.concat(parts).equals(Buffer.from(long))).toBe(true);

  // The merged document contains the files that one replica kept and the files that the other one
  // added.
  await b.db.put({ ...(await b.db.get<WithFiles>('trip')), _files: { ..._files, more: new Blob(['more']) } });
  await b.attached.synced();
  const late = await open('always');
  await late.attached.synced();
  await cloud.stop();
  const all = (await late.db.get<WithFiles>('trip'))._files;
  expect(Object.keys(all).sort()).toEqual(['film', 'more', 'note']);
  expect(await (await all['more']?.file())?.text()).toBe('more');
  expect((await all['film']?.file())?.size).toBe(long.length);
  for (const { db } of [a, b, late]) await db.close();
});
