/** A page that uses an engine in a worker. It writes the results to its title. */
import { collection } from 'fixpoint';
import { connectEngine } from 'fixpoint/bridge';
import { z } from 'zod';

const counters = collection('counters', { schema: z.object({ n: z.number() }) });

const worker = new Worker(new URL('bridge-worker.fixture.ts', import.meta.url), { type: 'module' });
const db = connectEngine(worker).open('bridged', { collections: { counters } });
const count = 2000;
const changes: number[] = [];
db.subscribe((docs) => changes.push(docs.length), true);
await db.ready();
await db.bulk(
  Array.from({ length: count }, (_, n) => ({ _id: `doc-${String(n).padStart(5, '0')}`, n: n % 10 })),
);
await db.put({ _id: 'file', _files: { 'a.txt': new File(['hello'], 'a.txt', { type: 'text/plain' }) } });
const { _files } = await db.get<{ _files: Record<string, { file(): Promise<File> }> }>('file');
const file = await _files['a.txt']?.file();
const window = await db.rows.window({ offset: 1000, limit: 2 });
let found = 0;
for await (const ids of db.rows.find({ where: { n: 3 }, sort: 'n' })) found += ids.length;
const missing = await db.get('never').catch((error: { code?: string }) => error.code);
const told = changes.join('+');
await Promise.all(
  Array.from({ length: 20 }, () => db.counters.update('a', (one) => ({ n: (one?.n ?? 0) + 1 }))),
);
await db.transact(async (tx) => {
  const { n } = await tx.counters.get('a');
  await tx.counters.put({ _id: 'b', n: n + 1 });
  await tx.counters.del('a');
});
const counted = (await db.counters.find()).docs.map(({ _id, n }) => `${_id}:${n}`);
const seen = [window.rows[0]?.id, await db.rows.count(), found, await file?.text(), missing, told, counted];
document.title = seen.join(' ');
