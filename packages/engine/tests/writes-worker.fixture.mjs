/**
 * Serves one database to each page that sends a port, and counts up the document `a` itself when it
 * receives a number.
 */
import { parentPort } from 'node:worker_threads';
import { fixpoint } from 'fixpoint';
import { serveEngine } from 'fixpoint/worker';

const open = () => fixpoint('shared', { storage: 'memory' });
const database = open();

parentPort.on('message', async (message) => {
  if (typeof message !== 'number') return serveEngine(message, open);
  const updates = Array.from({ length: message }, () =>
    database.update('a', (doc) => ({ n: (doc?.n ?? 0) + 1 })),
  );
  await Promise.all(updates);
  parentPort.postMessage('done');
});
