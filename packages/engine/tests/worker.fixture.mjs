/**
 * Serves the engine from a Node worker. A call of `ready` on a database with the name `end` stops
 * the worker.
 */
import { parentPort } from 'node:worker_threads';
import { fixpoint } from 'fixpoint';
import { serveEngine } from 'fixpoint/worker';

serveEngine(parentPort, (name, options) => {
  const database = fixpoint(name, { ...options, storage: 'memory' });
  if (name === 'end') database.ready = () => process.exit(3);
  return database;
});
