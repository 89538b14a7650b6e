/** Runs the engine in a worker, so that rendering never waits for a database. */
import { type Database, type DatabaseOptions, fixpoint } from 'fixpoint';
import { rowsOf } from 'fixpoint/rows';
import { browserSandbox } from 'fixpoint/sandbox';
import { type BridgePort, serveEngine } from 'fixpoint/worker';
import { serveAnswers } from './answers.ts';
import { countedSandbox, type MapWork } from './counted-sandbox.ts';
import { extendToken } from './extend-token.ts';
import { workersOfPage } from './map-workers.ts';
import type { EnginePorts } from './page-engine.ts';
import { serveTasks } from './tasks.ts';

/** Set by the page's first message, before the page opens a database. */
let createMapWorker: ReturnType<typeof workersOfPage>;
/**
 * Runs the text of map functions: QuickJS in a worker whose policy blocks all network access.
 * Created on first use.
 */
const sandbox = browserSandbox(() => createMapWorker());
const opened = new Map<string, { readonly database: Database; readonly options: DatabaseOptions }>();
const listeners = new Set<(work: MapWork) => void>();
const counted = countedSandbox(sandbox, (work) => {
  for (const listener of listeners) listener(work);
});

serveEngine(self as BridgePort, (name, options) => {
  const database = fixpoint(name, { ...options, indexes: 'stored', sandbox: counted });
  opened.set(name, { database, options });
  return database;
});

/**
 * Returns the handle that the page opened last. A handle that the page closed rejects every call.
 */
const databaseOf = (name: string): Database =>
  opened.get(name)?.database ?? fixpoint(name, { sandbox: counted });

// Uses the same port as the bridge, which ignores this message.
self.addEventListener('message', ({ data }: MessageEvent<Partial<EnginePorts>>) => {
  if (data.answers === undefined || data.tasks === undefined || data.mapWorkers === undefined) return;
  createMapWorker = workersOfPage(data.mapWorkers);
  serveAnswers(data.answers, {
    databaseOf,
    rowsOf: (name) => rowsOf(databaseOf(name)),
    onMapWork: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  serveTasks(data.tasks, {
    rowsOf: (name) => rowsOf(databaseOf(name)),
    declare: (name, indexes) => fixpoint(name, { ...opened.get(name)?.options, indexes, sandbox: counted }),
    extend: (server, token) => extendToken(server, token),
    random: () => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32,
  });
});
