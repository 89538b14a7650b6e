/** Tests that each request has an id, and that each log line it causes contains that id. */
import { requestMessage } from '@fixpoint/protocol/storage';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { bind, newLedger, putJson, tablesOf, temporaryFolder, testCloud } from './cloud.fixture.ts';
import { build, run } from './process.fixture.ts';

beforeAll(build);

interface Line {
  readonly msg: string;
  readonly requestId?: string;
  readonly route?: string;
  readonly code?: string;
  readonly err?: { readonly message: string };
}

/** Starts a server as a process, because its log goes to stderr. */
async function started(env: Record<string, string> = {}) {
  const data = await temporaryFolder();
  const behind = await tablesOf(data);
  const notes = await newLedger(behind);
  await behind.db.destroy();
  const server = run({ PORT: '0', FIXPOINT_DATA: data, LOG_LEVEL: 'debug', ...env });
  const url = await server.ready;
  const lines = () => server.stderr.map((line) => JSON.parse(line) as Line);
  return { url, notes, lines, data };
}

const idIn = ({ headers }: { readonly headers: Headers }) => headers.get('x-request-id') ?? '';

describe('the id of a request', () => {
  test('is in the answer and in each line of the log that the request causes', async () => {
    const { url, lines } = await started();
    const refused = await putJson(`${url}/api`, {
      type: 'reqListTenantsByUser',
      auth: { type: 'x', token: 'y' },
    });
    const page = await fetch(`${url}/healthz`);
    expect(idIn(refused)).toMatch(/^[\da-f-]{36}$/);
    expect(idIn(page)).not.toBe(idIn(refused));
    await expect
      .poll(() => lines().filter(({ requestId }) => requestId === idIn(refused)))
      .toEqual([
        expect.objectContaining({ msg: 'security', event: 'admin refused', code: 'NOT_SIGNED_IN' }),
        expect.objectContaining({ msg: 'answered', method: 'PUT', route: '/api', status: 401 }),
      ]);
    await expect
      .poll(() => lines().find(({ requestId }) => requestId === idIn(page)))
      .toMatchObject({ msg: 'answered', route: '/healthz', status: 200 });
    expect(lines().filter(({ msg }) => msg === 'ready')[0]).not.toHaveProperty('requestId');
  });

  test('comes from a trusted proxy, if it is well-formed', async () => {
    const { url } = await testCloud({ proxyHops: 1 });
    const ask = async (id: string) =>
      idIn(
        await fetch(`${url}/healthz`, { headers: { 'x-request-id': id, 'x-forwarded-for': '192.0.2.1' } }),
      );
    expect(await ask('7f3c-proxy.1')).toBe('7f3c-proxy.1');
    expect(await ask('two words')).toMatch(/^[\da-f-]{36}$/);
    const message = await putJson(
      `${url}/fp`,
      { type: 'made up', tid: 'z' },
      { 'x-request-id': 'of-a-message', 'x-forwarded-for': '192.0.2.1' },
    );
    expect(idIn(message)).toBe('of-a-message');
  });

  test('[S1] is never chosen by a client without a proxy', async () => {
    const { url } = await testCloud();
    const answer = await fetch(`${url}/healthz`, { headers: { 'x-request-id': 'chosen' } });
    expect(idIn(answer)).toMatch(/^[\da-f-]{36}$/);
  });

  test('can be read by pages of other origins', async () => {
    const { url } = await testCloud();
    const answer = await putJson(`${url}/fp`, { type: 'x' }, { origin: 'https://app.example' });
    expect(answer.headers.get('access-control-expose-headers')).toBe('X-Request-Id');
  });
});

describe('a message on a websocket', () => {
  test('has an id that begins with that of its socket, in its error and in the log', async () => {
    const { url, notes, lines, data } = await started();
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
    onTestFinished(() => socket.terminate());
    const opened = new Promise((done) => socket.once('open', done));
    const id = await new Promise<string>((done) =>
      socket.once('upgrade', ({ headers }) => done(String(headers['x-request-id']))),
    );
    expect(id).toMatch(/^[\da-f-]{36}$/);
    const ask = (message: object) =>
      new Promise<Record<string, unknown>>((done) => {
        socket.once('message', (text) => done(JSON.parse(String(text))));
        socket.send(JSON.stringify(message));
      });
    await opened;
    const gestalt = await ask(requestMessage('reqGestalt', 'z1', notes.token, {}));
    expect(gestalt).toMatchObject({ type: 'resGestalt' });
    expect(gestalt).not.toHaveProperty('requestId');
    expect(await ask({ type: 'made up', tid: 'z' })).toMatchObject({ type: 'error', requestId: `${id}.2` });
    const { conn } = await ask(requestMessage('reqOpen', 'z3', notes.token, { conn: { reqId: 'q' } }));
    const { db } = await tablesOf(data);
    await db.schema.dropTable('Metas').execute();
    await db.destroy();
    const failed = await ask(requestMessage('bindGetMeta', 'z4', notes.token, { conn, ...bind(notes) }));
    expect(failed).toMatchObject({ type: 'error', message: 'internal error', requestId: `${id}.4` });
    await expect
      .poll(() => lines().find(({ requestId }) => requestId === `${id}.4`))
      .toMatchObject({ msg: 'request failed', err: { message: expect.stringContaining('Metas') } });
  });

  test('has an id in a refused upgrade', async () => {
    const { url } = await testCloud();
    const socket = new WebSocket(`${url.replace('http', 'ws')}/nowhere`);
    socket.on('error', () => undefined);
    const id = await new Promise((done) =>
      socket.once('unexpected-response', (_, { headers }) => done(headers['x-request-id'])),
    );
    socket.terminate();
    expect(id).toMatch(/^[\da-f-]{36}$/);
  });
});
