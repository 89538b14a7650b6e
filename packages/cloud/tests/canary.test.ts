import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requestMessage } from '@fixpoint/protocol/storage';
import { beforeAll, expect, test } from 'vitest';
import {
  about,
  carKey,
  commit,
  httpClient,
  newLedger,
  putJson,
  putObject,
  rawSocket,
  tablesOf,
  temporaryFolder,
} from './cloud.fixture.ts';
import { build, run } from './process.fixture.ts';

beforeAll(build);

const PASSWORD = 'canary-password-5f1d';
const METRICS = 'canary-metrics-77aa';
const RESULT_ID = 'canaryResultId91c3';

/** Returns everything that the server stores, except the file of its secrets. */
async function keptBy(data: string): Promise<string> {
  const entries = await readdir(data, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'secrets.json');
  const texts = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')));
  return texts.join('\n');
}

test('[S15] keeps secrets that pass through the server out of logs, refusals, metrics and tables', async () => {
  const data = await temporaryFolder();
  const behind = await tablesOf(data);
  const notes = await newLedger(behind);
  await behind.db.destroy();
  const server = run({ PORT: '0', FIXPOINT_DATA: data, LOG_LEVEL: 'debug', METRICS_TOKEN: METRICS });
  const url = await server.ready;
  const refusals: string[] = [];
  const tell = async (body: unknown, path = '/fp') => {
    const answer = await putJson(`${url}${path}`, body);
    refusals.push(JSON.stringify([answer.body, [...answer.headers]]));
  };

  const client = await httpClient({ url }, notes);
  await commit(client, notes, 'one');
  const bytes = new Uint8Array(Buffer.from('two'));
  expect(await putObject(client, notes, carKey(bytes), bytes)).toBe(200);
  const { signedUrl } = await client.request('reqGetData', about(notes, 'car', 'GET', carKey(bytes)));
  const signature = new URL(signedUrl).searchParams.get('s') ?? '';
  const [, claims = '', sign = ''] = notes.token.split('.');

  // Sends the token in every field of a message, in requests that fail for different reasons.
  const { token } = notes;
  const good = requestMessage('reqPutMeta', 'z', token, {
    conn: client.conn,
    ...about(notes, 'meta', 'PUT'),
  });
  for (const odd of [
    { ...good, type: token },
    { ...good, version: token, meta: token },
    { ...good, auth: { type: token } },
    { ...good, auth: { type: 'fp-cloud-jwk', params: { jwk: `${token}x` } } },
    { ...good, tenant: { tenant: token, ledger: token } },
    { ...good, conn: { reqId: token, resId: token } },
    { ...good, urlParam: { key: token }, meta: { metas: [{ cid: 'c', parents: [], data: 1 }], keys: [] } },
    { auth: token },
    [token],
    token,
  ])
    await tell(odd);
  await tell(`{"auth":"${token}`);
  await tell({ type: 'reqListTenantsByUser', auth: { type: 'fixpoint', token } }, '/api');
  await tell({ type: token, auth: { type: token, token } }, '/api');
  // The protocol requires this answer to repeat the id.
  await putJson(`${url}/api`, { type: 'reqTokenByResultId', resultId: RESULT_ID });
  const { ask } = await rawSocket({ url });
  for (const odd of [{ ...good, type: token }, `{"auth":"${token}`])
    refusals.push(JSON.stringify(await ask(odd)));
  for (const address of [
    `${signedUrl}x`,
    signedUrl.replace('m=GET', 'm=PUT'),
    `${url}/${token}`,
    `${url}/fp?${token}`,
  ])
    refusals.push(await (await fetch(address)).text());
  const account = { email: 'canary@example.com', password: PASSWORD, name: 'Canary' };
  for (const path of ['sign-up', 'sign-in']) {
    const response = await fetch(`${url}/auth/${path}/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify(account),
    });
    expect(response.status).toBe(200);
  }
  const wrong = await fetch(`${url}/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ ...account, password: `${PASSWORD}x` }),
  });
  refusals.push(await wrong.text());
  const metrics = await (
    await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS}` } })
  ).text();
  expect(metrics).toContain('fixpoint_gateway_requests_total{type="unknown"');

  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  const places = {
    'the log': server.stderr.join('\n'),
    'its output at the start': server.stdout.join('\n'),
    refusals: refusals.join('\n'),
    metrics,
    'tables and objects': await keptBy(data),
  };
  expect(places['the log']).toContain('ready');
  for (const line of server.stderr)
    expect(JSON.parse(line)).toMatchObject({
      level: expect.any(Number),
      time: expect.any(Number),
      msg: expect.any(String),
    });
  for (const [place, text] of Object.entries(places))
    for (const secret of [token, claims, sign, signature, PASSWORD, METRICS, RESULT_ID])
      expect(text.includes(secret), `${secret.slice(0, 30)} in ${place}`).toBe(false);
});
