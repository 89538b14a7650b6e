/**
 * Runs the page's engine in the test's own process instead of a worker, and lists its storages like
 * a browser. The engine lives as long as the process, so every test needs names of its own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { localStorageName } from '@fixpoint/protocol';
import { fixpoint } from 'fixpoint';
import { type BridgePort, serveEngine } from 'fixpoint/worker';
import { beforeEach, vi } from 'vitest';

const storages = new Set<string>();
let directory: string | undefined;

function open(name: string) {
  if (directory === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'fixpoint-console-'));
    process.on('exit', () => rmSync(made, { recursive: true, force: true }));
    directory = made;
  }
  const database = fixpoint(name, { directory, durability: 'relaxed' } as object);
  const storage = localStorageName(name);
  storages.add(storage);
  const { destroy } = database;
  return Object.assign(database, {
    destroy: async () => {
      await destroy();
      storages.delete(storage);
    },
  });
}

/** Stands in for the engine's worker. */
class EngineHere {
  readonly #port;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    serveEngine(port2 as unknown as BridgePort, open);
    this.#port = port1;
    port1.unref();
    port2.unref();
  }

  postMessage(message: object): void {
    // The page also sends the port of its queries, which this engine doesn't answer.
    if (!('answers' in message)) this.#port.postMessage(message);
  }

  addEventListener(type: string, listener: (event: { readonly data?: unknown }) => void): void {
    if (type === 'message') this.#port.on('message', (data) => listener({ data }));
  }
}

/** Provides the engine and the list of storages. Must be called once in a file of tests. */
export function withPageEngine(): void {
  beforeEach(() => {
    vi.stubGlobal('Worker', EngineHere);
    vi.stubGlobal('indexedDB', {
      databases: () => Promise.resolve([...storages].map((name) => ({ name, version: 1 }))),
    });
  });
}

let named = 0;
/** Returns a name that no other test uses, and that is listed unchanged. */
export const freshName = (): string => {
  named += 1;
  return `shop${named}`;
};
