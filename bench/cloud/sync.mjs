/** W11: two databases and a server, each change through the real gateway. */
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

/** Resolves when the database shows the head. */
function arrivalOf(db, head) {
  return new Promise((resolve) => {
    const look = () => {
      if (db.head.join() !== head.join()) return false;
      stop();
      resolve();
      return true;
    };
    const stop = db.subscribe(look);
    look();
  });
}

export async function measureSync(server, { documents, changes }) {
  const base = mkdtempSync(join(tmpdir(), 'fixpoint-bench-sync-'));
  const [a, b] = await Promise.all([replica(server, 'a', base), replica(server, 'b', base)]);
  const cpuBefore = { server: server.cpuSeconds(), client: process.cpuUsage() };
  const started = now();
  for (let from = 0; from < documents; from += 1000)
    await a.db.bulk(Array.from({ length: 1000 }, (_, n) => documentOf(from + n)));
  await arrivalOf(b.db, a.db.head);
  const bulkMs = now() - started;
  const { user, system } = process.cpuUsage(cpuBefore.client);
  const cpu = { server: server.cpuSeconds() - cpuBefore.server, clients: (user + system) / 1e6 };
  const times = [];
  for (let n = 0; n < changes; n++) {
    const sent = now();
    await a.db.put(documentOf(n, n + 1));
    await arrivalOf(b.db, a.db.head);
    times.push(now() - sent);
  }
  times.sort((x, y) => x - y);
  for (const { db, attached } of [a, b]) {
    await attached.detach();
    await db.close();
  }
  rmSync(base, { recursive: true, force: true });
  const perDocument = (seconds) => (seconds * 1e6) / documents;
  return [
    { id: 'W11', what: `${documents} documents from client to client`, value: bulkMs / 1000, unit: 's' },
    { id: 'W11', what: 'processor time a document, server', value: perDocument(cpu.server), unit: 'µs' },
    {
      id: 'W11',
      what: 'processor time a document, both clients',
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
