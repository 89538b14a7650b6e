/** A page that uses an engine in a worker. It writes the results to its title. */
import { connectEngine } from 'fixpoint/bridge';

const worker = new Worker(new URL('bridge-worker.fixture.ts', import.meta.url), { type: 'module' });
const db = connectEngine(worker).open('bridged');
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
const seen = [
  window.rows[0]?.id,
  await db.rows.count(),
  found,
  await file?.text(),
  missing,
  changes.join('+'),
];
document.title = seen.join(' ');
