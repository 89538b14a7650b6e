import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, test } from 'vitest';
import { fixpoint } from '../src/entries/node.ts';
import { budget, patienceMs } from './budget.fixture.ts';

const WRITES = budget({ commit: 100, night: 5000, release: 5000 });
const base = mkdtempSync(join(tmpdir(), 'fixpoint-threads-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const newDirectory = () => mkdtempSync(join(base, 'dir-'));
const options = { timeout: patienceMs() };

/** Starts a thread of this process that writes documents whose ids start with `prefix`. */
function startWriter(directory: string, prefix: string, count: number) {
  const worker = new Worker(new URL('thread.fixture.mjs', import.meta.url), {
    workerData: { directory, prefix, count },
    execArgv: [],
  });
  const acknowledged: string[] = [];
  let isClosed = false;
  let failure: unknown;
  worker.on('error', (cause) => {
    failure = cause;
  });
  worker.on('message', (said: string) => {
    if (said === 'closed') isClosed = true;
    else acknowledged.push(said);
  });
  const wrote = (n: number) =>
    expect.poll(() => failure ?? acknowledged.length, options).toBeGreaterThanOrEqual(n);
  return {
    acknowledged,
    wrote,
    end: async () => {
      await wrote(count);
      worker.postMessage('close');
      await expect.poll(() => failure ?? isClosed, options).toBe(true);
      await worker.terminate();
    },
    kill: () => worker.terminate(),
  };
}

async function idsIn(directory: string): Promise<Set<string>> {
  const db = fixpoint('shared', { directory });
  const { rows } = await db.allDocs({ limit: 100_000 });
  await db.close();
  return new Set(rows.map(({ key }) => key));
}

test(
  '[R1][R9] loses nothing when threads of one process write one database at the same time',
  options,
  async () => {
    const directory = newDirectory();
    const here = fixpoint('shared', { directory });
    await here.put({ _id: 'here' });
    const writers = ['a', 'b', 'c'].map((prefix) => startWriter(directory, prefix, WRITES));
    await Promise.all(writers.map((writer) => writer.end()));
    const expected = ['here', ...writers.flatMap((writer) => writer.acknowledged)];
    expect(expected).toHaveLength(1 + 3 * WRITES);
    await expect.poll(async () => (await here.allDocs({ limit: 100_000 })).rows.length).toBe(expected.length);
    await here.close();
    expect(await idsIn(directory)).toEqual(new Set(expected));
  },
);

test(
  '[R1][R9] loses no acknowledged write of a terminated thread; the next open takes over the log of the thread',
  options,
  async () => {
    const directory = newDirectory();
    const writer = startWriter(directory, 'k', 1e9);
    await writer.wrote(20);
    await writer.kill();
    const ids = await idsIn(directory);
    expect(writer.acknowledged.filter((id) => !ids.has(id))).toEqual([]);
    // If the operating system doesn't report threads, the log of the thread stays in use until the
    // process ends.
    if (existsSync('/proc/thread-self'))
      expect(readdirSync(join(directory, 'shared'))).not.toContain('log-1');
  },
);
