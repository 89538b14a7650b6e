/** The databases of this browser: their list, and one open handle of each. */
import {
  LEDGER_CACHE_PREFIX,
  LOCAL_PREFIX,
  localStorageName,
  QUERIES_SUFFIX,
  RESERVED_DATABASES,
} from '@fixpoint/protocol';
import { type Database, fixpoint } from 'fixpoint';
import { browserSandbox } from 'fixpoint/sandbox';

const sandbox = browserSandbox(
  () => new Worker(new URL('./map-worker.ts', import.meta.url), { type: 'module', name: 'map-worker' }),
);
const opened = new Map<string, Database>();
const listeners = new Set<() => void>();

/** Names to show for storage names, by the rules of spec §5. */
export function visibleNames(storageNames: readonly string[]): string[] {
  return storageNames
    .filter((name) => name.startsWith(LOCAL_PREFIX))
    .map((name) => name.slice(LOCAL_PREFIX.length))
    .filter(
      (name) =>
        !name.endsWith(QUERIES_SUFFIX) &&
        !RESERVED_DATABASES.includes(name) &&
        !name.startsWith(LEDGER_CACHE_PREFIX),
    )
    .sort();
}

/** A list that can't be had is an empty one (spec §8). */
export async function listDatabases(): Promise<string[]> {
  try {
    return visibleNames(
      (await indexedDB.databases()).flatMap(({ name }) => (name === undefined ? [] : [name])),
    );
  } catch {
    return [];
  }
}

/** The name under which a database is listed: that of its storage, without the prefix. */
export const listedName = (name: string): string => localStorageName(name).slice(LOCAL_PREFIX.length);

export function openLocal(name: string): Database {
  const known = opened.get(name);
  if (known !== undefined) return known;
  const database = fixpoint(name, { sandbox });
  opened.set(name, database);
  return database;
}

/** Makes the storage, so that the database is in the list, and tells the lists. @throws FixpointError */
export async function createLocal(name: string): Promise<void> {
  await openLocal(name).ready();
  tellLists();
}

/** Removes the database with all that it holds. @throws FixpointError */
export async function destroyLocal(name: string): Promise<void> {
  await openLocal(name).destroy();
  opened.delete(name);
  tellLists();
}

export function onListChange(fn: () => void): () => void {
  listeners.add(fn);
  return () => void listeners.delete(fn);
}

function tellLists(): void {
  for (const listener of listeners) listener();
}
