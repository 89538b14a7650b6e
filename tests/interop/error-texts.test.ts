/**
 * Raises each error text of the catalogue as an application would encounter it: by calling a
 * database. Some of the databases are attached to a server that returns wrong answers.
 */
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FixpointError } from '@fixpoint/protocol';
import { fixpoint, type Head, toCloud } from 'fixpoint';
import { fireproof } from 'fixpoint/fireproof';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../packages/cloud/tests/cloud.fixture.ts';

type Asked = { readonly type: string; readonly tid: string; readonly conn?: object };
/**
 * Answer of the server: an object is sent as JSON, a string as it is, and a number as a status.
 * With `undefined`, the server doesn't answer.
 */
type Answers = (asked: Asked, origin: string) => object | string | number | undefined;

const GESTALT = {
  id: 'test',
  storeTypes: ['meta', 'file', 'car', 'wal'],
  encodings: ['JSON'],
  auth: [],
  requiresAuth: true,
  data: { inband: true, outband: true },
  meta: { inband: true, outband: true },
  wal: { inband: true, outband: true },
  reqTypes: [],
  resTypes: [],
  eventTypes: [],
};
const gestalt = (tid: string, capability = 'reqRes') => ({
  type: 'resGestalt',
  tid,
  version: 'FP-MSG-1.0',
  gestalt: { ...GESTALT, protocolCapabilities: [capability], httpEndpoints: ['/fp'], wsEndpoints: ['/ws'] },
});
const opened = (tid: string) => ({
  type: 'resOpen',
  tid,
  version: 'FP-MSG-1.0',
  conn: { reqId: 'req', resId: 'res' },
});

async function serverOf(answers: Answers): Promise<string> {
  const server = createServer((request, response) => void answer(request, response, answers));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answer(request: IncomingMessage, response: ServerResponse, answers: Answers): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString('utf8');
  const isMessage = text !== '' && request.url !== '/object';
  const asked = !isMessage ? { type: `${request.method} ${request.url}`, tid: '' } : JSON.parse(text);
  const said = answers(asked, `http://${request.headers.host}`);
  if (said === undefined) return;
  if (typeof said === 'number') response.writeHead(said).end('no message');
  else response.writeHead(200).end(typeof said === 'string' ? said : JSON.stringify(said));
}

/**
 * Attaches a database to the server. Returns a function that reads the error text of the sync
 * status.
 */
async function failureAt(
  base: string,
  token: string | (() => Promise<string>) = 'token',
  hasWritten = false,
): Promise<() => string | undefined> {
  const db = fixpoint('texts', { directory: await temporaryFolder() });
  if (hasWritten) await db.put({ _id: 'a' });
  const attached = await db.attach(toCloud({ base, tenant: 't', ledger: 'l', token, kind: 'open-key' }));
  onTestFinished(() => db.close());
  return () => attached.status().error?.message;
}

const expectFailure = async (answers: Answers, text: string | RegExp) =>
  expect.poll(await failureAt(await serverOf(answers))).toMatch(text);

describe('transport', () => {
  test('raises fetch error', async () => {
    await expect.poll(await failureAt('http://127.0.0.1:9')).toMatch(/^fetch error/);
  });
  test('raises HTTP Error, with its status', () => expectFailure(() => 503, 'HTTP Error: 503'));
  test('raises decode error', () => expectFailure(() => 'no JSON', /^decode error/));
  test('raises should be ResGestalt', async () => {
    await expectFailure(({ tid }) => opened(tid), 'should be ResGestalt');
    await expectFailure(() => ({ hello: 'world' }), 'should be ResGestalt');
  });
  test('raises Invalid message', () =>
    expectFailure(
      ({ type, tid }) => (type === 'reqGestalt' ? gestalt(tid) : { type: 'nonsense', tid }),
      'Invalid message',
    ));
  test('raises unexpected response', () =>
    expectFailure(({ tid }) => gestalt(tid), 'unexpected response: resGestalt'));
  test('raises TIMEOUT after 3000ms', async () => {
    await expectFailure(() => undefined, 'TIMEOUT after 3000ms');
    expect(new FixpointError('TIMEOUT').message).toBe('Timeout');
  });
  test('raises WS Error', () => expectFailure(({ tid }) => gestalt(tid, 'stream'), /^WS Error/));
  test('raises encode error', async () => {
    const url = await serverOf(({ tid }) => gestalt(tid));
    const token = () => Promise.resolve(1n as unknown as string);
    await expect.poll(await failureAt(url, token)).toMatch(/^encode error/);
  });
  test('raises No connection found', () =>
    expectFailure(
      ({ type, tid }) =>
        type === 'reqGestalt'
          ? gestalt(tid)
          : {
              type: 'error',
              tid,
              version: 'FP-MSG-1.0',
              src: 'test',
              code: 'NO_CONNECTION',
              message: 'No connection found',
            },
      'No connection found',
    ));
  test('raises Connection not open', async () => {
    const url = await serverOf(() => 503);
    const db = fixpoint('texts', { directory: await temporaryFolder() });
    onTestFinished(() => db.close());
    const attached = await db.attach(toCloud({ base: url, tenant: 't', ledger: 'l', token: 'token' }));
    await attached.detach();
    await expect(attached.synced()).rejects.toThrow('Connection not open');
  });
});

/** A meta entry that refers to one archive. */
const ENTRY = {
  cid: 'bafyreibytx46whkw4ckip7kpdj5cpmuu2gcinzosqfjcetia2btsuhtm3q',
  parents: [],
  data: 'MomRkYXRhoWZkYk1ldGFYTnsiY2FycyI6W3siLyI6ImJhZW1iZWlib2JpdWxuM3A3a2szYjdjdGQ2amo3bWcyamN3b3Fmc3l1Z3Nnc2dycW0ydnJ0azJ6a3ppIn1dfWdwYXJlbnRzgA==',
};
const ledgerWith =
  (object: number, metas: readonly object[] = [ENTRY], keys = ['z12drXXUifSrRnXLGbXg8E']): Answers =>
  ({ type, tid, conn }, origin) => {
    const head = { tid, version: 'FP-MSG-1.0', ...(conn && { conn }) };
    const at = { tenant: { tenant: 't', ledger: 'l' } };
    if (type === 'reqGestalt') return gestalt(tid);
    if (type === 'reqOpen') return opened(tid);
    if (type === 'bindGetMeta')
      return {
        ...head,
        ...at,
        type: 'eventGetMeta',
        meta: { metas, keys },
      };
    const signed = { reqGetData: 'resGetData', reqPutData: 'resPutData' }[type];
    return signed === undefined ? object : { ...head, ...at, type: signed, signedUrl: `${origin}/object` };
  };
const emptyLedgerWith = (object: number) => ledgerWith(object, [], []);

describe('gateway', () => {
  test('raises Error in get fetch', () => expectFailure(ledgerWith(500), 'Error in get fetch: status 500'));
  test('raises missing car files', () => expectFailure(ledgerWith(404), /^missing car files/));
  test('raises Error in put fetch', async () => {
    const base = await serverOf(emptyLedgerWith(500));
    await expect.poll(await failureAt(base, 'token', true)).toMatch(/^Error in put fetch: status 500/);
  });

  test('raises authJWK is required', async () => {
    const { toCloud: existing } = await import('fixpoint/fireproof');
    expect(() => existing({ urls: { base: 'fpcloud://host' } })).toThrow('authJWK is required');
    expect(() => existing({ urls: { base: 'fpcloud://host/?authJWK=t&store=car' } })).toThrow(
      'store mismatch',
    );
    expect(() => existing({ urls: { base: 'fpcloud://host/?authJWK=t&store=x' } })).toThrow(
      'Invalid FPStoreTypes',
    );
  });

  test('raises missing keybag', async () => {
    const directory = await temporaryFolder();
    const db = fixpoint('texts', { directory });
    await db.put({ _id: 'a' });
    await db.close();
    await rm(`${directory}/.keys`, { recursive: true });
    await expect(fixpoint('texts', { directory }).get('a')).rejects.toThrow('missing keybag');
  });

  test('raises failed to upsert key', async () => {
    const directory = await temporaryFolder();
    await symlink(`${directory}/nowhere/keys`, `${directory}/.keys`);
    await expect(fixpoint('texts', { directory }).put({ _id: 'a' })).rejects.toThrow('failed to upsert key');
  });

  test('raises missing store key', async () => {
    const directory = await temporaryFolder();
    await mkdir(`${directory}/texts/data`, { recursive: true });
    await mkdir(`${directory}/texts/meta`);
    const archive = 'baembeibobiuln3p7kk3b7ctd6jj7mg2jcwoqfsyugsgsgrqm2vrtk2zkzi';
    await writeFile(`${directory}/texts/meta/main.json`, JSON.stringify([ENTRY]));
    await writeFile(`${directory}/texts/data/${archive}.car`, 'sealed');
    const db = fixpoint('texts', { directory, existing: { keyBag: `file://${directory}/none` } });
    await expect(db.get('a')).rejects.toThrow('missing store key');
  });
});

describe('database and engine', () => {
  const memory = (name: string) => fireproof(name, { storeUrls: { base: 'memory://texts' } });

  test('raises CRDT is not ready, use shellClose and LedgerShell mismatch for handles of one database', async () => {
    const [one, two] = [memory('shells'), memory('shells')];
    await expect(one.ledger.close()).rejects.toThrow('use shellClose');
    await one.close();
    await expect(one.close()).rejects.toThrow('LedgerShell mismatch');
    await expect(one.ready()).rejects.toThrow('CRDT is not ready');
    await two.put({ _id: 'a' });
    await two.destroy();
  });

  test('logs subscriber error and notifies the other subscribers', async () => {
    const reported = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => reported.mockRestore());
    const db = memory('subscribers');
    const heard: string[] = [];
    db.subscribe(() => {
      throw new Error('a bad subscriber');
    });
    db.subscribe(() => void heard.push('well'));
    await db.put({ _id: 'a' });
    await expect.poll(() => heard).toEqual(['well']);
    expect(reported.mock.calls.flat().map(String)).toContain('FixpointError: subscriber error');
    await db.destroy();
  });

  test('raises Not found, Doc id is required, missing name', async () => {
    const db = memory('reads');
    await expect(db.get('a')).rejects.toThrow('Not found');
    await expect(db.get('')).rejects.toThrow('Doc id is required');
    expect(() => memory('')).toThrow('missing name');
    await db.destroy();
  });

  test("raises missing block for a version that isn't stored here", async () => {
    const db = memory('past');
    await db.put({ _id: 'a' });
    const elsewhere = [ENTRY.cid] as unknown as Head;
    await expect(db.fixpoint.at(elsewhere).get('a')).rejects.toThrow('missing block');
    await db.destroy();
  });
});
