/** Starts this page's engine in its own worker when the first database is opened. */
import { type BridgedDatabase, connectEngine, type Engine } from 'fixpoint/bridge';
import { type Asking, createAsking } from './asking.ts';
import { guardWrites } from './guarded-writes.ts';
import { serveMapWorkers } from './map-workers.ts';
import { createTasks, type Tasks } from './tasks.ts';

interface Running {
  readonly engine: Engine;
  readonly asking: Asking;
  readonly tasks: Tasks;
}

/** Ports for the worker, besides the port of the bridge. */
export interface EnginePorts {
  readonly answers: MessagePort;
  readonly tasks: MessagePort;
  readonly mapWorkers: MessagePort;
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

/** Summarizes the documents of one of this page's databases. */
export const summarize: Tasks['summarize'] = (name, show, signal) => {
  running ??= start();
  return running.tasks.summarize(name, show, signal);
};

/** Creates indexes in one of this page's databases. */
export const createIndexes: Tasks['createIndexes'] = (name, indexes) => {
  running ??= start();
  return running.tasks.createIndexes(name, indexes);
};

/** Extends a token for a ledger of another server, which only the worker may call. */
export const extendToken: Tasks['extendToken'] = (server, token) => {
  running ??= start();
  return running.tasks.extendToken(server, token);
};

function start(): Running {
  const worker = new Worker(new URL('./engine-worker.ts', import.meta.url), {
    type: 'module',
    name: 'engine',
  });
  const [forAnswers, forTasks, forMaps] = [new MessageChannel(), new MessageChannel(), new MessageChannel()];
  const mapWorkers = serveMapWorkers(
    forMaps.port1,
    () => new Worker(new URL('./map-worker.ts', import.meta.url), { type: 'module', name: 'map-worker' }),
  );
  endWithPage([worker, mapWorkers]);
  const asking = createAsking(forAnswers.port1);
  const tasks = createTasks(forTasks.port1);
  worker.addEventListener('error', ({ message }) => {
    asking.lost(message);
    tasks.lost(message);
  });
  const ports: EnginePorts = {
    answers: forAnswers.port2,
    tasks: forTasks.port2,
    mapWorkers: forMaps.port2,
  };
  worker.postMessage(ports, Object.values(ports));
  return { engine: connectEngine(worker), asking, tasks };
}

/**
 * Ends the workers when the user leaves the page, even if the browser keeps the page for its Back
 * button. Firefox would freeze the engine's worker, whose open databases then block other pages. A
 * page that comes back loads again.
 */
export function endWithPage(
  workers: readonly Pick<Worker, 'terminate'>[],
  page: Pick<Window, 'addEventListener' | 'location'> = window,
): void {
  page.addEventListener('pagehide', ({ persisted }) => {
    if (persisted) for (const worker of workers) worker.terminate();
  });
  page.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) page.location.reload();
  });
}
