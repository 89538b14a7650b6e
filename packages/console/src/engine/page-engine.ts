/** Starts this page's engine in its own worker when the first database is opened. */
import { type BridgedDatabase, connectEngine, type Engine } from 'fixpoint/bridge';
import { type Asking, createAsking } from './asking.ts';
import { guardWrites } from './guarded-writes.ts';

interface Running {
  readonly engine: Engine;
  readonly asking: Asking;
}

let running: Running | undefined;

/** Returns a handle of a local database. */
export function openDatabase(name: string): BridgedDatabase {
  running ??= start();
  return guardWrites(running.engine.open(name));
}

/** Queries this page's databases with the text of a map function. */
export const ask: Asking['ask'] = (question, signal) => {
  running ??= start();
  return running.asking.ask(question, signal);
};

function start(): Running {
  const worker = new Worker(new URL('./engine-worker.ts', import.meta.url), {
    type: 'module',
    name: 'engine',
  });
  const { port1, port2 } = new MessageChannel();
  const asking = createAsking(port1);
  worker.addEventListener('error', ({ message }) => asking.lost(message));
  worker.postMessage({ answers: port2 }, [port2]);
  return { engine: connectEngine(worker), asking };
}
