/**
 * W11 with many documents: one client process writes and uploads them, then a second, empty client
 * process downloads them.
 *
 * `node bench/cloud/large-sync.mjs [documents] [documents per bulk] [rounds] [engine's folder]`
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { documentOf } from '../documents.mjs';
import { startServer, statusMb } from './server.mjs';

const self = fileURLToPath(import.meta.url);
const clientArgument = process.argv.indexOf('--client');

/**
 * Runs in the process of the sender or receiver. Returns the time, processor time and memory of
 * each step.
 */
async function client(role, { server, directory, documents, bulk, engine }) {
  const { fixpoint, toCloud } = await import(engine);
  const { url, tenant, ledger, token } = server;
  const steps = {};
  async function timed(step, work) {
    const before = { cpu: process.cpuUsage(), at: performance.now() };
    const result = await work();
    const { user, system } = process.cpuUsage(before.cpu);
    steps[step] = (performance.now() - before.at) / 1000;
    steps[`${step}, processor`] = (user + system) / 1e6;
    return result;
  }
  const db = fixpoint(role, { directory: join(directory, role) });
  if (role === 'sender')
    await timed('write', async () => {
      for (let from = 0; from < documents; from += bulk)
        await db.bulk(
          Array.from({ length: Math.min(bulk, documents - from) }, (_, n) => documentOf(from + n)),
        );
    });
  const transferred = role === 'sender' ? 'upload' : 'download';
  const attached = await timed(transferred, async () => {
    const remote = await db.attach(toCloud({ base: url, tenant, ledger, token }));
    await remote.synced();
    return remote;
  });
  steps['peak MB'] = statusMb(process.pid, 'VmHWM');
  if (role === 'receiver')
    await timed('count', async () => {
      const counted = await db.count();
      if (counted !== documents) throw new Error(`${counted} documents arrived`);
    });
  if (role === 'receiver') steps['peak MB with count'] = statusMb(process.pid, 'VmHWM');
  await attached.detach();
  await db.close();
  return steps;
}

/** Runs the sender or the receiver in its own process. */
function inProcess(role, options) {
  const child = fork(self, ['--client', role, JSON.stringify(options)], {
    execArgv: process.env.LARGE_SYNC_PROFILE
      ? ['--cpu-prof', '--cpu-prof-dir', join(process.env.LARGE_SYNC_PROFILE, role)]
      : [],
  });
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => code !== 0 && reject(new Error(`the ${role} ended with ${code}`)));
  });
}

async function round(options) {
  const server = await startServer();
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-bench-large-'));
  try {
    const given = { ...options, server, directory };
    const before = server.cpuSeconds();
    const sender = await inProcess('sender', given);
    const between = server.cpuSeconds();
    const receiver = await inProcess('receiver', given);
    const total = sender.write + sender.upload + receiver.download + receiver.count;
    const processor = { up: between - before, down: server.cpuSeconds() - between };
    return {
      'write to count': total,
      'upload to count': total - sender.write,
      ...named('sender', sender),
      ...named('receiver', receiver),
      ...named('server', { 'upload, processor': processor.up, 'download, processor': processor.down }),
      'server: peak MB': server.peakMb(),
    };
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

const named = (who, steps) =>
  Object.fromEntries(Object.entries(steps).map(([step, value]) => [`${who}: ${step}`, value]));

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

if (clientArgument > 0) {
  const [role, options] = process.argv.slice(clientArgument + 1);
  process.send(await client(role, JSON.parse(options)), () => process.disconnect());
} else {
  const [documents = 100_000, bulk = 1000, rounds = 3] = process.argv.slice(2, 5).map(Number);
  const engine = process.argv[5] ?? 'fixpoint';
  const results = [];
  for (let n = 0; n < rounds; n++) results.push(await round({ documents, bulk, engine }));
  for (const what of Object.keys(results[0]))
    process.stdout.write(
      `${what.padEnd(34)}${median(results.map((one) => one[what]))
        .toFixed(2)
        .padStart(9)}   ${results.map((one) => one[what].toFixed(2)).join(' ')}\n`,
    );
}
