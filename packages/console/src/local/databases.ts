/** Opens, creates and removes the databases of this browser, with one open handle for each. */
import { localStorageName, savedQueriesName } from '@fixpoint/protocol';
import { type BridgedDatabase, wasWritten } from 'fixpoint/bridge';
import { openDatabase } from '../engine/page-engine.ts';
import { forgetSteps } from '../undo/undo-stack.ts';
import { listedName, visibleNames } from './database-names.ts';
import { forgetNotesOf } from './forget-notes.ts';

const opened = new Map<string, BridgedDatabase>();
const listeners = new Set<() => void>();
/** Notifies other tabs when a database is created, removed or connected. */
const otherTabs =
  typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('fixpoint:databases');
otherTabs?.addEventListener('message', () => tell());

/** Returns the page's handle of a database. Names that share a storage share the handle. */
export function openLocal(name: string): BridgedDatabase {
  const listed = listedName(name);
  const known = opened.get(listed);
  if (known !== undefined) return known;
  const database = openDatabase(listed);
  opened.set(listed, database);
  const forget = () => {
    if (opened.get(listed) === database) opened.delete(listed);
  };
  database.onClosed(forget);
  // After a failed open, this handle reports the reason to each caller, and the next page opens a
  // new handle.
  database.ready().catch(forget);
  return database;
}

/** Returns the names of this browser's storages; undefined when the browser doesn't list them. */
export async function storageNames(): Promise<readonly string[] | undefined> {
  try {
    const databases = await indexedDB.databases();
    return databases.flatMap(({ name }) => (name === undefined ? [] : [name]));
  } catch {
    return undefined;
  }
}

/** Returns whether the browser refuses to list storages, as it does when it blocks site data. */
export async function isStorageBlocked(): Promise<boolean> {
  try {
    // Older browsers don't have this method.
    await indexedDB.databases?.();
    return false;
  } catch (cause) {
    // Other errors mean that the browser can't list storages.
    return cause instanceof DOMException;
  }
}

/** Returns whether the database has a storage. Opening it instead would create one. */
export async function hasStorage(name: string): Promise<boolean> {
  const found = await storageNames();
  return found?.includes(localStorageName(name)) ?? opened.has(listedName(name));
}

/**
 * Returns whether the console lists the database. Returns true if the browser can't list storages.
 */
export async function existsLocal(name: string): Promise<boolean> {
  const found = await storageNames();
  return found === undefined || visibleNames(found).includes(listedName(name));
}

/**
 * Returns whether the browser removed the storage of a database. Databases deleted by Fixpoint
 * don't count.
 */
export async function isLostLocal(name: string): Promise<boolean> {
  return !(await existsLocal(name)) && wasWritten(listedName(name));
}

/** Creates the storage, so that the database is listed. @throws FixpointError */
export async function createLocal(name: string): Promise<BridgedDatabase> {
  const database = openLocal(name);
  await database.ready();
  listChanged();
  return database;
}

/**
 * Removes the database from this browser, with its saved queries and notes. @throws FixpointError
 */
export async function destroyLocal(name: string): Promise<void> {
  const queries = savedQueriesName(listedName(name));
  const hasQueries = await hasStorage(queries);
  try {
    await destroy(name);
    forgetNotesOf(listedName(name));
    if (hasQueries) await destroy(queries);
  } finally {
    listChanged();
  }
}

/**
 * Creates an empty database in place of one whose storage the browser removed. Saved queries and
 * drafts stay. @throws FixpointError
 */
export async function resetLocal(name: string): Promise<void> {
  await destroy(name);
  await createLocal(name);
}

async function destroy(name: string): Promise<void> {
  await openLocal(name).destroy();
  forgetSteps(listedName(name));
  opened.delete(listedName(name));
}

/**
 * Registers a listener for databases that are created, removed or connected, here or in another
 * tab.
 */
export function onListChange(fn: () => void): () => void {
  listeners.add(fn);
  return () => void listeners.delete(fn);
}

/** Must be called after a database is created, removed or connected. */
export function listChanged(): void {
  otherTabs?.postMessage('changed');
  tell();
}

function tell(): void {
  for (const listener of [...listeners]) listener();
}
