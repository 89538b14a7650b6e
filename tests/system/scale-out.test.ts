/** Runs `npm run chaos` for a short time against the scale-out profile. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { budget } from '../../packages/engine/tests/budget.fixture.ts';

const SECONDS = budget({ commit: 12, night: 1200, release: 7200 });
const isMissing = ['POSTGRES', 'NATS', 'S3'].some((name) => !process.env[`FIXPOINT_TEST_${name}`]);
const script = join(import.meta.dirname, '../../scripts/chaos.mjs');

test.skipIf(isMissing)(
  '[R14] loses no acknowledged write and sends no meta twice while gateways are killed, and database, bus and object store fail (skipped without npm run services)',
  { timeout: SECONDS * 1000 + 900_000 },
  () => {
    const env = { ...process.env, FIXPOINT_SERVICES: `/tmp/fixpoint-chaos-${process.pid}` };
    const args = [script, '--seconds', String(SECONDS)];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    expect(status, `${stdout}${stderr}`).toBe(0);
    const report = JSON.parse(stdout) as Record<string, number>;
    expect(report).toMatchObject({ violations: 0 });
    expect(report['gatewaysKilled']).toBeGreaterThan(0);
    expect(report['acknowledgedMetas']).toBeGreaterThan(0);
  },
);
