import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requestMessage, type StorageRequest } from '@fixpoint/protocol/storage';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { createPresence } from '../src/gateway/content/presence.ts';
import { createListings } from '../src/gateway/following/listings.ts';
import { type CloudConfig, defaultConfig, startCloud } from '../src/index.ts';
import type { BucketConfig } from '../src/objects/bucket.ts';
import type { ObjectStore } from '../src/objects/object-store.ts';
import { newBucket, S3 } from '../src/objects/s3.fixture.ts';
import { loadSecrets } from '../src/secrets.ts';
import type { Db } from '../src/tables/connection.ts';
import { newId } from '../src/tables/new-row.ts';
import { openTables } from '../src/tables/open-tables.ts';
import { testDatabaseKind, testDatabaseUrl } from '../src/tables/postgres.fixture.ts';
import { type CloudTokens, createCloudTokens } from '../src/tokens/cloud-tokens.ts';

export interface TestCloud {
  readonly url: string;
  readonly ownUrl: string;
  readonly data: string;
  /** The tables of the server, for arranging a test. */
  readonly db: Db;
  readonly tokens: CloudTokens;
  stop(): Promise<void>;
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-cloud-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Starts a server for one test. */
export async function testCloud(overrides: Partial<CloudConfig> = {}): Promise<TestCloud> {
  const data = overrides.data ?? (await temporaryFolder());
  const databaseUrl = 'databaseUrl' in overrides ? overrides.databaseUrl : await testDatabaseUrl(data);
  const config = { ...defaultConfig(data), ...(await sharedStores()), ...overrides, databaseUrl };
  const cloud = await startCloud(config);
  const behind = await tablesOf(data, databaseUrl);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= cloud.stop().then(() => behind.db.destroy());
    return stopped;
  };
  onTestFinished(stop);
  return { url: cloud.url, ownUrl: cloud.ownUrl, data: config.data, ...behind, stop };
}

let bucket: Promise<BucketConfig> | undefined;

/**
 * Returns the bucket and the bus that processes share, if this machine has them. Only tests with
 * PostgreSQL use them.
 */
async function sharedStores(): Promise<Pick<CloudConfig, 'bucket' | 'bus'>> {
  if (testDatabaseKind === 'sqlite') return { bucket: undefined, bus: { kind: 'local' } };
  if (S3 !== undefined) bucket ??= newBucket();
  const nats = process.env['FIXPOINT_TEST_NATS'];
  return {
    bucket: await bucket,
    bus: nats === undefined ? { kind: 'local' } : { kind: 'nats', urls: [nats] },
  };
}

export async function tablesOf(data: string, databaseUrl?: string): Promise<{ db: Db; tokens: CloudTokens }> {
  const secrets = await loadSecrets(data);
  const { db } = await openTables(databaseUrl, data, () => undefined);
  return { db, tokens: await createCloudTokens(secrets.tokens, () => Date.now()) };
}

/** Creates the parts of a gateway that depend on its tables and its store. */
export function careOf<T extends Pick<ObjectStore, 'has'>>(db: Db, objects: T, now: () => number) {
  const presence = createPresence(objects, now);
  const bus = { publish: () => undefined };
  const listings = createListings({ db, presence, presenceMs: 0, bus, now, report: () => undefined });
  return { objects, presence, listings };
}

type Json = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: tests check the fields that they read
type Answer = any;

export const putJson = async (url: string, body: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(url, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer };
};

type Behind = Pick<TestCloud, 'db' | 'tokens'>;
const at = new Date(0).toISOString();
const dates = { createdAt: at, updatedAt: at };
const standing = { status: 'active', statusReason: 'test', ...dates };

export interface Ledger {
  readonly tenant: string;
  readonly ledger: string;
  readonly userId: string;
  /** A cloud token for the ledger. */
  readonly token: string;
}

/** Creates a ledger in a new tenant, with a new user as the tenant's admin. */
export async function newLedger({ db, tokens }: Behind): Promise<Ledger> {
  const [userId, tenantId, ledgerId] = [newId(), newId(), newId()];
  await db
    .insertInto('Users')
    .values({ userId, maxTenants: 5, ...standing })
    .execute();
  await db
    .insertInto('Tenants')
    .values({
      tenantId,
      name: 'test',
      ownerUserId: userId,
      maxAdminUsers: 5,
      maxMemberUsers: 5,
      maxInvites: 10,
      maxLedgers: 5,
      ...standing,
    })
    .execute();
  await db
    .insertInto('TenantUsers')
    .values({ userId, tenantId, name: null, role: 'admin', default: 1, ...standing })
    .execute();
  await db
    .insertInto('Ledgers')
    .values({ ledgerId, tenantId, ownerId: userId, name: 'notes', maxShares: 5, metaSeq: 0, ...standing })
    .execute();
  return {
    tenant: tenantId,
    ledger: ledgerId,
    userId,
    token: await mint(tokens, userId, tenantId, ledgerId),
  };
}

/** Adds another user, who may read or write the ledger. */
export async function newMember(
  { db, tokens }: Behind,
  { tenant, ledger }: Ledger,
  right: 'read' | 'write',
): Promise<Ledger> {
  const userId = newId();
  await db
    .insertInto('Users')
    .values({ userId, maxTenants: 5, ...standing })
    .execute();
  await db
    .insertInto('TenantUsers')
    .values({ userId, tenantId: tenant, name: null, role: 'member', default: 0, ...standing })
    .execute();
  await db
    .insertInto('LedgerUsers')
    .values({ ledgerId: ledger, userId, role: 'member', right, default: 0, name: null, ...standing })
    .execute();
  return { tenant, ledger, userId, token: await mint(tokens, userId, tenant, ledger) };
}

/** Creates a cloud token of a user for a ledger, whatever rights the tables contain. */
export const mint = (
  tokens: CloudTokens,
  userId: string,
  tenant: string,
  ledger: string,
  right: 'read' | 'write' = 'write',
) =>
  tokens.mint({
    userId,
    email: 'somebody@example.com',
    created: at,
    tenants: [{ id: tenant, role: 'member' }],
    ledgers: [{ id: ledger, role: 'member', right }],
    selected: { tenant, ledger },
  });

const newTid = () => `z${randomBytes(6).toString('hex')}`;
export interface Client {
  readonly conn: { readonly reqId: string; readonly resId: string };
  request(type: StorageRequest['type'], fields?: Json): Promise<Answer>;
}

/** Fields of a message about a ledger, as clients send them. */
export const about = ({ tenant, ledger }: Ledger, store: string, method: string, key = 'main') => ({
  tenant: { tenant, ledger },
  methodParam: { method, store },
  urlParam: { key, store, tenant, ledger, name: 'toCloud' },
});

/** Fields of a request for the metas of a ledger. */
export const bind = (ledger: Ledger) => about(ledger, 'meta', 'GET');

/** Returns a client that talks to the gateway over HTTP, with an open connection. */
export async function httpClient(cloud: { url: string }, { token }: Ledger): Promise<Client> {
  const send = async (type: StorageRequest['type'], fields: Json) =>
    (await putJson(`${cloud.url}/fp`, requestMessage(type, newTid(), token, fields))).body;
  const { conn } = await send('reqOpen', { conn: { reqId: newTid() } });
  return { conn, request: (type, fields = {}) => send(type, { conn, ...fields }) };
}

export interface SocketClient extends Client {
  readonly socket: WebSocket;
  /** The events received, including the first event, which answers the request to follow. */
  readonly events: Answer[];
  readonly closed: Promise<{ code: number; reason: string }>;
  send(message: unknown): void;
  close(): void;
}

/**
 * Returns a client that talks to the gateway over a websocket, in binary frames as existing clients
 * do.
 */
export async function socketClient(
  cloud: { url: string },
  { token }: { token: string },
  options: { reqId?: string; resId?: string; origin?: string } = {},
): Promise<SocketClient> {
  const { reqId = newTid(), resId, origin } = options;
  const socket = new WebSocket(`${cloud.url.replace('http', 'ws')}/ws?random=x`, origin ? { origin } : {});
  const waiting = new Map<string, (message: Answer) => void>();
  const events: Answer[] = [];
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    if (message.type === 'eventGetMeta') events.push(message);
    waiting.get(message.tid)?.(message);
    waiting.delete(message.tid);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once('close', (code, reason) => {
      for (const give of waiting.values()) give({ type: 'closed', code });
      resolve({ code, reason: String(reason) });
    }),
  );
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  onTestFinished(() => socket.terminate());
  const send = (type: StorageRequest['type'], fields: Json) =>
    new Promise<Answer>((resolve) => {
      const tid = newTid();
      waiting.set(tid, resolve);
      socket.send(Buffer.from(JSON.stringify(requestMessage(type, tid, token, fields))));
    });
  const { conn } = await send('reqOpen', { conn: { reqId, ...(resId && { resId }) } });
  return {
    conn,
    socket,
    events,
    closed,
    request: (type, fields = {}) => send(type, { conn, ...fields }),
    send: (message) => socket.send(JSON.stringify(message)),
    close: () => socket.close(),
  };
}

/** Opens a websocket that can send anything, one message after another. */
export async function rawSocket(cloud: { url: string }) {
  const socket = new WebSocket(`${cloud.url.replace('http', 'ws')}/ws?random=x`);
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  onTestFinished(() => socket.terminate());
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  const ask = (message: unknown) =>
    new Promise<Answer>((resolve, reject) => {
      const take = (data: unknown) => {
        const message = JSON.parse(String(data));
        // Events of presence arrive at any time, and answer nothing.
        if (message.type === 'eventPresence') return;
        socket.off('message', take);
        resolve(message);
      };
      socket.on('message', take);
      void closed.then((code) => reject(new Error(`closed with ${code}`)));
      const isFrame = typeof message === 'string' || Buffer.isBuffer(message);
      socket.send(isFrame ? message : JSON.stringify(message));
    });
  return { socket, closed, ask };
}

/** Uploads an object by a signed URL. Returns the status. */
export async function putObject(client: Client, ledger: Ledger, key: string, bytes: Uint8Array<ArrayBuffer>) {
  const { signedUrl } = await client.request('reqPutData', about(ledger, 'car', 'PUT', key));
  return (await fetch(signedUrl, { method: 'PUT', body: bytes })).status;
}

/** Returns the name of an archive, as clients compute it. */
export const carKey = (bytes: Uint8Array): string => cidText(0x18, bytes);

/** Returns an entry as clients of open-key ledgers write it. */
export function metaEntry(
  cars: readonly string[],
  salt = '',
): { cid: string; parents: string[]; data: string } {
  const dbMeta = Buffer.from(
    JSON.stringify({ cars: cars.map((cid) => ({ '/': cid })), ...(salt && { salt }) }),
  );
  const block = Buffer.concat([
    Buffer.from([0xa2, 0x64]),
    Buffer.from('data'),
    Buffer.from([0xa1, 0x66]),
    Buffer.from('dbMeta'),
    Buffer.from(
      dbMeta.length < 256 ? [0x58, dbMeta.length] : [0x59, dbMeta.length >> 8, dbMeta.length & 255],
    ),
    dbMeta,
    Buffer.from([0x67]),
    Buffer.from('parents'),
    Buffer.from([0x80]),
  ]);
  return { cid: cidText(0x71, block), parents: [], data: `M${block.toString('base64')}` };
}

/** Returns an entry in the format of sealed ledgers, with content that no client could decrypt. */
export function sealedEntry(text: string): { cid: string; parents: string[]; data: string } {
  const bytes = Buffer.concat([Buffer.from([0x53, 1]), Buffer.alloc(76), Buffer.from(text)]);
  return { cid: cidText(0x55, bytes), parents: [], data: `S${bytes.toString('base64')}` };
}

/** Uploads an archive of this text, and returns an entry that refers to the archive. */
export async function openEntry(client: Client, ledger: Ledger, text: string) {
  const bytes = new Uint8Array(Buffer.from(text));
  const status = await putObject(client, ledger, carKey(bytes), bytes);
  if (status !== 200) throw new Error(`upload: ${status}`);
  return metaEntry([carKey(bytes)]);
}

export function cidText(codec: number, bytes: Uint8Array): string {
  const cid = Buffer.concat([
    Buffer.from([1, codec, 0x12, 0x20]),
    createHash('sha256').update(bytes).digest(),
  ]);
  const bits = [...cid].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = bits.match(/.{1,5}/g) ?? [];
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
  return `b${letters.map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')}`;
}

/** Sends entries and keys to the gateway as they are, and returns the answer. */
export const putMetas = (
  client: Client,
  ledger: Ledger,
  metas: readonly object[],
  keys: readonly string[] = [],
): Promise<Answer> =>
  client.request('reqPutMeta', { ...about(ledger, 'meta', 'PUT'), meta: { metas, keys } });

export const cidsOf = ({ meta }: { meta: { metas: { cid: string }[] } }): string[] =>
  meta.metas.map(({ cid }) => cid);

/** Uploads one archive, and puts an entry that refers to the archive. */
export async function commit(client: Client, ledger: Ledger, text: string) {
  const bytes = new Uint8Array(Buffer.from(text));
  const key = carKey(bytes);
  const status = await putObject(client, ledger, key, bytes);
  if (status !== 200) throw new Error(`upload: ${status}`);
  const entry = metaEntry([key]);
  return { key, entry, answer: await putMetas(client, ledger, [entry], ['zKey']) };
}
