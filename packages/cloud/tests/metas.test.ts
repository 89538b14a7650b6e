/**
 * Tests that a ledger lists each entry once, loses none, and lists no entry whose archives are
 * absent.
 */
import { expect, test } from 'vitest';
import {
  bind,
  carKey,
  cidsOf,
  commit,
  httpClient,
  metaEntry,
  newLedger,
  newMember,
  putMetas,
  sealedEntry,
  socketClient,
  testCloud,
} from './cloud.fixture.ts';

test('[S4] changes nothing on a repeated put, even if the writer has put newer entries since', async () => {
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

test('lists an entry again when another writer puts it again', async () => {
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
});

test('[R14] rejects a meta entry while an archive that it refers to is absent', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const writer = await httpClient(cloud, notes);
  const entry = metaEntry([carKey(new Uint8Array(1))]);
  expect(await putMetas(writer, notes, [entry])).toMatchObject({ type: 'error', code: 'MISSING_CARS' });
  const event = await writer.request('bindGetMeta', bind(notes));
  expect(event.meta.metas).toEqual([]);
  const sealed = await newLedger(cloud);
  const device = await httpClient(cloud, sealed);
  expect(await putMetas(device, sealed, [sealedEntry('a')], ['S1.key'])).toMatchObject({
    type: 'resPutMeta',
  });
});

test('reports when it received each entry, and from which account', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const member = await newMember(cloud, notes, 'write');
  const reader = await socketClient(cloud, notes);
  await reader.request('bindGetMeta', bind(notes));
  const before = Date.now();
  const writer = await httpClient(cloud, member);
  const { entry, answer } = await commit(writer, member, 'one');
  const expected = [{ cid: entry.cid, seq: 1, at: expect.any(String), account: member.userId }];
  expect(answer).toMatchObject({ received: expected });
  await expect.poll(() => reader.events.length).toBe(2);
  const [, event] = reader.events;
  expect(event).toMatchObject({ received: expected });
  const at = Date.parse(event?.received[0].at);
  expect(at).toBeGreaterThanOrEqual(before);
  expect(at).toBeLessThanOrEqual(Date.now());
  // A repeated put changes nothing, and says when the entry was received first.
  expect(await putMetas(writer, member, [entry])).toMatchObject({ received: event?.received });
  const late = await httpClient(cloud, notes);
  expect(await late.request('bindGetMeta', bind(notes))).toMatchObject({ received: event?.received });
});
