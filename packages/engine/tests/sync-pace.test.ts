/** Tests the number of parallel transfers and the waits before retries (spec §9). */
import { expect, test } from 'vitest';
import type { Network } from '../src/ports/network.ts';
import { type Replica, type World, world } from './sync-world.fixture.ts';

const SIDE = 'http://objects.test/';

interface Watched {
  /** Maximum number of parallel transfers, by method. */
  readonly most: Record<string, number>;
  /** Start time of each upload. */
  readonly uploads: number[];
}

/** Counts the transfers of a replica. */
function watch({ time }: World, { line }: Replica): Watched {
  const watched: Watched = { most: {}, uploads: [] };
  const now: Record<string, number> = {};
  const { request } = line;
  const counted: Network['request'] = async (asked) => {
    if (!asked.url.startsWith(SIDE)) return request(asked);
    const { method } = asked;
    now[method] = (now[method] ?? 0) + 1;
    watched.most[method] = Math.max(watched.most[method] ?? 0, now[method]);
    if (method === 'PUT') watched.uploads.push(time.now());
    return request(asked).finally(() => {
      now[method] = (now[method] ?? 0) - 1;
    });
  };
  (line as { request: Network['request'] }).request = counted;
  return watched;
}

/** Returns a large document whose bytes depend on `n`. */
const large = (n: number) => ({
  _id: `large ${n}`,
  bytes: Uint8Array.from({ length: 600_000 }, (_, at) => (at * 31 + n * 17 + (at >> 8)) & 255),
});

test('[R13] runs up to three uploads and up to five downloads in parallel', async () => {
  const here = world({ latencyMs: [50, 60] });
  const [a, b] = [here.replica(), here.replica()];
  const [ofA, ofB] = [watch(here, a), watch(here, b)];
  for (let n = 0; n < 14; n++) await a.db.put(large(n));
  const syncA = await a.attach();
  await here.time.run(syncA.synced());
  const syncB = await b.attach();
  await here.time.run(syncB.synced());
  expect((await b.db.allDocs()).rows).toHaveLength(14);
  expect(ofA.most['PUT']).toBe(3);
  expect(ofB.most['GET']).toBe(5);
});

test('[R13] retries a failed upload five times within two seconds, first after 50 ms, then less often until it succeeds', async () => {
  const here = world({ latencyMs: [1, 1] });
  const a = here.replica();
  const { uploads } = watch(here, a);
  here.gateway.objectFailure = ({ method }) => (method === 'PUT' ? 503 : undefined);
  await a.attach();
  await a.db.put({ _id: 'x' });
  await here.time.until(() => uploads.length === 6);
  const waits = uploads.slice(1).map((at, n) => at - (uploads[n] ?? 0));
  // A try takes four messages of 1 ms each. The first two messages fetch the signed URL.
  expect(waits).toEqual([50, 100, 200, 400, 800].map((ms) => ms + 4));
  await here.time.pass(600_000);
  const later = uploads.length;
  expect(later).toBeGreaterThan(6 * 50);
  await here.time.pass(3_600_000);
  expect(uploads.length).toBeGreaterThan(later);
  // After ten minutes, the replica waits 30 to 60 s between rounds of six tries.
  expect(uploads.length - later).toBeLessThan(6 * 130);
  here.gateway.objectFailure = undefined;
  await here.time.until(() => here.gateway.log.includes('reqPutMeta'));
});
