/** The engine of this page, in a worker of its own. Made when a database is first opened. */
import { type BridgedDatabase, connectEngine, type Engine } from 'fixpoint/bridge';

let engine: Engine | undefined;

/** A handle of a database of this browser. */
export function openDatabase(name: string): BridgedDatabase {
  engine ??= connectEngine(
    new Worker(new URL('./engine-worker.ts', import.meta.url), { type: 'module', name: 'engine' }),
  );
  return engine.open(name);
}
