/** Tests the keys of a ledger, its kind, and who may add which keys. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  about,
  bind,
  type Client,
  httpClient,
  type Ledger,
  newLedger,
  newMember,
  openEntry,
  putMetas,
  sealedEntry,
  socketClient,
  testCloud,
} from './cloud.fixture.ts';
import { device, grant, keyId, lock, publicKey, recordOf } from './key-records.fixture.ts';

const entry = (cid: string, data = 'x') => ({ cid, parents: [], data });

test('sends all keys of the ledger with each event, sorted, until they are removed', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const writer = await httpClient(cloud, notes);
  await putMetas(writer, notes, [await openEntry(writer, notes, 'c1')], ['zB']);
  await putMetas(writer, notes, [await openEntry(writer, notes, 'c2')], ['zA', 'zB']);
  await putMetas(writer, notes, [], ['zLost']);
  const keys = async () => (await writer.request('bindGetMeta', bind(notes))).meta.keys;
  expect(await keys()).toEqual(['zA', 'zB']);
  await writer.request('reqDelMeta', {
    ...about(notes, 'meta', 'DELETE'),
    meta: { metas: [], keys: ['zB'] },
  });
  expect(await keys()).toEqual(['zA']);
});

test('[R6] rejects a key or CID that the tables could not return unchanged', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const writer = await httpClient(cloud, notes);
  for (const odd of ['z\ud800', 'z\0', '\udc00']) {
    for (const [cid, key] of [
      ['c', odd],
      [odd, 'zKey'],
    ])
      expect(await putMetas(writer, notes, [entry(cid ?? '')], [key ?? ''])).toMatchObject({
        type: 'error',
        code: 'REQUEST_INVALID',
      });
  }
  expect(await writer.request('bindGetMeta', bind(notes))).toMatchObject({ meta: { metas: [], keys: [] } });
});

test('sets the kind of a ledger at its first put, and rejects puts of the other kind', async () => {
  const cloud = await testCloud();
  for (const isSealed of [true, false]) {
    const notes = await newLedger(cloud);
    const client = await httpClient(cloud, notes);
    const put = (metas: readonly object[], keys: readonly string[]) => putMetas(client, notes, metas, keys);
    const [sealed, open] = [
      { metas: [sealedEntry('s')], keys: ['S1.abc'] },
      { metas: [await openEntry(client, notes, 'o')], keys: ['zKey'] },
    ];
    const [right, wrong] = isSealed ? [sealed, open] : [open, sealed];
    expect((await put(right.metas, right.keys)).type).toBe('resPutMeta');
    for (const [metas, keys] of [
      [wrong.metas, []],
      [[], wrong.keys],
      [right.metas, wrong.keys],
      [wrong.metas, right.keys],
    ] as const)
      expect(await put(metas, keys)).toMatchObject({ type: 'error', code: 'LEDGER_KIND' });
    expect((await put(right.metas, right.keys)).type).toBe('resPutMeta');
    const { kind } = await client.request('bindGetMeta', bind(notes));
    expect(kind).toBe(isSealed ? 'sealed' : 'open-key');
  }
});

test('[S1] lets a reader put device records into a sealed ledger, but no entries, raw keys or other records', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const reader = await newMember(cloud, notes, 'read');
  const [ofOwner, ofReader] = [await httpClient(cloud, notes), await httpClient(cloud, reader)];
  const put = (client: Client, ...keys: string[]) => putMetas(client, notes, [], keys);
  const ownerOf = async (keyText: string) =>
    (await cloud.db.selectFrom('LedgerKeys').select('userId').where('keyText', '=', keyText).execute())[0]
      ?.userId;
  // A writer creates the sealed ledger.
  const own = device();
  expect(await put(ofReader, own)).toMatchObject({ code: 'FORBIDDEN' });
  const first = device();
  expect((await put(ofOwner, first, 'S1.grant')).type).toBe('resPutMeta');
  for (const keys of [[own, 'S1.grant2'], ['S1.abc'], ['zKey'], [`${own}A`], []])
    expect(await put(ofReader, ...keys)).toMatchObject({ code: 'FORBIDDEN' });
  expect(await putMetas(ofReader, notes, [sealedEntry('s')], [own])).toMatchObject({ code: 'FORBIDDEN' });
  expect((await put(ofReader, own)).type).toBe('resPutMeta');
  expect((await put(ofReader, own)).type).toBe('resPutMeta');
  expect(await ownerOf(own)).toBe(reader.userId);
  // A device record keeps its owner until that user has left.
  expect((await put(ofReader, first)).type).toBe('resPutMeta');
  expect(await ownerOf(first)).toBe(notes.userId);
  for (let n = 0; n < 19; n += 1) expect((await put(ofReader, device())).type).toBe('resPutMeta');
  expect(await put(ofReader, device())).toMatchObject({ code: 'LIMIT_REACHED' });
});

test('[S1] lets a reader grant keys only to their own devices and recovery codes, and remove only their own records', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const reader = await newMember(cloud, notes, 'read');
  const [ofOwner, ofReader] = [await httpClient(cloud, notes), await httpClient(cloud, reader)];
  const put = (client: Client, ...keys: string[]) => putMetas(client, notes, [], keys);
  const [owners, own, recovery] = [publicKey(), publicKey(), publicKey()];
  expect((await put(ofOwner, device(owners), grant(owners))).type).toBe('resPutMeta');
  // The gateway rejects four grants: to another user's device, to a device that hasn't requested
  // access, to a recovery code with the key of another user's device, and a grant with two public
  // keys.
  const twice = recordOf([
    ['t', 'grant'],
    ['box', randomBytes(60)],
    ['eph', publicKey()],
    ['key', keyId()],
    ['pub', recovery],
    ['pub', owners],
    ['proof', randomBytes(28)],
    ['locked', lock()],
  ]);
  for (const bad of [grant(owners), grant(own), grant(owners, lock()), twice])
    expect(await put(ofReader, bad)).toMatchObject({ code: 'FORBIDDEN' });
  expect((await put(ofReader, device(own))).type).toBe('resPutMeta');
  expect((await put(ofReader, grant(own))).type).toBe('resPutMeta');
  expect((await put(ofReader, grant(recovery, lock()))).type).toBe('resPutMeta');
  expect(await put(ofReader, grant(publicKey(), lock(), { boxBytes: 9000 }))).toMatchObject({
    code: 'LIMIT_REACHED',
  });
  const event = await ofOwner.request('bindGetMeta', bind(notes));
  expect(event.meta.keys).toHaveLength(5);
  for (let n = 0; n < 17; n += 1)
    expect((await put(ofReader, grant(publicKey(), lock()))).type).toBe('resPutMeta');
  expect(await put(ofReader, grant(publicKey(), lock()))).toMatchObject({ code: 'LIMIT_REACHED' });
});

test('[S5] stores, sends and removes a record as large as a rotation for 200 devices, and limits key lists to 4 million characters', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const client = await httpClient(cloud, notes);
  const ask = (type: 'reqPutMeta' | 'reqDelMeta', method: string, keys: string[]) =>
    client.request(type, { ...about(notes, 'meta', method), meta: { metas: [], keys } });
  const listed = async (): Promise<string[]> => (await client.request('bindGetMeta', bind(notes))).meta.keys;
  const record = () => `S1.${randomBytes(24_573).toString('base64url')}`;
  const [first, second] = [record(), record()];
  expect(first.length).toBe(32_767);
  expect((await ask('reqPutMeta', 'PUT', [first, second])).type).toBe('resPutMeta');
  expect((await ask('reqPutMeta', 'PUT', [first])).type).toBe('resPutMeta');
  expect(await listed()).toEqual([first, second].sort());
  expect((await ask('reqDelMeta', 'DELETE', [first])).type).toBe('resDelMeta');
  expect(await listed()).toEqual([second]);
  expect(await ask('reqPutMeta', 'PUT', [`${first}xx`])).toMatchObject({ code: 'REQUEST_INVALID' });
  for (let n = 0; n < 4; n += 1)
    expect((await ask('reqPutMeta', 'PUT', Array.from({ length: 30 }, record))).type).toBe('resPutMeta');
  expect(await ask('reqPutMeta', 'PUT', [record(), record()])).toMatchObject({ code: 'LIMIT_REACHED' });
  expect(await listed()).toHaveLength(121);
});

test('rejects a first put of the other kind in a ledger that was created with a kind', async () => {
  const cloud = await testCloud();
  for (const kind of ['sealed', 'open-key'] as const) {
    const notes = await newLedger(cloud);
    await cloud.db.updateTable('Ledgers').set({ kind }).where('ledgerId', '=', notes.ledger).execute();
    const client = await httpClient(cloud, notes);
    expect(await client.request('bindGetMeta', bind(notes))).toMatchObject({ kind });
    const wrong = kind === 'sealed' ? await openEntry(client, notes, 'c') : sealedEntry('c');
    const key = kind === 'sealed' ? 'zKey' : 'S1.abc';
    expect(await putMetas(client, notes, [wrong], [key])).toMatchObject({
      type: 'error',
      code: 'LEDGER_KIND',
    });
  }
});

test('[S5] sends followers records that were put without entries, and marks records of members who left', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const member = await newMember(cloud, notes, 'write');
  const follower = await socketClient(cloud, notes);
  await follower.request('bindGetMeta', bind(notes));
  const putRecord = async (ledger: Ledger, record: string) =>
    putMetas(await httpClient(cloud, ledger), ledger, [], [record]);
  const [own, theirs] = [device(), device()];
  await putRecord(notes, own);
  await putRecord(member, theirs);
  const lastEvent = () => follower.events.at(-1);
  await expect.poll(() => lastEvent().meta).toEqual({ metas: [], keys: [own, theirs].sort() });
  expect(lastEvent().removed).toBe(undefined);
  for (const table of ['LedgerUsers', 'TenantUsers'] as const)
    await cloud.db.deleteFrom(table).where('userId', '=', member.userId).execute();
  await expect.poll(() => lastEvent().removed).toEqual([theirs]);
  // When another member announces the device, it belongs to that member.
  await putRecord(notes, theirs);
  await expect.poll(() => lastEvent().removed).toBe(undefined);
});
