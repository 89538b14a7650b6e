/**
 * Archives are merged at the remote while uploads continue. No upload waits for a merge, and an
 * interrupted merge loses no progress.
 */
import { expect, test } from 'vitest';
import { headersAt, upload } from './sync-uploads.fixture.ts';
import { contentOf, haveSameHead, type Replica, type World, world } from './sync-world.fixture.ts';

const GROUPS_MAX = 100;
const LATENCY_MS = 10;
/** Time to fetch an object: first its signed URL, then its content. */
const FETCH_MS = 4 * LATENCY_MS;

/** Returns the number of groups that the newest header lists. */
const listed = async ({ gateway }: World) => (await headersAt(gateway)).at(-1)?.cars.length ?? 0;

/** Returns the number of archives that were requested. */
const fetches = ({ gateway }: World) => gateway.log.filter((type) => type === 'reqGetData').length;

/** Returns how long a change takes to get from one replica to another. */
async function change({ time }: World, from: Replica, to: Replica, doc: { _id: string; n: number }) {
  const at = time.now();
  await from.db.put(doc);
  await time.until(() => haveSameHead([to, from]));
  return time.now() - at;
}

test('delays only the two changes that send the merged archives', async () => {
  const w = world({ latencyMs: [LATENCY_MS, LATENCY_MS] });
  const [a, b] = [w.replica(), w.replica()];
  const [syncA, syncB] = [await a.attach(), await b.attach()];
  await w.time.run(syncB.synced());
  await upload(w, a, syncA, 'a', GROUPS_MAX - 5);
  await w.time.run(syncB.synced());
  const usual = await change(w, a, b, { _id: 'usual', n: 0 });
  const before = fetches(w);
  const slower: number[] = [];
  let changes = 0;
  for (; slower.length < 2 && changes < 200; changes++) {
    const took = await change(w, a, b, { _id: 'a', n: changes });
    if (took !== usual) slower.push(took);
  }
  // After many changes at the usual speed, only the two changes that sent the merged archives were
  // slower.
  expect(slower).toEqual([usual + FETCH_MS, usual + FETCH_MS]);
  expect(changes).toBeGreaterThan(10);
  expect(fetches(w) - before).toBeGreaterThan(GROUPS_MAX + changes);
  expect(await listed(w)).toBeLessThan(GROUPS_MAX * 0.7);
});

test('does not read groups for a merge while an upload runs', async () => {
  const w = world({ latencyMs: [LATENCY_MS, LATENCY_MS] });
  const a = w.replica();
  const syncA = await a.attach();
  await upload(w, a, syncA, 'a', GROUPS_MAX + 1);
  const { log } = w.gateway;
  const begun = fetches(w);
  const during: number[] = [];
  const between: number[] = [];
  for (let n = 0; n < 5; n++) {
    const before = log.length;
    await w.time.until(() => fetches(w) > begun + 4 * (n + 1));
    const from = log.length;
    await a.db.put({ _id: `while ${n}` });
    await w.time.until(() => log.includes('reqPutMeta', from));
    const sent = log.slice(log.indexOf('reqPutData', from), log.indexOf('reqPutMeta', from));
    during.push(sent.filter((type) => type === 'reqGetData').length);
    between.push(log.slice(before, from).filter((type) => type === 'reqGetData').length);
  }
  expect(during).toEqual([0, 0, 0, 0, 0]);
  // The merge continues between uploads.
  expect(Math.min(...between)).toBeGreaterThan(0);
});

test('resumes a merge that was interrupted when the process ended; a fresh replica reads everything', async () => {
  const w = world({ latencyMs: [LATENCY_MS, LATENCY_MS] });
  const a = w.replica();
  const syncA = await a.attach();
  await upload(w, a, syncA, 'a', GROUPS_MAX + 1);
  const puts = () => w.gateway.log.filter((type) => type === 'reqPutData').length;
  const sent = puts();
  // The first of two parts is at the remote, and the merge has started to read the second part.
  await w.time.until(() => puts() > sent);
  await w.time.pass(3 * FETCH_MS);
  const again = a.crash();
  const syncAgain = await again.attach();
  const before = fetches(w);
  await upload(w, again, syncAgain, 'b', 1);
  expect(await listed(w)).toBeLessThan(GROUPS_MAX * 0.6);
  expect(fetches(w)).toBe(before);
  const fresh = w.replica();
  const syncFresh = await fresh.attach();
  await w.time.run(syncFresh.synced());
  expect(await contentOf(fresh.db)).toEqual(await contentOf(again.db));
});

test('stops a merge when the line fails, resumes it after the next upload, and reports no failed upload', async () => {
  const w = world({ latencyMs: [LATENCY_MS, LATENCY_MS] });
  const [a, fresh] = [w.replica(), w.replica()];
  const syncA = await a.attach();
  await upload(w, a, syncA, 'a', GROUPS_MAX + 1);
  expect(syncA.status()).toMatchObject({ state: 'in-sync', toSend: 0 });
  const begun = fetches(w);
  await w.time.until(() => fetches(w) > begun + 20);
  a.line.set('cut');
  await w.time.pass(100);
  a.line.set('up');
  w.gateway.objectFailure = ({ method }) => (method === 'GET' ? 503 : undefined);
  await upload(w, a, syncA, 'b', 1);
  await w.time.pass(60_000);
  expect(syncA.status()).toEqual({ state: 'in-sync', toSend: 0, toFetch: 0 });
  w.gateway.objectFailure = undefined;
  // Longer than the longest wait between two tries of a merge.
  await w.time.pass(120_000);
  await upload(w, a, syncA, 'c', 1);
  expect(await listed(w)).toBeLessThan(GROUPS_MAX * 0.7);
  const syncFresh = await fresh.attach();
  await w.time.run(syncFresh.synced());
  expect(await contentOf(fresh.db)).toEqual(await contentOf(a.db));
});

test('detaches immediately during a merge', async () => {
  const w = world({ latencyMs: [LATENCY_MS, LATENCY_MS] });
  const a = w.replica();
  const syncA = await a.attach();
  await upload(w, a, syncA, 'a', GROUPS_MAX + 1);
  const begun = fetches(w);
  await w.time.until(() => fetches(w) > begun + 5);
  const at = w.time.now();
  await w.time.run(syncA.detach());
  expect(w.time.now() - at).toBeLessThan(FETCH_MS);
  const after = fetches(w);
  await w.time.pass(60_000);
  expect(fetches(w)).toBe(after);
});
