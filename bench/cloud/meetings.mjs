/**
 * W11 with many databases: databases in one process that wrote different documents apart attach to
 * one ledger at the same time, and sync until all have the same head. Compares builds in turn.
 *
 * `node bench/cloud/meetings.mjs [databases] [documents of each] [rounds] [engine's folder]...`
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { documentOf } from '../documents.mjs';
import { startServer, statusMb } from './server.mjs';
import { meeting } from './sync.mjs';

const self = fileURLToPath(import.meta.url);
const clientArgument = process.argv.indexOf('--client');

/** Runs all databases. Returns the time and the resources until all have the same head. */
async function clients({ server, directory, databases, documents, engine }) {
  const { fixpoint, toCloud } = await import(engine);
  const { url, tenant, ledger, token } = server;
  const all = Array.from({ length: databases }, (_, n) => fixpoint(`apart-${n}`, { directory }));
  for (const [n, db] of all.entries())
    await db.bulk(Array.from({ length: documents }, (_, at) => documentOf(n * documents + at)));
  const stopProfile = await startProfile();
  const before = { cpu: process.cpuUsage(), at: performance.now() };
  const attached = await Promise.all(
    all.map((db) => db.attach(toCloud({ base: url, tenant, ledger, token }))),
  );
  await meeting(all);
  const seconds = (performance.now() - before.at) / 1000;
  const { user, system } = process.cpuUsage(before.cpu);
  await stopProfile();
  for (const [n, db] of all.entries()) {
    const counted = await db.count();
    if (counted !== databases * documents) throw new Error(`database ${n} has ${counted} documents`);
  }
  for (const one of attached) await one.detach();
  for (const db of all) await db.close();
  return {
    seconds,
    'processor of clients': (user + system) / 1e6,
    'peak MB': statusMb(process.pid, 'VmHWM'),
  };
}

/**
 * Profiles the measured part, if MEETINGS_PROFILE names a file. Returns a function that ends it.
 */
async function startProfile() {
  const file = process.env.MEETINGS_PROFILE;
  if (file === undefined) return async () => undefined;
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  return async () => writeFileSync(file, JSON.stringify((await session.post('Profiler.stop')).profile));
}

function inProcess(options) {
  const child = fork(self, ['--client', JSON.stringify(options)]);
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => code !== 0 && reject(new Error(`the clients ended with ${code}`)));
  });
}

async function round(options) {
  const server = await startServer();
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-bench-meetings-'));
  try {
    const before = server.cpuSeconds();
    const measured = await inProcess({ ...options, server, directory });
    return { ...measured, 'processor of the server': server.cpuSeconds() - before };
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

if (clientArgument > 0) {
  process.send(await clients(JSON.parse(process.argv[clientArgument + 1])), () => process.disconnect());
} else {
  const [databases = 16, documents = 1000, rounds = 3] = process.argv.slice(2, 5).map(Number);
  const engines = process.argv.length > 5 ? process.argv.slice(5) : ['fixpoint'];
  const results = new Map(engines.map((engine) => [engine, []]));
  for (let n = 0; n < rounds; n++)
    for (const engine of engines) results.get(engine).push(await round({ databases, documents, engine }));
  for (const [engine, rows] of results) {
    process.stdout.write(`${engine}\n`);
    for (const what of Object.keys(rows[0])) {
      const values = rows.map((row) => row[what]);
      const all = values.map((value) => value.toFixed(2)).join(' ');
      process.stdout.write(`  ${what.padEnd(26)}${median(values).toFixed(2).padStart(9)}   ${all}\n`);
    }
  }
}
