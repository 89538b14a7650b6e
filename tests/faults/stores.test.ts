/** Syncs databases while the gateway's bucket or tables fail, or its connections to either fail. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import SqliteDatabase from 'libsql';
import pg from 'pg';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type FaultyBucket, faultyBucket } from '../../packages/cloud/src/objects/memory-bucket.fixture.ts';
import type { Answer } from '../../packages/cloud/src/objects/s3.fixture.ts';
import { newPostgresDatabase, POSTGRES } from '../../packages/cloud/src/tables/postgres.fixture.ts';
import {
  commit,
  httpClient,
  type Ledger,
  newLedger,
  tablesOf,
} from '../../packages/cloud/tests/cloud.fixture.ts';
import { build } from '../../packages/cloud/tests/process.fixture.ts';
import { type SeededRandom, seededRandom } from '../../packages/engine/src/testing/seeded-random.ts';
import { budget, patienceMs, seed } from '../../packages/engine/tests/budget.fixture.ts';
import { arranged, shown, untilEqual } from './hurried.fixture.ts';
import { namedArchives, writers } from './writers.fixture.ts';

beforeAll(build);

const ROUNDS = budget({ commit: 1, night: 40, release: 200 });

interface StoreFault {
  readonly name: string;
  readonly answer: (random: SeededRandom) => Answer;
}
const STORE_FAULTS: readonly StoreFault[] = [
  { name: 'answers 500', answer: () => ({ status: 500 }) },
  { name: 'answers 503', answer: () => ({ status: 503, body: '<Error><Code>SlowDown</Code></Error>' }) },
  { name: 'ends connections', answer: () => 'cut' },
  { name: 'handles requests, but loses the answers', answer: () => 'lose answer' },
  { name: 'answers half', answer: () => 'cut body' },
  { name: 'is slow', answer: (random) => ({ lateMs: 200 + random.below(1500) }) },
];

describe('[R14] the object store of the gateway', () => {
  async function withBucket() {
    const random = seededRandom(seed());
    let fault: StoreFault | undefined;
    let share = 0;
    let felt = 0;
    const bucket: FaultyBucket = await faultyBucket(() => {
      if (fault === undefined || random.below(100) >= share) return 'pass';
      felt += 1;
      return fault.answer(random);
    });
    const here = await arranged({
      OBJECT_STORE: `s3://bucket?endpoint=${bucket.endpoint}`,
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      LOG_LEVEL: 'silent',
    });
    const set = (next: StoreFault | undefined, percent = 100) => {
      fault = next;
      share = percent;
      felt = 0;
    };
    return { bucket, here, set, felt: () => felt };
  }

  test('keeps everything that was in sync, and the archive of every meta, despite every kind of store failure', {
    timeout: patienceMs(),
  }, async () => {
    const { bucket, here, set, felt } = await withBucket();
    const { server, url } = await here.start();
    const { clients, write, expectAll } = await writers(here, url);
    await untilEqual(clients);
    for (let round = 0; round < ROUNDS; round++)
      for (const fault of STORE_FAULTS)
        for (const percent of [40, 100]) {
          set(fault, percent);
          await write(`${round} ${fault.name} ${percent}`, 4);
          // Writes are sent in batches, so there are few requests, and the fault may have affected
          // none of them.
          const isFelt = async () => {
            if (felt() === 0) await write(`${round} ${fault.name} ${percent} on`, 1);
            return felt() > 0;
          };
          await expect.poll(isFelt, { interval: 500 }).toBe(true);
          set(undefined);
          await write('after', 1);
          await untilEqual(clients);
        }
    await expectAll();
    const prefix = `${here.notes.tenant}/${here.notes.ledger}/car/`;
    for (const cid of await namedArchives(here)) expect(bucket.objects.has(prefix + cid)).toBe(true);
    for (const { bytes, hash } of bucket.objects.values())
      expect(hash).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(server.child.exitCode).toBeNull();
  });

  test('[R4] rejects an archive whose stored bytes changed, until a device that has the archive resends it', async () => {
    const { bucket, here } = await withBucket();
    const { url } = await here.start();
    const first = await here.client(url);
    await first.db.put({ _id: 'harmed' });
    await untilEqual([first]);
    const [harmed] = await namedArchives(here);
    await first.db.put({ _id: 'whole', text: 'x'.repeat(500) });
    await untilEqual([first]);
    const [key, stored] =
      [...bucket.objects].find(([each]) => each.endsWith(harmed ?? '-')) ?? expect.fail('no archive');
    const others = [...bucket.objects.values()].filter((one) => one !== stored);
    // Tries three contents under the key: another archive of the ledger, an archive with one
    // changed byte, and no bytes.
    const flipped = Buffer.from(stored.bytes);
    flipped[100] = (flipped[100] ?? 0) ^ 1;
    for (const bytes of [others[0]?.bytes, flipped, Buffer.alloc(0)]) {
      bucket.objects.set(key, { ...stored, bytes: bytes ?? Buffer.alloc(0) });
      const late = await here.client(url);
      await untilEqual([first, late]);
      expect(await shown(late)).toEqual(['harmed', 'whole']);
    }
  });
});

test('[R14] keeps synced data while the file of the tables is locked, and continues after the lock is released', {
  timeout: patienceMs(),
}, async () => {
  const here = await arranged();
  const { server, url } = await here.start();
  const { clients, write, expectAll } = await writers(here, url);
  await untilEqual(clients);
  const holder = new SqliteDatabase(join(here.data, 'fixpoint.sqlite'));
  onTestFinished(() => void holder.close());
  for (let round = 0; round < ROUNDS; round++) {
    const told = server.stderr.length;
    holder.exec('begin immediate');
    await write(`${round} held`, 6);
    // Waits until the server reported at least one transaction that it aborted.
    await expect.poll(() => server.stderr.length, { timeout: 60_000 }).toBeGreaterThan(told);
    holder.exec('rollback');
    await write('after', 1);
    await untilEqual(clients);
  }
  await expectAll();
  expect(server.child.exitCode).toBeNull();
});

describe.skipIf(POSTGRES === undefined)(
  '[R14] the database server of the gateway (skipped without FIXPOINT_TEST_POSTGRES)',
  () => {
    async function withPostgres() {
      const databaseUrl = await newPostgresDatabase();
      const here = await arranged({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' });
      const { server, url } = await here.start();
      // One client locks rows and a second client watches, because pg_stat_activity doesn't change
      // within a transaction.
      const [side, watcher] = [1, 2].map(() => new pg.Client({ connectionString: databaseUrl })) as [
        pg.Client,
        pg.Client,
      ];
      for (const client of [side, watcher]) {
        client.on('error', () => undefined);
        await client.connect();
        onTestFinished(() => client.end());
      }
      return { here, server, url, side, watcher, databaseUrl };
    }
    const waitingForLocks = async (side: pg.Client): Promise<number> => {
      const { rows } = await side.query(
        "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rows[0].n;
    };
    /**
     * Sends more puts than the pool has connections. Each put waits for the locked row of its
     * ledger.
     */
    const crowd = (url: string, notes: Ledger) =>
      Promise.allSettled(
        Array.from({ length: 14 }, async (_, n) => {
          const { answer } = await commit(await httpClient({ url }, notes), notes, `crowd ${n}`);
          return answer.type as string;
        }),
      );

    test('reports not ready and loses nothing while the connection pool is exhausted, then continues', {
      timeout: patienceMs(),
    }, async () => {
      const { here, server, url, side, watcher, databaseUrl } = await withPostgres();
      // These puts use a separate ledger, because their entries don't refer to archives.
      const behind = await tablesOf(here.data, databaseUrl);
      const crowded = await newLedger(behind);
      await behind.db.destroy();
      const { clients, write, expectAll } = await writers(here, url);
      await untilEqual(clients);
      for (let round = 0; round < ROUNDS; round++) {
        await side.query('begin');
        await side.query('update "Ledgers" set "metaSeq" = "metaSeq"');
        const crowding = crowd(url, crowded);
        await write(`${round} exhausted`, 6);
        await expect.poll(() => waitingForLocks(watcher)).toBe(10);
        expect((await fetch(`${url}/readyz`)).status).toBe(503);
        expect((await fetch(`${url}/healthz`)).status).toBe(200);
        await side.query('rollback');
        expect(await crowding).toEqual(
          Array.from({ length: 14 }, () => ({ status: 'fulfilled', value: 'resPutMeta' })),
        );
        await write('after', 1);
        await untilEqual(clients);
        await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200);
      }
      await expectAll();
      expect(server.child.exitCode).toBeNull();
    });

    test('survives a database that repeatedly closes all connections, as in a restart', {
      timeout: patienceMs(),
    }, async () => {
      const { here, server, url, side } = await withPostgres();
      const { clients, write, expectAll } = await writers(here, url);
      for (let round = 0; round < ROUNDS * 4; round++) {
        const writing = write(`${round} ended`, 6);
        for (let n = 0; n < 3; n++) {
          await side.query(
            'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
          );
          await new Promise((resolve) => setTimeout(resolve, 30));
        }
        await writing;
        await untilEqual(clients);
      }
      await expectAll();
      expect(server.child.exitCode).toBeNull();
    });
  },
);
