/**
 * Databases keep writing while a component of the gateway is down, returns wrong data, or is
 * restored to an older state. The outages last as long as real ones.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { faultyBucket } from '../../packages/cloud/src/objects/memory-bucket.fixture.ts';
import type { Answer } from '../../packages/cloud/src/objects/s3.fixture.ts';
import { build } from '../../packages/cloud/tests/process.fixture.ts';
import { budget, patienceMs } from '../../packages/engine/tests/budget.fixture.ts';
import { arranged, untilEqual } from './hurried.fixture.ts';
import { ownPostgres, WITHOUT_POSTGRES } from './own-postgres.fixture.ts';
import { writers } from './writers.fixture.ts';

beforeAll(build);

type Write = Awaited<ReturnType<typeof writers>>['write'];

/** Writes about once a second for `ms` milliseconds. */
async function writeFor(write: Write, text: string, ms: number): Promise<void> {
  const end = Date.now() + ms;
  for (let n = 0; n === 0 || Date.now() < end; n += 1) {
    await write(`${text} ${n}`, 1);
    await pause(Math.min(1000, Math.max(0, end - Date.now())));
  }
}

test('[R14] loses nothing while the object store answers 503 for minutes, then answers slowly, then returns wrong bytes', {
  timeout: patienceMs(),
}, async () => {
  const OUTAGE_MS = budget({ commit: 3000, night: 300_000, release: 300_000 });
  let answer: (method: string) => Answer = () => 'pass';
  const bucket = await faultyBucket((method) => answer(method));
  const here = await arranged({
    OBJECT_STORE: `s3://bucket?endpoint=${bucket.endpoint}`,
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
    LOG_LEVEL: 'silent',
  });
  const { server, url } = await here.start();
  const { clients, write, expectAll } = await writers(here, url);
  await write('before', 3);
  await untilEqual(clients);
  answer = () => ({ status: 503, body: '<Error><Code>SlowDown</Code></Error>' });
  await writeFor(write, 'while 503', OUTAGE_MS);
  answer = () => ({ lateMs: 1000 });
  await writeFor(write, 'while slow', OUTAGE_MS / 3);
  answer = (method) => (method === 'GET' ? { status: 200, body: 'not what was stored' } : 'pass');
  await writeFor(write, 'while wrong', OUTAGE_MS / 3);
  answer = () => 'pass';
  await write('after', 1);
  await untilEqual(clients);
  await expectAll();
  expect(server.child.exitCode).toBeNull();
});

describe.skipIf(WITHOUT_POSTGRES !== undefined)(
  `[R14] the database server (skipped without PostgreSQL)`,
  () => {
    test('loses nothing while PostgreSQL is stopped for a minute', { timeout: patienceMs() }, async () => {
      const AWAY_MS = budget({ commit: 4000, night: 60_000, release: 60_000 });
      const postgres = await ownPostgres();
      const here = await arranged({ DATABASE_URL: postgres.url, LOG_LEVEL: 'silent' });
      const { server, url } = await here.start();
      const { clients, write, expectAll } = await writers(here, url);
      await write('before', 3);
      await untilEqual(clients);
      postgres.stop('fast');
      await writeFor(write, 'while away', AWAY_MS);
      expect((await fetch(`${url}/readyz`)).status).toBe(503);
      postgres.start();
      await write('after', 1);
      await untilEqual(clients);
      await expectAll();
      await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200);
      expect(server.child.exitCode).toBeNull();
    });

    test('recovers everything after a failover to a standby that lacks the last second', {
      timeout: patienceMs(),
    }, async () => {
      const postgres = await ownPostgres();
      const here = await arranged({ DATABASE_URL: postgres.url, LOG_LEVEL: 'silent' });
      const { server, url } = await here.start();
      const { clients, write, expectAll } = await writers(here, url);
      const standby = await postgres.standby();
      await write('before', 3);
      await untilEqual(clients);
      // Waits until the standby has received these writes.
      await pause(500);
      standby.cutOff();
      await writeFor(write, 'lost', 1000);
      await untilEqual(clients);
      postgres.stop('immediate');
      standby.promote();
      // No client writes from here on. Devices must still resend the data that the standby lacks,
      // and a new device must receive this data.
      await expectAll();
      expect(server.child.exitCode).toBeNull();
    });
  },
);

test.each([
  ['ahead', 90_000],
  ['behind', -90_000],
])(
  '[R16] syncs with a server whose clock is 90 s %s, and after the clock is corrected',
  {
    timeout: patienceMs(),
  },
  async (_, aheadMs) => {
    const preload = new URL('./wrong-clock.mjs', import.meta.url).href;
    const here = await arranged({ NODE_OPTIONS: `--import=${preload}`, CLOCK_AHEAD_MS: String(aheadMs) });
    const { server, url } = await here.start();
    const { clients, write, expectAll } = await writers(here, url);
    for (const when of ['wrong', 'right', 'wrong again']) {
      await write(when, 4);
      await untilEqual(clients);
      server.child.kill('SIGUSR2');
    }
    await expectAll();
    expect(server.child.exitCode).toBeNull();
  },
);
