/**
 * `npm run chaos`: runs several gateway processes on PostgreSQL, a bucket and a hint bus under
 * load. During the run, the script kills processes, crashes the database, stops the bus, and makes
 * the object store answer 500 and 503. At the end, each acknowledged meta and object must exist,
 * and each reader must have seen each meta once, in order.
 *
 * `chaos.mjs [--seconds 60] [--gateways 3] [--bus nats|postgres] [--ledgers 4] [--writers 8]
 * [--readers 12] [--calm]`
 *
 * With `--calm`, the script causes no failures and measures the throughput.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SERVER } from './bundle-node.mjs';
import { ensureBuilt, ensureInstalled, refuse, requireNode, root } from './ready.mjs';

requireNode();
ensureInstalled();
await ensureBuilt();
// Uses separate services, because this script kills its services during the run.
process.env.FIXPOINT_SERVICES ??= join(tmpdir(), 'fixpoint-chaos-services');

const { BUCKET, services, startServices, stopServices } = await import('./services.mjs');
const { Gateways } = await import('./chaos/gateways.mjs');
const { FaultyStore } = await import('./chaos/faulty-store.mjs');
const { Reader, download, write } = await import('./chaos/clients.mjs');
const { AwsClient } = await import('aws4fetch');
const dist = (path) => import(join(root, 'packages/cloud/dist', path));
const { openTables } = await dist('tables/open-tables.js');
const { loadSecrets } = await dist('secrets.js');
const { createCloudTokens } = await dist('tokens/cloud-tokens.js');

const option = (value) => ({ type: 'string', default: value });
const { values } = parseArgs({
  options: {
    seconds: option('60'),
    gateways: option('3'),
    bus: option('nats'),
    ledgers: option('4'),
    writers: option('8'),
    readers: option('12'),
    calm: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);
const between = (min, max) => min + Math.random() * (max - min);

let gateways;
const data = mkdtempSync(join(tmpdir(), 'fixpoint-chaos-'));
// Stops everything that this script started, even when the script throws.
process.on('exit', () => {
  gateways?.kill();
  stopServices();
  rmSync(data, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

const { env, missing } = await startServices();
if (missing.length > 0)
  refuse(`The scale-out profile needs services that are missing here: ${missing.join('; ')}`);
const [access, secret] = env.FIXPOINT_TEST_S3_KEYS.split(':');
const aws = { AWS_ACCESS_KEY_ID: access, AWS_SECRET_ACCESS_KEY: secret };
const s3 = new AwsClient({
  accessKeyId: access,
  secretAccessKey: secret,
  service: 's3',
  region: 'us-east-1',
});
const bucket = `${BUCKET}-${randomBytes(6).toString('hex')}`;
await s3.fetch(`${env.FIXPOINT_TEST_S3}/${bucket}`, { method: 'PUT' });
const store = new FaultyStore(env.FIXPOINT_TEST_S3);
const endpoint = await store.listen();
gateways = new Gateways(Number(values.gateways), join(root, SERVER), {
  ...process.env,
  ...aws,
  HOST: '127.0.0.1',
  PORT: '0',
  FIXPOINT_DATA: data,
  DATABASE_URL: env.FIXPOINT_TEST_POSTGRES,
  OBJECT_STORE: `s3://${bucket}?endpoint=${endpoint}`,
  HINT_BUS: values.bus === 'nats' ? env.FIXPOINT_TEST_NATS : values.bus,
  LOG_LEVEL: 'silent',
  RATE_PER_USER: '100000',
  RATE_PER_ADDRESS: '100000',
  RATE_OF_SOCKETS: '100000',
});
await gateways.allReady();

const { db } = await openTables(env.FIXPOINT_TEST_POSTGRES, data, () => undefined);
const tokens = await createCloudTokens((await loadSecrets(data)).tokens, () => Date.now());
const newId = () => `z${randomBytes(12).toString('hex')}`;

/** Creates a tenant with a ledger. Returns their ids, and a token of their owner. */
async function newAccount() {
  const [userId, tenantId, ledgerId] = [newId(), newId(), newId()];
  const at = new Date().toISOString();
  const standing = { status: 'active', statusReason: 'chaos', createdAt: at, updatedAt: at };
  const limits = { maxAdminUsers: 5, maxMemberUsers: 5, maxInvites: 10, maxLedgers: 5 };
  const insert = (table, row) =>
    db
      .insertInto(table)
      .values({ ...row, ...standing })
      .execute();
  await insert('Users', { userId, maxTenants: 5 });
  await insert('Tenants', { tenantId, name: 'chaos', ownerUserId: userId, ...limits });
  await insert('TenantUsers', { userId, tenantId, name: null, role: 'admin', default: 1 });
  await insert('Ledgers', { ledgerId, tenantId, ownerId: userId, name: 'chaos', maxShares: 5, metaSeq: 0 });
  const token = await tokens.mint({
    userId,
    email: 'chaos@example.com',
    created: at,
    tenants: [{ id: tenantId, role: 'admin' }],
    ledgers: [{ id: ledgerId, role: 'admin', right: 'write' }],
    selected: { tenant: tenantId, ledger: ledgerId },
  });
  return { tenant: tenantId, ledger: ledgerId, token };
}

const accounts = [];
for (let i = 0; i < Number(values.ledgers); i += 1) accounts.push(await newAccount());
const accountOf = (index) => accounts[index % accounts.length];
const state = { isOver: false, metas: new Map(), objects: new Map() };
const violations = [];
const readers = Array.from(
  { length: Number(values.readers) },
  (_, index) => new Reader(gateways, accountOf(index), state.metas),
);
const writers = Array.from({ length: Number(values.writers) }, (_, index) =>
  write(gateways, accountOf(index), state).catch((cause) => violations.push(String(cause))),
);

const counts = { databaseCrashes: 0, busEnds: 0, storeAway: 0 };
const untilEnd = AbortSignal.timeout(seconds * 1000);
/** Calls `harm` repeatedly until the run ends, with a random pause before each call. */
async function again(minMs, maxMs, harm) {
  while (!untilEnd.aborted) {
    await pause(between(minMs, maxMs), undefined, { signal: untilEnd }).catch(() => undefined);
    if (!untilEnd.aborted && !values.calm) await harm();
  }
}
store.rate = values.calm ? 0 : 0.05;
const started = performance.now();
await Promise.all([
  again(500, 3000, async () => gateways.killOne()),
  again(8000, 16_000, async () => {
    counts.databaseCrashes += 1;
    services.postgres.stop('immediate');
    await pause(between(0, 500));
    await services.postgres.start();
  }),
  again(4000, 10_000, async () => {
    if (values.bus !== 'nats') return;
    counts.busEnds += 1;
    services.nats.stop();
    await pause(between(0, 1500));
    await services.nats.start();
  }),
  again(5000, 10_000, async () => {
    counts.storeAway += 1;
    store.isAway = true;
    await pause(between(300, 2000));
    store.isAway = false;
  }),
]);
store.rate = 0;
state.isOver = true;
await Promise.all(writers);
const elapsed = (performance.now() - started) / 1000;
await gateways.allReady();

const healed = performance.now();
const rowsOf = new Map();
for (const { ledger } of accounts) rowsOf.set(ledger, await numbersOf(ledger));
/** Returns the metas of a ledger in order. Fails if their numbers have a gap. */
async function numbersOf(ledger) {
  const rows = await db
    .selectFrom('Metas')
    .select(['seq', 'cid', 'entry'])
    .where('ledgerId', '=', ledger)
    .orderBy('seq')
    .execute();
  const { metaSeq } = await db
    .selectFrom('Ledgers')
    .select('metaSeq')
    .where('ledgerId', '=', ledger)
    .executeTakeFirstOrThrow();
  if (rows.some(({ seq }, index) => seq !== index + 1) || metaSeq !== rows.length)
    violations.push(`${ledger}: the numbers of metas have gaps`);
  return rows;
}
for (const reader of readers) {
  const wanted = rowsOf.get(reader.account.ledger).map(({ cid }) => cid);
  for (let i = 0; i < 3000 && reader.cids.length < wanted.length; i += 1) await pause(100);
  const isSame = reader.cids.length === wanted.length && wanted.every((cid, i) => reader.cids[i] === cid);
  if (!isSame)
    violations.push(`a reader saw ${reader.cids.length} metas instead of the ${wanted.length} expected ones`);
}
const caughtUp = (performance.now() - healed) / 1000;
const stored = new Set([...rowsOf.values()].flat().map(({ cid }) => cid));
for (const cid of state.metas.keys()) if (!stored.has(cid)) violations.push(`lost meta ${cid}`);

/**
 * The archives that metas refer to. Each of them must have been uploaded, and each acknowledged
 * object must still have its bytes.
 */
const named = [...rowsOf.values()].flat().map(({ entry }) => {
  const block = Buffer.from(JSON.parse(entry).data.slice(1), 'base64').toString('latin1');
  return /"\/":"([a-z2-7]+)"/.exec(block)?.[1];
});
for (const key of named)
  if (!state.objects.has(key)) violations.push(`a meta names ${key}, which nobody uploaded`);
const keys = [...state.objects.keys()];
await Promise.all(
  Array.from({ length: 8 }, async () => {
    for (let key = keys.pop(); key !== undefined; key = keys.pop()) {
      const object = state.objects.get(key);
      if ((await download(gateways, object, key)) !== object.hash) violations.push(`lost object ${key}`);
    }
  }),
);

if (gateways.ended > 0) violations.push(`${gateways.ended} gateways ended by themselves`);
const delays = readers.flatMap((reader) => reader.delays);
const durations = [...state.metas.values()].map(({ took }) => took);
const quantile = (numbers, q) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  return `${Math.round(sorted[Math.floor(sorted.length * q)] ?? 0)} ms`;
};
const report = {
  seconds: Math.round(elapsed),
  bus: values.bus,
  gateways: Number(values.gateways),
  acknowledgedMetas: state.metas.size,
  acknowledgedObjects: state.objects.size,
  metasPerSecond: Math.round(state.metas.size / elapsed),
  eventsDelivered: delays.length,
  reconnects: readers.reduce((sum, { connects }) => sum + connects - 1, 0),
  gatewaysKilled: gateways.kills,
  refusedStarts: gateways.refusedStarts,
  ...counts,
  storeFaults: store.faults,
  commitP50: quantile(durations, 0.5),
  commitP99: quantile(durations, 0.99),
  deliveryP50: quantile(delays, 0.5),
  deliveryP99: quantile(delays, 0.99),
  caughtUpAfterSeconds: Number(caughtUp.toFixed(1)),
  violations: violations.length,
};
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
for (const violation of violations.slice(0, 20)) process.stdout.write(`${violation}\n`);
process.exit(violations.length === 0 ? 0 : 1);
