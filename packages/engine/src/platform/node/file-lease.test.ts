import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fileLeases } from './file-lease.ts';

/** Simulates time: each timer fires at once and advances the clock, which the test can also set. */
function quickTime(clock: { now: number }) {
  return {
    now: () => clock.now,
    after: (ms: number, fn: () => void) => {
      const timer = setImmediate(() => {
        clock.now += ms;
        fn();
      });
      return () => clearImmediate(timer);
    },
  };
}

test('[R9][R16] replaces a frozen holder even if the clock was set back by a day', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-lease-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, 'db'));
  // A live holder that writes nothing.
  writeFileSync(join(directory, 'db', 'lease-work'), `${hostname()} ${process.pid} frozen\nwords\n`);
  const clock = { now: 1_700_000_000_000 };
  let [taken, heard] = [0, 0];
  const failures: unknown[] = [];
  const lease = fileLeases(directory, quickTime(clock), (error) => failures.push(error)).seek('db', 'work', {
    taken: () => {
      taken += 1;
    },
    lost: () => failures.push('lost'),
    words: () => 'mine',
    heard: () => {
      heard += 1;
      if (heard === 3) clock.now -= 86_400_000;
    },
  });
  onTestFinished(() => lease.release());
  await expect.poll(() => taken).toBe(1);
  expect(heard).toBeGreaterThan(3);
  expect(failures).toEqual([]);
});
