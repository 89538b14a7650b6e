/**
 * Mutation test: checks that tests notice changes to the critical code, which is the code that
 * could lose or leak data.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { budget, patienceMs } from '../../packages/engine/tests/budget.fixture.ts';

const KNOWN = budget({ commit: 2, night: 1000, release: 1000 });
const SAMPLE = budget({ commit: 0, night: 300, release: 3000 });
const script = join(import.meta.dirname, '../../scripts/mutation.mjs');

test('[R19] notices each hand-written change that loses or leaks data, and 95 % of the sampled changes', {
  timeout: patienceMs() * 4,
}, () => {
  const args = [script, '--known', String(KNOWN), '--sample', String(SAMPLE)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status, `${stdout}${stderr}`).toBe(0);
  process.stdout.write(`[R19] ${stdout.trim().split('\n').at(-1)}\n`);
});
