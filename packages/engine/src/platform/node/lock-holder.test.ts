import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isAlive, newHolder } from './lock-holder.ts';

const isLinux = existsSync('/proc/thread-self');
const [pid = '', began = '', thread = ''] = newHolder().split(' ');

test('[R9] who took a lock in this thread holds it, and no two locks are named alike', () => {
  expect(pid).toBe(String(process.pid));
  const [one, other] = [newHolder(), newHolder()];
  expect(isAlive(one)).toBe(true);
  expect(other).not.toBe(one);
});

test('[R9] a process that ended holds nothing, nor does an earlier one that had the number of this one', () => {
  const ended = spawnSync(process.execPath, ['-e', '']).pid;
  expect(isAlive(`${ended} ${began} ${thread} name`)).toBe(false);
  expect(isAlive(`${process.ppid} ${began} ${thread} name`)).toBe(true);
  expect(isAlive(`${pid} ${Number(began) - 5000} ${thread} name`)).toBe(false);
  expect(isAlive(pid)).toBe(false);
});

test('[R9] another thread of this process holds what it took as long as it lives, and where nobody knows, it does', () => {
  expect(isAlive(`${pid} ${Number(began) + 20} ${thread} name`)).toBe(true);
  expect(isAlive(`${pid} ${began}  name`)).toBe(true);
  expect(isAlive(`${pid} ${began} 4194305 name`)).toBe(!isLinux);
});

test('what is no name of a holder holds nothing', () => {
  for (const text of ['', 'garbage', '-1 5 5 name', '0', `${pid} garbage ${thread}`])
    expect(isAlive(text)).toBe(false);
});
