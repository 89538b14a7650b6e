import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isAlive, newHolder, type Processes } from './lock-holder.ts';
import { openLogStore } from './log/log-store.ts';
import { nodeFiles } from './node-files.ts';

const isLinux = existsSync('/proc/thread-self');
const [pid = '', began = '', thread = '', , ticks = '', boot = ''] = newHolder().split(' ');

test('[R9] treats a lock of this thread as held, and gives each lock a different name', () => {
  expect(pid).toBe(String(process.pid));
  const [one, other] = [newHolder(), newHolder()];
  expect(isAlive(one)).toBe(true);
  expect(other).not.toBe(one);
});

test('keeps the text of a lock short enough for a symbolic link that needs no disk block', () => {
  const longest = newHolder({ ...machine({}), pid: 4_194_304, beganMs: 31_536_000_000, boot: 'c82af797' });
  expect(longest.length).toBeLessThanOrEqual(59);
});

test('[R9] treats locks of an ended process as free, even if a later process has the same number', () => {
  const ended = spawnSync(process.execPath, ['-e', '']).pid;
  for (const rest of ['', ` ${ticks} ${boot}`])
    expect(isAlive(`${ended} ${began} ${thread} name${rest}`)).toBe(false);
  expect(isAlive(`${process.ppid} ${began}  name`)).toBe(true);
  expect(isAlive(`${pid} ${Number(began) - 5000} ${thread} name`)).toBe(false);
  expect(isAlive(pid)).toBe(false);
});

test('[R9] treats another thread of this process as alive until the system says that it ended', () => {
  for (const rest of ['', ` ${ticks} ${boot}`]) {
    expect(isAlive(`${pid} ${Number(began) + 20} ${thread} name${rest}`)).toBe(true);
    expect(isAlive(`${pid} ${began}  name${rest}`)).toBe(true);
    expect(isAlive(`${pid} ${began} 4194305 name${rest}`)).toBe(!isLinux);
  }
});

test('treats a lock whose text has no valid holder as free', () => {
  for (const text of ['', 'garbage', '-1 5 5 name', '0', '      ', `${pid} garbage ${thread}`])
    expect(isAlive(text)).toBe(false);
});

/**
 * Returns a machine where process 7 has been running since tick 5,000, 50 s after the machine
 * started.
 */
function machine(more: Partial<Processes>): Processes {
  return {
    pid: 1,
    beganMs: 100,
    boot: 'aaaaaaaa',
    isProcess: (asked) => asked === 7,
    startOf: (asked) => (asked === 7 ? 5000 : undefined),
    isThread: () => undefined,
    nowMs: () => 90_000,
    sleptMs: () => 0,
    ...more,
  };
}

describe('[R9] a lock whose process number may belong to another process by now', () => {
  test.each([
    ['is held by the process that took it', '7 50000  name 5000 aaaaaaaa', {}, true],
    ['is free when another process has the number', '7 50000  name 4999 aaaaaaaa', {}, false],
    ['is free after the machine was started again', '7 50000  name 5000 bbbbbbbb', {}, false],
    [
      'is held when the system reports neither start times nor a boot id',
      '7 50000  name 5000 aaaaaaaa',
      { startOf: () => undefined, boot: '' },
      true,
    ],
    ['is held when its holder wrote neither a start time nor a boot id', '7 50000  name  ', {}, true],
    ['is free when its thread ended', '7 50000 8 name 5000 aaaaaaaa', { isThread: () => false }, false],
    ['in the older form is held if the process began before the time in the lock', '7 58000  name', {}, true],
    ['in the older form is free if the process began after the time in the lock', '7 48000  name', {}, false],
    [
      'in the older form is held when the machine slept after the lock was taken',
      '7 20000  name',
      { sleptMs: () => 40_000 },
      true,
    ],
    ['in the older form is free after the machine was started again', '7 95000  name', {}, false],
    ['in the oldest form is held by any process with that number', '7', {}, true],
  ] as const)('%s', (_, holder, more, alive) => {
    expect(isAlive(holder, machine(more))).toBe(alive);
  });
});

describe.runIf(isLinux)('[R9] a killed process whose number another process has', () => {
  const files = () => {
    const base = mkdtempSync(join(tmpdir(), 'fixpoint-holder-'));
    onTestFinished(() => rmSync(base, { recursive: true, force: true }));
    return join(base, 'db');
  };
  const time = { now: () => 0, after: () => () => undefined, turn: async () => undefined };
  /**
   * Returns the lock text that an earlier process with the number of this process's parent would
   * have written.
   */
  const reused = (text: string) =>
    text.replace(/^\d+ \d+ \d*/, `${process.ppid} 5 `).replace(/ \d+ (\w{8})$/, ' 1 $1');

  test('loses its locks, so the next process gets the first log and counts as the only process', async () => {
    const folder = files();
    const first = await openLogStore(folder, 'strict', nodeFiles, time as never);
    await first.write([{ key: 'k', bytes: Uint8Array.of(1) }]);
    const lock = readFileSync(join(folder, 'lock'), 'utf8');
    await first.close();
    for (const path of [join(folder, 'lock'), `${folder}.opening`]) writeFileSync(path, reused(lock));
    const store = await openLogStore(folder, 'strict', nodeFiles, time as never);
    expect([store.writer, await store.isAlone?.()]).toEqual([0, true]);
    expect(await store.keys('')).toEqual(['k']);
    await store.close();
  });

  test('differs in its start time from the live process, which would keep the lock', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill());
    const stat = readFileSync(`/proc/${child.pid}/stat`, 'latin1');
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    expect(isAlive(`${child.pid} ${began}  name ${started} ${boot}`)).toBe(true);
    expect(isAlive(`${child.pid} ${began}  name ${Number(started) - 1} ${boot}`)).toBe(false);
  });
});
