/** Runs the page's engine in the thread of the tests, with databases in memory. */

import { localStorageName } from '@fixpoint/protocol';
import { type Database, fixpoint } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { rowsOf } from 'fixpoint/rows';
import { quickJsSandbox } from 'fixpoint/sandbox';
import { type BridgePort, serveEngine } from 'fixpoint/worker';
import { beforeEach, vi } from 'vitest';
import { openLocal } from '../local/databases.ts';
import { serveAnswers } from './answers.ts';
import { countedSandbox, type MapWork } from './counted-sandbox.ts';
import { extendToken } from './extend-token.ts';
import { serveTasks } from './tasks.ts';

type Listener = (event: { readonly data?: unknown }) => void;

const opened = new Map<string, Database>();
const listeners = new Set<(work: MapWork) => void>();
const sandbox = countedSandbox(quickJsSandbox(), (work) => {
  for (const listener of listeners) listener(work);
});

function openInMemory(name: string): Database {
  const known = opened.get(name);
  if (known !== undefined) return known;
  const database = fixpoint(name, { storage: 'memory', sandbox, commitEachWrite: true });
  opened.set(name, database);
  database.onClosed(() => opened.delete(name));
  return database;
}

/** Replaces the engine's worker, and responds to the page like the worker's script. */
class EngineHere {
  readonly #page: Listener[] = [];
  readonly #worker: Listener[] = [];

  constructor() {
    const port: BridgePort = {
      postMessage: (message) => queueMicrotask(() => tell(this.#page, message)),
      addEventListener: (type, listener) => void (type === 'message' && this.#worker.push(listener)),
    };
    serveEngine(port, openInMemory);
  }

  addEventListener(type: string, listener: Listener): void {
    if (type === 'message') this.#page.push(listener);
  }

  postMessage(message: { readonly answers?: MessagePort; readonly tasks?: MessagePort }): void {
    const { answers, tasks } = message;
    if (answers === undefined || tasks === undefined) {
      queueMicrotask(() => tell(this.#worker, message));
      return;
    }
    serveAnswers(answers, {
      databaseOf: openInMemory,
      rowsOf: (name) => rowsOf(openInMemory(name)),
      onMapWork: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    serveTasks(tasks, {
      rowsOf: (name) => rowsOf(openInMemory(name)),
      declare: (name, indexes) => fixpoint(name, { storage: 'memory', indexes, commitEachWrite: true }),
      random: () => 0.5,
      extend: (server, token) => extendToken(server, token),
    });
  }
}

function tell(to: readonly Listener[], data: unknown): void {
  for (const listener of to) listener({ data: structuredClone(data) });
}

let databases = 0;

/** Returns a name that no database has, and that lists show unchanged. */
export function freshName(): string {
  databases += 1;
  return `shop${databases}`;
}

/** Creates a local database with these documents. */
export async function freshLocal(
  docs: readonly Readonly<Record<string, unknown>>[] = [],
  name = freshName(),
): Promise<BridgedDatabase> {
  const database = openLocal(name);
  await database.ready();
  if (docs.length > 0) await database.bulk([...docs]);
  return database;
}

/** Must be called once in a file whose pages open local databases. */
export function withEngine(): void {
  beforeEach(() => {
    vi.stubGlobal('Worker', EngineHere);
    vi.stubGlobal('indexedDB', {
      databases: async () => [...opened.keys()].map((name) => ({ name: localStorageName(name) })),
    });
  });
}
