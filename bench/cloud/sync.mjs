/** W11: syncs databases through a server with the real gateway. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixpoint, toCloud } from 'fixpoint';
import { documentOf } from '../documents.mjs';

const now = () => performance.now();

async function replica(server, name, base) {
  const db = fixpoint(name, { directory: join(base, name) });
  const { url, tenant, ledger, token } = server;
  const attached = await db.attach(toCloud({ base: url, tenant, ledger, token }));
  return { db, attached };
}

async function leave(replicas) {
  for (const { db, attached } of replicas) {
    await attached.detach();
    await db.close();
  }
}

/** Calls `isDone` now and after each change of a database, until it resolves to true. */
function until(databases, isDone) {
  return new Promise((resolve, reject) => {
    const look = () =>
      isDone().then((done) => {
        if (!done) return;
        for (const stop of stops) stop();
        resolve();
      }, reject);
    const stops = databases.map((db) => db.subscribe(look));
    look();
  });
}

const headText = async (db) => (await db.head()).join();

/** Resolves when all databases have the same head. */
export const meeting = (databases) =>
  until(databases, async () => new Set(await Promise.all(databases.map(headText))).size === 1);

/** Resolves when the database has the head. */
const arrivalOf = (db, head) => until([db], async () => (await headText(db)) === head.join());

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Measures how much slower rounds get. In each round, both databases write at the same time; the
 * round ends when both have the same head.
 */
async function crissCross(server, base, turns) {
  const both = await Promise.all([replica(server, 'left', base), replica(server, 'right', base)]);
  const [left, right] = both.map(({ db }) => db);
  const times = [];
  for (let turn = 0; turn < turns; turn++) {
    const started = now();
    await Promise.all([left.put(documentOf(turn, 1)), right.put(documentOf(turn + turns, 1))]);
    await meeting([left, right]);
    times.push(now() - started);
  }
  await leave(both);
  const tenth = Math.max(1, Math.floor(turns / 10));
  return {
    p50: [...times].sort((x, y) => x - y)[turns >> 1],
    slower: mean(times.slice(-tenth)) / mean(times.slice(0, tenth)),
  };
}

/**
 * Attaches databases that wrote different documents at the same time to a new ledger. Returns the
 * seconds until all have the same head.
 */
async function meetingOf({ databases, documents }, { url, newLedger }, base) {
  const alone = Array.from({ length: databases }, (_, n) =>
    fixpoint(`apart-${n}`, { directory: join(base, `apart-${n}`) }),
  );
  for (const [n, db] of alone.entries())
    await db.bulk(Array.from({ length: documents }, (_, at) => documentOf(n * documents + at)));
  const { tenant, ledger, token } = await newLedger();
  const started = now();
  const all = await Promise.all(
    alone.map(async (db) => ({
      db,
      attached: await db.attach(toCloud({ base: url, tenant, ledger, token })),
    })),
  );
  await meeting(alone);
  const seconds = (now() - started) / 1000;
  await leave(all);
  return seconds;
}

export async function measureMeetings(server, { turns, apart }) {
  const base = mkdtempSync(join(tmpdir(), 'fixpoint-bench-meetings-'));
  const { p50, slower } = await crissCross(server, base, turns);
  const rows = [
    {
      id: 'W11',
      what: 'two clients write at once, until both have both documents, p50',
      value: p50,
      unit: 'ms',
    },
    {
      id: 'W11',
      what: `last tenth of ${turns} such rounds relative to the first`,
      value: slower,
      unit: 'times',
    },
  ];
  for (const one of apart)
    rows.push({
      id: 'W11',
      what: `${one.databases} databases that wrote ${one.documents} documents each apart, until all have all`,
      value: await meetingOf(one, server, mkdtempSync(join(base, 'apart-'))),
      unit: 's',
    });
  rmSync(base, { recursive: true, force: true });
  return rows;
}

export async function measureSync(server, { documents, changes }) {
  const base = mkdtempSync(join(tmpdir(), 'fixpoint-bench-sync-'));
  const [a, b] = await Promise.all([replica(server, 'a', base), replica(server, 'b', base)]);
  const cpuBefore = { server: server.cpuSeconds(), client: process.cpuUsage() };
  const started = now();
  for (let from = 0; from < documents; from += 1000)
    await a.db.bulk(Array.from({ length: 1000 }, (_, n) => documentOf(from + n)));
  await arrivalOf(b.db, await a.db.head());
  const bulkMs = now() - started;
  const { user, system } = process.cpuUsage(cpuBefore.client);
  const cpu = { server: server.cpuSeconds() - cpuBefore.server, clients: (user + system) / 1e6 };
  const times = [];
  for (let n = 0; n < changes; n++) {
    const sent = now();
    await a.db.put(documentOf(n, n + 1));
    await arrivalOf(b.db, await a.db.head());
    times.push(now() - sent);
  }
  times.sort((x, y) => x - y);
  await leave([a, b]);
  rmSync(base, { recursive: true, force: true });
  const perDocument = (seconds) => (seconds * 1e6) / documents;
  return [
    { id: 'W11', what: `${documents} documents from client to client`, value: bulkMs / 1000, unit: 's' },
    { id: 'W11', what: 'processor time per document, server', value: perDocument(cpu.server), unit: 'µs' },
    {
      id: 'W11',
      what: 'processor time per document, both clients',
      value: perDocument(cpu.clients),
      unit: 'µs',
    },
    { id: 'W11', what: 'one change from client to client, p50', value: times[changes >> 1], unit: 'ms' },
    {
      id: 'W11',
      what: 'one change from client to client, p99',
      value: times[Math.floor(changes * 0.99)],
      unit: 'ms',
    },
  ];
}
