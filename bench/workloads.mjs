/**
 * The workloads, which are the same for Node and browsers. Each workload receives an adapter, a
 * function that creates places for databases, sizes, and a function that returns the megabytes of a
 * place, if they can be measured. It returns rows `{ id, what, value, unit }`.
 */
import { documentOf, idOf, nestedOf, scatteredIdOf, shuffled } from './documents.mjs';
import { secondsOf } from './seconds.mjs';

const now = () => performance.now();

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

async function fill(db, count, docOf = documentOf, write = db.bulk) {
  for (let from = 0; from < count; from += 1000) {
    const size = Math.min(1000, count - from);
    await write(Array.from({ length: size }, (_, n) => docOf(from + n)));
  }
}

async function puts(adapter, folder, { puts }) {
  const count = Math.min(puts, adapter.putsMax ?? puts);
  const db = await adapter.open(folder());
  const times = [];
  const total = await secondsOf(async () => {
    for (let n = 0; n < count; n++) times.push(await secondsOf(() => db.put(documentOf(n))));
  });
  await db.close();
  return [
    { id: 'W1', what: 'one durable put after another', value: count / total, unit: '/s' },
    { id: 'W1', what: 'p99 of a put', value: percentile(times, 0.99) * 1000, unit: 'ms' },
  ];
}

async function putsInFlight(adapter, folder, { puts }) {
  const count = Math.min(puts * 4, adapter.inFlightMax ?? puts * 4);
  const db = await adapter.open(folder());
  let next = 0;
  const worker = async () => {
    while (next < count) await db.put(documentOf(next++));
  };
  const total = await secondsOf(() => Promise.all(Array.from({ length: 64 }, worker)));
  await db.close();
  return [{ id: 'W1b', what: '64 puts in flight', value: count / total, unit: '/s' }];
}

async function bulk(adapter, folder, { documents }) {
  const db = await adapter.open(folder());
  const total = await secondsOf(() => fill(db, documents));
  // An idle database compacts itself after some time. Compacts now, so that the bytes on disk are
  // counted after compaction.
  await db.compact?.();
  await db.close();
  return [{ id: 'W2', what: `bulk of ${documents}`, value: documents / total, unit: '/s' }];
}

/** Measures other kinds of documents: larger and nested ones, and documents with scattered ids. */
async function shapes(adapter, folder, { documents }) {
  const count = documents / 5;
  const directory = folder();
  let db = await adapter.open(directory);
  const nested = await secondsOf(() => fill(db, count, nestedOf));
  await db.close();
  db = await adapter.open(directory);
  const order = shuffled(count).slice(0, adapter.getsMax);
  const gets = await secondsOf(async () => {
    for (const n of order) await db.get(idOf(n));
  });
  await db.close();
  db = await adapter.open(folder());
  const scattered = await secondsOf(() =>
    fill(db, documents, (n) => ({ ...documentOf(n), _id: scatteredIdOf(n) })),
  );
  await db.close();
  return [
    { id: 'W2', what: `bulk of ${count} nested documents of 2 kB`, value: count / nested, unit: '/s' },
    {
      id: 'W3',
      what: 'random gets of nested documents after opening',
      value: order.length / gets,
      unit: '/s',
    },
    { id: 'W2', what: `bulk of ${documents} with scattered ids`, value: documents / scattered, unit: '/s' },
  ];
}

async function reads(adapter, folder, { documents }) {
  const directory = folder();
  let db = await adapter.open(directory);
  await fill(db, documents);
  await db.close();
  const opened = await secondsOf(async () => {
    db = await adapter.open(directory);
    await db.get(idOf(17));
  });
  const order = shuffled(documents).slice(0, adapter.getsMax);
  const readAll = async () => {
    for (const n of order) await db.get(idOf(n));
  };
  const cold = await secondsOf(readAll);
  const warm = await secondsOf(readAll);
  const all = await secondsOf(() => db.all());
  await db.close();
  return [
    { id: 'W7', what: 'open and first get', value: opened * 1000, unit: 'ms' },
    { id: 'W3', what: 'random gets after opening', value: order.length / cold, unit: '/s' },
    { id: 'W3', what: 'random gets, warm', value: order.length / warm, unit: '/s' },
    { id: 'W4', what: `all ${documents} documents`, value: all * 1000, unit: 'ms' },
  ];
}

const UPDATES = 5;
const SINGLE_PUTS = 1000;

/** Measures a database that was closed right after its writes, without compaction. */
async function closedAtOnce(adapter, folder, { documents }, megabytesOf) {
  const canPut = (adapter.putsMax ?? SINGLE_PUTS) >= SINGLE_PUTS;
  const single = folder();
  let db = await adapter.open(single);
  for (let n = 0; canPut && n < SINGLE_PUTS; n++) await db.put(documentOf(n));
  await db.close();
  const directory = folder();
  db = await adapter.open(directory);
  await fill(db, documents);
  await db.close();
  const filled = megabytesOf?.(directory);
  db = await adapter.open(directory);
  const all = await secondsOf(() => db.all());
  for (let version = 1; version <= UPDATES; version++)
    await fill(db, documents, (n) => documentOf(n, version), db.update);
  await db.close();
  const updated = megabytesOf?.(directory);
  const opened = await secondsOf(async () => {
    db = await adapter.open(directory);
    await db.get(idOf(17));
  });
  await db.close();
  const onDisk = [
    [`bytes of ${SINGLE_PUTS} puts, closed at once`, canPut ? megabytesOf?.(single) : undefined],
    [`bytes of ${documents} documents in bulk, closed at once`, filled],
    [`bytes after ${UPDATES} updates of each document, closed at once`, updated],
  ];
  return [
    ...onDisk.flatMap(([what, value]) =>
      value === undefined ? [] : [{ id: 'W8', what, value, unit: 'MB' }],
    ),
    { id: 'W7', what: `open and first get after ${UPDATES} updates`, value: opened * 1000, unit: 'ms' },
    { id: 'W4', what: `all ${documents} documents, first call`, value: all * 1000, unit: 'ms' },
  ];
}

async function queries(adapter, folder, { documents }) {
  const directory = folder();
  let db = await adapter.open(directory);
  await fill(db, documents);
  const range = () => db.range('rank', 50, 50);
  const first = await secondsOf(range);
  const again = await secondsOf(range);
  await db.bulk(Array.from({ length: 100 }, (_, n) => documentOf(documents + n)));
  const after = await secondsOf(range);
  await db.close();
  db = await adapter.open(directory);
  const reopened = await secondsOf(range);
  await db.close();
  return [
    { id: 'W5', what: 'first query, builds the index', value: first * 1000, unit: 'ms' },
    { id: 'W5', what: 'range of about 90 rows', value: again * 1000, unit: 'ms' },
    { id: 'W5', what: 'query after 100 more documents', value: after * 1000, unit: 'ms' },
    { id: 'W5', what: 'range of about 90 rows after opening', value: reopened * 1000, unit: 'ms' },
  ];
}

/** Searches with an index that is declared before data is written. */
async function declared(adapter, folder, { documents }) {
  const directory = folder();
  const open = () => adapter.open(directory, { indexes: ['rank'] });
  const range = (db) => db.find({ rank: { gte: 50, lte: 50 } });
  let db = await open();
  const filled = await secondsOf(() => fill(db, documents));
  const first = await secondsOf(() => range(db));
  await db.bulk(Array.from({ length: 100 }, (_, n) => documentOf(documents + n)));
  const after = await secondsOf(() => range(db));
  const times = [];
  for (let n = 0; n < 100; n++) {
    await db.put(documentOf(n, n + 1));
    times.push((await secondsOf(() => range(db))) * 1000);
  }
  await db.close();
  db = await open();
  const reopened = await secondsOf(() => range(db));
  await db.close();
  return [
    { id: 'W5', what: 'bulk with a declared index', value: documents / filled, unit: '/s' },
    { id: 'W5', what: 'first search with a declared index', value: first * 1000, unit: 'ms' },
    { id: 'W5', what: 'search after 100 more documents, declared', value: after * 1000, unit: 'ms' },
    { id: 'W5', what: 'search after each put, declared, p50', value: percentile(times, 0.5), unit: 'ms' },
    { id: 'W5', what: 'first search after opening, declared', value: reopened * 1000, unit: 'ms' },
  ];
}

async function liveUpdates(adapter, folder, { documents }) {
  const updates = Math.min(200, adapter.putsMax ?? 200);
  const db = await adapter.open(folder());
  await fill(db, documents);
  const times = [];
  let heard = () => {};
  const stop = db.subscribe(() => heard());
  for (let n = 0; n < updates; n++) {
    const started = now();
    const arrival = new Promise((resolve) => {
      heard = () => resolve(now() - started);
    });
    await db.put(documentOf(n, n + 1));
    times.push(await arrival);
  }
  stop();
  await db.close();
  return [{ id: 'W6', what: 'put to subscriber, p50', value: percentile(times, 0.5), unit: 'ms' }];
}

/** The workloads by the id of their first row, with the adapter methods that each one needs. */
export const WORKLOADS = {
  W1: { needs: ['put'], run: puts },
  W1b: { needs: ['put'], run: putsInFlight },
  W2: { needs: ['bulk'], run: bulk },
  'W2, shapes': { needs: ['bulk', 'get'], run: shapes },
  W3: { needs: ['get', 'all'], run: reads },
  'W7, closed at once': { needs: ['put', 'bulk', 'get', 'all'], run: closedAtOnce },
  W5: { needs: ['range'], run: queries },
  'W5, declared': { needs: ['find'], run: declared },
  W6: { needs: ['subscribe'], run: liveUpdates },
};

/** Runs a workload. Returns undefined when the adapter doesn't support it. */
export async function runWorkload(adapter, id, size, newPlace, megabytesOf) {
  const { needs, run } = WORKLOADS[id];
  const db = await adapter.open(newPlace());
  const isAble = needs.every((need) => need in db);
  await db.close();
  return isAble ? run(adapter, newPlace, size, megabytesOf) : undefined;
}
