import { randomBytes } from 'node:crypto';
import { requestMessage } from '@fixpoint/protocol/storage';
import { describe, expect, test, vi } from 'vitest';
import {
  about,
  type Client,
  commit,
  httpClient,
  type Ledger,
  metaEntry,
  mint,
  newLedger,
  newMember,
  putJson,
  socketClient,
  testCloud,
} from './cloud.fixture.ts';

const bind = (ledger: Parameters<typeof about>[0]) => about(ledger, 'meta', 'GET');
const cidsOf = (message: { meta: { metas: { cid: string }[] } }) => message.meta.metas.map(({ cid }) => cid);

describe('a session with the gateway', () => {
  test('[W1] gestalt, open, bind, upload, put meta: a second connection hears of it and downloads', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const asked = requestMessage('reqGestalt', 'z1', notes.token, {});
    const { status, body } = await putJson(`${cloud.url}/fp`, asked);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      type: 'resGestalt',
      tid: 'z1',
      gestalt: { protocolCapabilities: ['reqRes', 'stream'], httpEndpoints: ['/fp'], wsEndpoints: ['/ws'] },
    });

    const writer = await socketClient(cloud, notes);
    const reader = await socketClient(cloud, notes);
    expect(await writer.request('bindGetMeta', bind(notes))).toMatchObject({
      type: 'eventGetMeta',
      conn: writer.conn,
      meta: { metas: [], keys: [] },
      cursor: 0,
    });
    await reader.request('bindGetMeta', bind(notes));
    const { entry, key, answer } = await commit(writer, notes, 'first archive');
    expect(answer).toMatchObject({ type: 'resPutMeta', meta: { metas: [entry], keys: ['zKey'] } });
    await vi.waitUntil(() => reader.events.length === 2);
    expect(reader.events[1]).toMatchObject({
      conn: reader.conn,
      tid: reader.events[0].tid,
      tenant: { tenant: notes.tenant, ledger: notes.ledger },
      meta: { metas: [entry], keys: ['zKey'] },
      cursor: 1,
    });
    const { signedUrl } = await reader.request('reqGetData', about(notes, 'car', 'GET', key));
    expect(await (await fetch(signedUrl)).text()).toBe('first archive');
    // The writer is not told of what it wrote.
    expect(writer.events).toHaveLength(1);
  });

  test('[4] over HTTP a repeated bind gives what is new', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const writer = await httpClient(cloud, notes);
    const poller = await httpClient(cloud, notes);
    const poll = () =>
      putJson(
        `${cloud.url}/fp`,
        requestMessage('bindGetMeta', 'zPoll', notes.token, { conn: poller.conn, ...bind(notes) }),
      );
    expect((await poll()).body.meta.metas).toEqual([]);
    const first = await commit(writer, notes, 'one');
    expect((await poll()).body).toMatchObject({ conn: poller.conn, meta: { metas: [first.entry] } });
    expect((await poll()).body.meta.metas).toEqual([]);
  });

  test('a cursor resumes where the client was, on a new connection too', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const first = await commit(await httpClient(cloud, notes), notes, 'one');
    const second = await commit(await httpClient(cloud, notes), notes, 'two');
    const reader = await socketClient(cloud, notes);
    const all = await reader.request('bindGetMeta', bind(notes));
    expect(cidsOf(all)).toEqual([first.entry.cid, second.entry.cid]);
    const again = await socketClient(cloud, notes);
    const rest = await again.request('bindGetMeta', { ...bind(notes), cursor: 1 });
    expect(cidsOf(rest)).toEqual([second.entry.cid]);
    const none = await again.request('bindGetMeta', { ...bind(notes), cursor: all.cursor });
    expect(cidsOf(none)).toEqual([]);
  });

  test('a returning client takes its pair of ids along, and the new entry replaces the old one of the pair alone', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const other = await commit(await httpClient(cloud, notes), notes, 'other');
    const before = await socketClient(cloud, notes);
    await commit(before, notes, 'one');
    before.close();
    const after = await socketClient(cloud, notes, before.conn);
    expect(after.conn).toEqual(before.conn);
    const second = await commit(after, notes, 'two');
    const reader = await httpClient(cloud, notes);
    const event = await reader.request('bindGetMeta', bind(notes));
    expect(cidsOf(event)).toEqual([other.entry.cid, second.entry.cid]);
    expect(event.cursor).toBe(3);
  });

  test('[S4] a put that is repeated changes nothing, also when the writer went on since', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const writer = await httpClient(cloud, notes);
    const first = await commit(writer, notes, 'one');
    const second = await commit(writer, notes, 'two');
    for (const { entry } of [second, first, second, first]) {
      const answer = await writer.request('reqPutMeta', {
        ...about(notes, 'meta', 'PUT'),
        meta: { metas: [entry], keys: [] },
      });
      expect(answer.type).toBe('resPutMeta');
    }
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
    const put = (entry: typeof first.entry) =>
      other.request('reqPutMeta', { ...about(notes, 'meta', 'PUT'), meta: { metas: [entry], keys: [] } });
    await put(first.entry);
    const event = await other.request('bindGetMeta', bind(notes));
    expect(cidsOf(event)).toContain(first.entry.cid);
    expect(event.cursor).toBe(3);
    expect(await put({ ...first.entry, data: 'Mother' })).toMatchObject({ type: 'error', code: 'CONFLICT' });
  });

  test('[R14] a meta is refused while an archive that it names is absent', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const writer = await httpClient(cloud, notes);
    const entry = metaEntry(['baembeiaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa']);
    const put = (meta: object) =>
      writer.request('reqPutMeta', { ...about(notes, 'meta', 'PUT'), meta: { metas: [meta], keys: [] } });
    expect(await put(entry)).toMatchObject({ type: 'error', code: 'MISSING_CARS' });
    const event = await writer.request('bindGetMeta', bind(notes));
    expect(event.meta.metas).toEqual([]);
    // What can't be read is taken as it is: a sealed ledger's entries can't.
    expect(await put({ cid: 'sealed', parents: [], data: 'Mopaque' })).toMatchObject({ type: 'resPutMeta' });
  });

  test('keys belong to the ledger: each event has all of them, sorted, until they are taken out', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const writer = await httpClient(cloud, notes);
    const put = (cid: string, keys: string[]) =>
      writer.request('reqPutMeta', {
        ...about(notes, 'meta', 'PUT'),
        meta: { metas: cid ? [{ cid, parents: [], data: 'x' }] : [], keys },
      });
    await put('c1', ['zB']);
    await put('c2', ['zA', 'zB']);
    await put('', ['zLost']);
    const keys = async () => (await writer.request('bindGetMeta', bind(notes))).meta.keys;
    expect(await keys()).toEqual(['zA', 'zB']);
    await writer.request('reqDelMeta', {
      ...about(notes, 'meta', 'DELETE'),
      meta: { metas: [], keys: ['zB'] },
    });
    expect(await keys()).toEqual(['zA']);
  });

  test('[R6] a key or CID that the tables could not give back as it is, is refused', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const writer = await httpClient(cloud, notes);
    for (const odd of ['z\ud800', 'z\0', '\udc00']) {
      for (const [cid, key] of [
        ['c', odd],
        [odd, 'zKey'],
      ])
        expect(
          await writer.request('reqPutMeta', {
            ...about(notes, 'meta', 'PUT'),
            meta: { metas: [{ cid, parents: [], data: 'x' }], keys: [key] },
          }),
        ).toMatchObject({ type: 'error', code: 'REQUEST_INVALID' });
    }
    expect(await writer.request('bindGetMeta', bind(notes))).toMatchObject({ meta: { metas: [], keys: [] } });
  });

  test('the first put says what kind a ledger is; what belongs to the other kind is refused', async () => {
    const cloud = await testCloud();
    for (const isSealed of [true, false]) {
      const notes = await newLedger(cloud);
      const client = await httpClient(cloud, notes);
      const put = (metas: object[], keys: string[]) =>
        client.request('reqPutMeta', { ...about(notes, 'meta', 'PUT'), meta: { metas, keys } });
      const [sealed, open] = [
        { metas: [{ cid: 's', parents: [], data: 'Sxyz' }], keys: ['S1.abc'] },
        { metas: [{ cid: 'o', parents: [], data: 'xyz' }], keys: ['zKey'] },
      ];
      const [right, wrong] = isSealed ? [sealed, open] : [open, sealed];
      expect((await put(right.metas, right.keys)).type).toBe('resPutMeta');
      for (const [metas, keys] of [
        [wrong.metas, []],
        [[], wrong.keys],
        [right.metas, wrong.keys],
        [wrong.metas, right.keys],
      ] as const)
        expect(await put([...metas], [...keys])).toMatchObject({ type: 'error', code: 'LEDGER_KIND' });
      expect((await put(right.metas, right.keys)).type).toBe('resPutMeta');
      const { kind } = await client.request('bindGetMeta', about(notes, 'meta', 'GET'));
      expect(kind).toBe(isSealed ? 'sealed' : 'open-key');
    }
  });

  test('[S1] who may only read asks to be let into a sealed ledger, and can do no more than that', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const reader = await newMember(cloud, notes, 'read');
    const [ofOwner, ofReader] = [await httpClient(cloud, notes), await httpClient(cloud, reader)];
    const put = (client: Client, keys: string[], metas: object[] = []) =>
      client.request('reqPutMeta', { ...about(notes, 'meta', 'PUT'), meta: { metas, keys } });
    const device = () =>
      `S1.${Buffer.concat([Buffer.from('a2617466646576696365637075625841', 'hex'), randomBytes(65)]).toString('base64url')}`;
    const ownerOf = async (keyText: string) =>
      (await cloud.db.selectFrom('LedgerKeys').select('userId').where('keyText', '=', keyText).execute())[0]
        ?.userId;
    // A ledger is made sealed by who may write.
    const own = device();
    expect(await put(ofReader, [own])).toMatchObject({ code: 'FORBIDDEN' });
    const [first, grant] = [device(), 'S1.grant'];
    expect((await put(ofOwner, [first, grant])).type).toBe('resPutMeta');
    for (const keys of [[own, 'S1.grant2'], ['S1.abc'], ['zKey'], [`${own}A`], []])
      expect(await put(ofReader, keys)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await put(ofReader, [own], [{ cid: 's', parents: [], data: 'Sx' }])).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect((await put(ofReader, [own])).type).toBe('resPutMeta');
    expect((await put(ofReader, [own])).type).toBe('resPutMeta');
    expect(await ownerOf(own)).toBe(reader.userId);
    // The device of somebody else stays his, until he has left.
    expect((await put(ofReader, [first])).type).toBe('resPutMeta');
    expect(await ownerOf(first)).toBe(notes.userId);
    for (let n = 0; n < 19; n += 1) expect((await put(ofReader, [device()])).type).toBe('resPutMeta');
    expect(await put(ofReader, [device()])).toMatchObject({ code: 'LIMIT_REACHED' });
  });

  test('[S1] who may only read gives keys to his own devices and to recovery codes of his own, and takes nobody else’s along', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const reader = await newMember(cloud, notes, 'read');
    const [ofOwner, ofReader] = [await httpClient(cloud, notes), await httpClient(cloud, reader)];
    const put = (client: Client, ...keys: string[]) =>
      client.request('reqPutMeta', { ...about(notes, 'meta', 'PUT'), meta: { metas: [], keys } });
    const head = (length: number) => (length < 256 ? [0x58, length] : [0x59, length >> 8, length & 255]);
    const map = (fields: readonly (readonly [string, Buffer | string])[]) =>
      `S1.${Buffer.concat([
        Buffer.from([0xa0 + fields.length]),
        ...fields.flatMap(([name, value]) => [
          Buffer.from([0x60 + name.length]),
          Buffer.from(name),
          Buffer.from(typeof value === 'string' ? [0x60 + value.length] : head(value.length)),
          Buffer.from(value),
        ]),
      ]).toString('base64url')}`;
    const device = (pub: Buffer) =>
      map([
        ['t', 'device'],
        ['pub', pub],
      ]);
    const grant = (pub: Buffer, locked?: Buffer, boxBytes = 60) =>
      map([
        ['t', 'grant'],
        ['box', randomBytes(boxBytes)],
        ['eph', randomBytes(65)],
        ['key', Buffer.from(randomBytes(24))],
        ['pub', pub],
        ['proof', randomBytes(28)],
        ...(locked === undefined ? [] : ([['locked', locked]] as const)),
      ]);
    const [owners, own, recovery] = [randomBytes(65), randomBytes(65), randomBytes(65)];
    expect((await put(ofOwner, device(owners), grant(owners))).type).toBe('resPutMeta');
    const lock = () => randomBytes(113);
    // A key for a device that is not his, or has not asked; a recovery code under the name of another's device; two keys in one.
    const twice = map([
      ['t', 'grant'],
      ['box', randomBytes(60)],
      ['eph', randomBytes(65)],
      ['key', randomBytes(24)],
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
    expect(await put(ofReader, grant(randomBytes(65), lock(), 9000))).toMatchObject({
      code: 'LIMIT_REACHED',
    });
    const event = await ofOwner.request('bindGetMeta', bind(notes));
    expect(event.meta.keys).toHaveLength(5);
    for (let n = 0; n < 17; n += 1)
      expect((await put(ofReader, grant(randomBytes(65), lock()))).type).toBe('resPutMeta');
    expect(await put(ofReader, grant(randomBytes(65), lock()))).toMatchObject({ code: 'LIMIT_REACHED' });
  });

  test('[S5] a record as long as that of a rotation for 200 devices is kept, told and taken out; no list grows beyond 4 million letters', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const client = await httpClient(cloud, notes);
    const ask = (type: 'reqPutMeta' | 'reqDelMeta', method: string, keys: string[]) =>
      client.request(type, { ...about(notes, 'meta', method), meta: { metas: [], keys } });
    const listed = async (): Promise<string[]> =>
      (await client.request('bindGetMeta', bind(notes))).meta.keys;
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

  test('a ledger that was made of one kind refuses the other from the first put on', async () => {
    const cloud = await testCloud();
    for (const kind of ['sealed', 'open-key'] as const) {
      const notes = await newLedger(cloud);
      await cloud.db.updateTable('Ledgers').set({ kind }).where('ledgerId', '=', notes.ledger).execute();
      const client = await httpClient(cloud, notes);
      expect(await client.request('bindGetMeta', about(notes, 'meta', 'GET'))).toMatchObject({ kind });
      const data = kind === 'sealed' ? 'xyz' : 'Sxyz';
      const meta = {
        metas: [{ cid: 'c', parents: [], data }],
        keys: [kind === 'sealed' ? 'zKey' : 'S1.abc'],
      };
      const fields = { ...about(notes, 'meta', 'PUT'), meta };
      expect(await client.request('reqPutMeta', fields)).toMatchObject({
        type: 'error',
        code: 'LEDGER_KIND',
      });
    }
  });

  test('[S5] records of a sealed ledger that are put without entries reach followers, who hear which of them are of members who are gone', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const member = await newMember(cloud, notes, 'write');
    const follower = await socketClient(cloud, notes);
    await follower.request('bindGetMeta', about(notes, 'meta', 'GET'));
    const putRecord = async (ledger: Ledger, record: string) => {
      const meta = { metas: [], keys: [record] };
      await (await httpClient(cloud, ledger)).request('reqPutMeta', {
        ...about(ledger, 'meta', 'PUT'),
        meta,
      });
    };
    await putRecord(notes, 'S1.own');
    await putRecord(member, 'S1.theirs');
    const lastEvent = () => follower.events.at(-1);
    await expect.poll(() => lastEvent().meta).toEqual({ metas: [], keys: ['S1.own', 'S1.theirs'] });
    expect(lastEvent().removed).toBe(undefined);
    for (const table of ['LedgerUsers', 'TenantUsers'] as const)
      await cloud.db.deleteFrom(table).where('userId', '=', member.userId).execute();
    await expect.poll(() => lastEvent().removed, { timeout: 15_000 }).toEqual(['S1.theirs']);
    // A device that went to another member is his when he says so.
    await putRecord(notes, 'S1.theirs');
    await expect.poll(() => lastEvent().removed, { timeout: 15_000 }).toBe(undefined);
  });
});

describe('refusals', () => {
  test.each([
    ['no type', {}, 'unexpected message'],
    ['unknown type', { type: 'reqBindMeta' }, 'unexpected message'],
    ['chat', { type: 'reqChat' }, 'Not implemented'],
    ['no auth', { type: 'reqGestalt', tid: 'z1' }, 'missing auth'],
    [
      'other auth',
      { type: 'reqGestalt', tid: 'z1', auth: { type: 'ucan' } },
      'Only fp-cloud-jwt is supported',
    ],
  ])('[W1] %s', async (_, body, message) => {
    const cloud = await testCloud();
    expect(await putJson(`${cloud.url}/fp`, body)).toMatchObject({
      status: 500,
      body: { type: 'error', message },
    });
  });

  test('[S15] an error repeats no token and has no conn', async () => {
    const cloud = await testCloud();
    const message = {
      ...requestMessage('reqGetData', 'z1', 'canary.secret.token', {}),
      conn: { reqId: 'a' },
    };
    const { status, body } = await putJson(`${cloud.url}/fp`, message);
    expect(status).toBe(500);
    expect(body).toMatchObject({ type: 'error', tid: 'z1', auth: { type: 'error' } });
    expect(JSON.stringify(body)).not.toContain('canary');
    expect(body).not.toHaveProperty('conn');
  });

  test('[4] a request on a connection that was never opened, or that was closed', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    for (const client of [await httpClient(cloud, notes), await socketClient(cloud, notes)]) {
      const foreign = { ...bind(notes), conn: { reqId: 'never', resId: 'opened' } };
      expect(await client.request('bindGetMeta', foreign)).toMatchObject({
        type: 'error',
        message: 'dispatch missing connection',
      });
      expect(await client.request('reqClose')).toMatchObject({ type: 'resClose' });
      expect(await client.request('bindGetMeta', bind(notes))).toMatchObject({ code: 'NO_CONNECTION' });
    }
  });

  test('[S1] a ledger of somebody else and one that does not exist look the same, for each request', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const own = await newLedger(cloud);
    const meta = { metas: [{ cid: 'x', parents: [], data: 'y' }], keys: ['zSecret'] };
    for (const client of [await httpClient(cloud, own), await socketClient(cloud, own)]) {
      for (const type of [
        'reqPutData',
        'reqGetData',
        'reqDelData',
        'reqPutMeta',
        'bindGetMeta',
        'reqDelMeta',
      ] as const) {
        const ask = async (tenant: string, ledger: string) => {
          const { tid: _, ...rest } = await client.request(type, {
            ...about({ ...notes, tenant, ledger }, 'car', 'PUT', 'baembei'),
            meta,
          });
          return rest;
        };
        const absent = await ask('zNoTenant', 'zNoLedger');
        expect(absent).toMatchObject({ type: 'error', code: 'NOT_FOUND' });
        expect(await ask(notes.tenant, notes.ledger)).toEqual(absent);
        expect(await ask(own.tenant, notes.ledger)).toEqual(absent);
        expect(await ask(notes.tenant, own.ledger)).toEqual(absent);
      }
    }
    const { meta: seen } = await (await httpClient(cloud, notes)).request('bindGetMeta', bind(notes));
    expect(seen).toEqual({ metas: [], keys: [] });
  });

  test('[S1] a token that names a ledger grants nothing that the tables do not, and the other way round', async () => {
    const cloud = await testCloud();
    const [notes, own] = [await newLedger(cloud), await newLedger(cloud)];
    const forged = await mint(cloud.tokens, own.userId, notes.tenant, notes.ledger);
    const stranger = await httpClient(cloud, { ...notes, token: forged });
    expect(await stranger.request('bindGetMeta', bind(notes))).toMatchObject({ code: 'NOT_FOUND' });
    const other = await mint(cloud.tokens, notes.userId, own.tenant, own.ledger);
    const member = await httpClient(cloud, { ...notes, token: other });
    expect(await member.request('bindGetMeta', bind(notes))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('[S1] an identity token is no cloud token, and a cloud token no identity token', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const { status } = await putJson(`${cloud.url}/api`, {
      type: 'reqListTenantsByUser',
      auth: { type: 'fixpoint', token: notes.token },
    });
    expect(status).toBe(401);
  });

  test('[5] stores of other names, and another store than the URL says', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const client = await httpClient(cloud, notes);
    const ask = (store: string, urlStore = store, key = 'k') => {
      const fields = about(notes, store, 'GET', key);
      return client.request('reqGetData', { ...fields, urlParam: { ...fields.urlParam, store: urlStore } });
    };
    expect(await ask('blob')).toMatchObject({ message: 'Invalid FPStoreTypes' });
    expect(await ask('car', 'meta')).toMatchObject({ message: 'store mismatch' });
    expect(await ask('wal')).toMatchObject({ type: 'resGetData' });
    expect(await ask('file')).toMatchObject({ type: 'resGetData' });
  });

  test('a message without a tenant means the ledger that the token selected', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const client = await httpClient(cloud, notes);
    const { tenant: _, ...fields } = about(notes, 'meta', 'GET');
    expect(await client.request('bindGetMeta', fields)).toMatchObject({
      type: 'eventGetMeta',
      tenant: { tenant: notes.tenant, ledger: notes.ledger },
    });
  });
});
