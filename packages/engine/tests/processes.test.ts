import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { fixpoint } from '../src/entries/node.ts';
import { budget, patienceMs } from './budget.fixture.ts';

const WRITES = budget({ commit: 500, night: 5000, release: 5000 });
const base = mkdtempSync(join(tmpdir(), 'fixpoint-processes-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const newDirectory = () => mkdtempSync(join(base, 'dir-'));
const options = { timeout: patienceMs() };

/** Starts a process that writes documents whose ids start with `prefix`. */
function startWriter(directory: string, prefix: string, count: number) {
  const script = fileURLToPath(new URL('process.fixture.mjs', import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [script, directory, prefix, String(count)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const wakes = new Set<() => void>();
  let rest = '';
  child.stdout?.on('data', (data: Buffer) => {
    const parts = (rest + data.toString()).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    for (const wake of wakes) wake();
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const said = (isSaid: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!isSaid()) return;
        wakes.delete(look);
        resolve();
      };
      wakes.add(look);
      look();
      void ended.then(() => (isSaid() ? resolve() : reject(new Error('the writer ended'))));
    });
  return {
    child,
    lines: () => lines.filter((line) => !/^\d+$/.test(line)),
    acknowledged: () => lines.filter((line) => /^\d+$/.test(line)).map((n) => `${prefix}-${n}`),
    done: () => said(() => lines.includes('done')),
    wrote: (n: number) => said(() => lines.includes(String(n))),
    end: async () => {
      child.stdin?.write('end\n');
      await ended;
    },
    ended,
  };
}

const idsOf = async (db: ReturnType<typeof fixpoint>) =>
  new Set((await db.allDocs()).rows.map(({ key }) => key));

test(
  '[R9] loses no write of two processes while a third one compacts and subscribes to all changes',
  options,
  async () => {
    const directory = newDirectory();
    const here = fixpoint('shared', { directory });
    const heard = new Set<string>();
    const stop = here.subscribe((docs) => {
      for (const { _id } of docs) heard.add(_id);
    }, true);
    await here.put({ _id: 'here' });
    const writers = ['a', 'b'].map((prefix) => startWriter(directory, prefix, WRITES));
    let writing = true;
    const done = Promise.all(writers.map((writer) => writer.done())).finally(() => {
      writing = false;
    });
    await writers[0]?.wrote(10);
    while (writing) await here.compact();
    await done;
    const expected = writers.flatMap((writer) => writer.acknowledged());
    expect(expected.length).toBe(2 * WRITES);
    await expect.poll(() => expected.filter((id) => !heard.has(id)).length).toBe(0);
    const before = await idsOf(here);
    expect(expected.filter((id) => !before.has(id))).toEqual([]);
    stop();
    await Promise.all([here.close(), ...writers.map((writer) => writer.end())]);
    const again = fixpoint('shared', { directory });
    expect(await idsOf(again)).toEqual(new Set(['here', ...expected]));
    await again.close();
  },
);

/**
 * Freezes a process outside of the short steps that only one process may run at a time. A process
 * that is frozen in such a step would block the others for ten seconds.
 */
async function freeze(child: ChildProcess, directory: string): Promise<void> {
  for (;;) {
    child.kill('SIGSTOP');
    await new Promise((resolve) => void setTimeout(resolve, 20));
    if (!existsSync(join(directory, 'shared.opening'))) return;
    child.kill('SIGCONT');
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
}

test('[R9] keeps a database usable in other processes when one is killed or frozen', options, async () => {
  const directory = newDirectory();
  const killed = startWriter(directory, 'k', 1e9);
  await killed.wrote(20);
  // A process that opens the folder beside another one commits each write directly. One that was
  // first still has pending writes until it notices the other, and only it can commit those.
  const frozen = startWriter(directory, 'f', 1e9);
  await frozen.wrote(20);
  await freeze(frozen.child, directory);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const db = fixpoint('shared', { directory });
  const ids = await idsOf(db);
  const acknowledged = [...killed.acknowledged(), ...frozen.acknowledged()];
  expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
  await db.put({ _id: 'after' });
  frozen.child.kill('SIGCONT');
  await frozen.wrote(frozen.acknowledged().length + 20);
  frozen.child.kill('SIGKILL');
  await frozen.ended;
  await expect
    .poll(async () => {
      const now = await idsOf(db);
      return [...killed.acknowledged(), ...frozen.acknowledged(), 'after'].filter((id) => !now.has(id));
    })
    .toEqual([]);
  await db.close();
});

test(
  '[R9] destroys a database that another process has open, and notifies that process with a typed error',
  options,
  async () => {
    const directory = newDirectory();
    const writer = startWriter(directory, 'w', 1e9);
    await writer.wrote(5);
    const db = fixpoint('shared', { directory });
    await db.ready();
    await db.destroy();
    await writer.ended;
    expect(writer.lines().slice(-2)).toEqual(['DATABASE_CLOSED', 'closed']);
    // Until it ends, the other process may lock the folder for a moment, to see that it is gone.
    expect(readdirSync(directory)).toEqual(['.keys']);
    const again = fixpoint('shared', { directory });
    expect(await idsOf(again)).toEqual(new Set());
    await again.put({ _id: 'new' });
    await again.close();
  },
);

test(
  '[R9] fails only with DATABASE_CLOSED when processes open, write and destroy one database at the same time',
  options,
  async () => {
    const directory = newDirectory();
    const script = fileURLToPath(new URL('destroyer.fixture.mjs', import.meta.url));
    const said = await Promise.all(
      [1, 2, 3].map(async () => {
        const child = spawn(process.execPath, [script, directory, '40'], {
          stdio: ['ignore', 'pipe', 'ignore'],
        });
        const parts: string[] = [];
        child.stdout.on('data', (data: Buffer) => parts.push(data.toString()));
        await new Promise((resolve) => child.once('close', resolve));
        return parts.join('');
      }),
    );
    expect(said).toEqual(['done\n', 'done\n', 'done\n']);
    const db = fixpoint('shared', { directory });
    expect(await idsOf(db)).toEqual(new Set());
    await db.destroy();
    expect(readdirSync(directory)).toEqual(['.keys']);
  },
);
