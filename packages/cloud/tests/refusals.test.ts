/** Tests refusals of the gateway, with the texts that existing clients know. */
import { requestMessage } from '@fixpoint/protocol/storage';
import { expect, test } from 'vitest';
import {
  about,
  bind,
  httpClient,
  mint,
  newLedger,
  putJson,
  socketClient,
  testCloud,
} from './cloud.fixture.ts';

test.each([
  ['unknown type', { type: 'reqBindMeta' }, 'unexpected message'],
  ['no auth', { type: 'reqGestalt', tid: 'z1' }, 'missing auth'],
  ['other auth', { type: 'reqGestalt', tid: 'z1', auth: { type: 'ucan' } }, 'Only fp-cloud-jwk is supported'],
])('[W1] answers %s with the status and text that existing clients know', async (_, body, message) => {
  const cloud = await testCloud();
  expect(await putJson(`${cloud.url}/fp`, body)).toMatchObject({
    status: 500,
    body: { type: 'error', message },
  });
});

test.each([
  ['null', null, undefined, 'the message must be an object'],
  ['a list', [], undefined, 'the message must be an object'],
  ['a text', 'reqOpen', undefined, 'the message must be an object'],
  ['no type', {}, 'type', 'type is required'],
  ['a type that is not text', { type: 7 }, 'type', 'type must be a string'],
  [
    'an auth that is not an object',
    { type: 'reqGestalt', tid: 'z', auth: [] },
    'auth',
    'auth must be an object',
  ],
])('[S7] answers %s with status 400, and names the field if one is wrong', async (_, body, path, why) => {
  const cloud = await testCloud();
  const answer = await putJson(`${cloud.url}/fp`, JSON.stringify(body));
  expect(answer).toMatchObject({
    status: 400,
    body: { type: 'error', code: 'REQUEST_INVALID', message: `request is not valid: ${why}` },
  });
  expect(answer.body.path).toBe(path);
});

test('answers a request that this server does not support with a client error', async () => {
  const cloud = await testCloud();
  expect(await putJson(`${cloud.url}/fp`, { type: 'reqChat' })).toMatchObject({
    status: 400,
    body: { code: 'NOT_IMPLEMENTED', message: 'Not implemented' },
  });
});

test('[S15] repeats no token in an error, and adds no `conn`', async () => {
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

test('[W1] rejects reqOpen without an id of the client', async () => {
  const cloud = await testCloud();
  const { token } = await newLedger(cloud);
  for (const fields of [{}, { conn: {} }])
    expect(await putJson(`${cloud.url}/fp`, requestMessage('reqOpen', 'z1', token, fields))).toMatchObject({
      status: 500,
      body: { type: 'error', tid: 'z1', message: 'unexpected message' },
    });
});

test('[4] rejects a request on a connection that was never opened, or that was closed', async () => {
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

test("[S1] gives the same answer for another user's ledger and for one that doesn't exist", async () => {
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
        // Each message has ids of its own.
        const {
          tid: _,
          requestId: _id,
          ...rest
        } = await client.request(type, {
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

test('[S1] grants only rights that both the token and the tables grant', async () => {
  const cloud = await testCloud();
  const [notes, own] = [await newLedger(cloud), await newLedger(cloud)];
  const forged = await mint(cloud.tokens, own.userId, notes.tenant, notes.ledger);
  const stranger = await httpClient(cloud, { ...notes, token: forged });
  expect(await stranger.request('bindGetMeta', bind(notes))).toMatchObject({ code: 'NOT_FOUND' });
  const other = await mint(cloud.tokens, notes.userId, own.tenant, own.ledger);
  const member = await httpClient(cloud, { ...notes, token: other });
  expect(await member.request('bindGetMeta', bind(notes))).toMatchObject({ code: 'NOT_FOUND' });
});

test('[S1] accepts no identity token as a cloud token, and no cloud token as an identity token', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const { status } = await putJson(`${cloud.url}/api`, {
    type: 'reqListTenantsByUser',
    auth: { type: 'fixpoint', token: notes.token },
  });
  expect(status).toBe(401);
});

test('[5.9] rejects an unknown store, and a store that differs from the one in urlParam', async () => {
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
