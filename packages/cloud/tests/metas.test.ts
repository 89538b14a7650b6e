/** The entries of a ledger: each is there once, none is lost, and none is shown whose archives are not there. */
import { expect, test } from 'vitest';
import {
  bind,
  cidsOf,
  commit,
  httpClient,
  metaEntry,
  newLedger,
  putMetas,
  testCloud,
} from './cloud.fixture.ts';

test('[S4] a put that is repeated changes nothing, also when the writer went on since', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const writer = await httpClient(cloud, notes);
  const first = await commit(writer, notes, 'one');
  const second = await commit(writer, notes, 'two');
  for (const { entry } of [second, first, second, first])
    expect((await putMetas(writer, notes, [entry])).type).toBe('resPutMeta');
  const reader = await httpClient(cloud, notes);
  const event = await reader.request('bindGetMeta', bind(notes));
  expect(cidsOf(event)).toEqual([second.entry.cid]);
  expect(event.cursor).toBe(2);
});

test('what another writer brings back is listed again; other data under its CID is refused', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const writer = await httpClient(cloud, notes);
  const first = await commit(writer, notes, 'one');
  await commit(writer, notes, 'two');
  const other = await httpClient(cloud, notes);
  await putMetas(other, notes, [first.entry]);
  const event = await other.request('bindGetMeta', bind(notes));
  expect(cidsOf(event)).toContain(first.entry.cid);
  expect(event.cursor).toBe(3);
  expect(await putMetas(other, notes, [{ ...first.entry, data: 'Mother' }])).toMatchObject({
    type: 'error',
    code: 'CONFLICT',
  });
});

test('[R14] a meta is refused while an archive that it names is absent', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const writer = await httpClient(cloud, notes);
  const entry = metaEntry(['baembeiaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa']);
  expect(await putMetas(writer, notes, [entry])).toMatchObject({ type: 'error', code: 'MISSING_CARS' });
  const event = await writer.request('bindGetMeta', bind(notes));
  expect(event.meta.metas).toEqual([]);
  // What can't be read is taken as it is: a sealed ledger's entries can't.
  const sealed = { cid: 'sealed', parents: [], data: 'Mopaque' };
  expect(await putMetas(writer, notes, [sealed])).toMatchObject({ type: 'resPutMeta' });
});
