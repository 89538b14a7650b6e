/** The engine of this page, in a worker of its own. Made when a database is first opened. */
import { type BridgedDatabase, connectEngine, type Engine } from 'fixpoint/bridge';
import type { MapWork } from './counted-sandbox.ts';

let engine: Engine | undefined;
const listeners = new Set<(work: MapWork) => void>();

/** A handle of a database of this browser. */
export function openDatabase(name: string): BridgedDatabase {
  engine ??= startEngine();
  return engine.open(name);
}

/** Calls back when a map function that was typed has run. What it gives back ends that. */
export function onMapWork(listener: (work: MapWork) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function startEngine(): Engine {
  const worker = new Worker(new URL('./engine-worker.ts', import.meta.url), {
    type: 'module',
    name: 'engine',
  });
  worker.addEventListener('message', ({ data }: MessageEvent<{ mapWork?: MapWork }>) => {
    const { mapWork } = data;
    if (mapWork !== undefined) for (const listener of listeners) listener(mapWork);
  });
  return connectEngine(worker);
}
