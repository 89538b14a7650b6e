/** The databases of this browser: one open handle of each, made and removed here. */
import { localStorageName, savedQueriesName } from '@fixpoint/protocol';
import { type BridgedDatabase, wasWritten } from 'fixpoint/bridge';
import { openDatabase } from '../engine/open.ts';
import { listedName, visibleNames } from './database-names.ts';
import { forgetNotesOf } from './forget-notes.ts';

const opened = new Map<string, BridgedDatabase>();
const listeners = new Set<() => void>();
/** Tells other tabs that a database was made or removed. */
const otherTabs =
  typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('fixpoint:databases');
otherTabs?.addEventListener('message', () => tell());

/** The page's handle of a database; names that share a storage share it. */
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
  // One that could not be opened is tried anew by the next page; this handle tells each caller why.
  database.ready().catch(forget);
  return database;
}

/** Names of this browser's storages; undefined when it does not tell them. */
export async function storageNames(): Promise<readonly string[] | undefined> {
  try {
    const databases = await indexedDB.databases();
    return databases.flatMap(({ name }) => (name === undefined ? [] : [name]));
  } catch {
    return undefined;
  }
}

/** Whether the database has a storage; opening it would make one. */
export async function hasStorage(name: string): Promise<boolean> {
  const found = await storageNames();
  return found?.includes(localStorageName(name)) ?? opened.has(listedName(name));
}

/** Whether it is one of the databases that are shown. Where the browser does not tell, it is believed. */
export async function existsLocal(name: string): Promise<boolean> {
  const found = await storageNames();
  return found === undefined || visibleNames(found).includes(listedName(name));
}

/** Whether there was a database whose storage the browser removed. Fixpoint forgets one that it deletes itself. */
export async function isLostLocal(name: string): Promise<boolean> {
  return !(await existsLocal(name)) && wasWritten(listedName(name));
}

/** Makes the storage, so that the database is in the list. @throws FixpointError */
export async function createLocal(name: string): Promise<BridgedDatabase> {
  const database = openLocal(name);
  await database.ready();
  listChanged();
  return database;
}

/** Removes the database from this browser, its saved queries, and what was noted about it. @throws FixpointError */
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

/** Makes an empty database in place of one whose storage the browser removed. Saved queries and drafts stay. @throws FixpointError */
export async function resetLocal(name: string): Promise<void> {
  await destroy(name);
  await createLocal(name);
}

async function destroy(name: string): Promise<void> {
  await openLocal(name).destroy();
  opened.delete(listedName(name));
}

/** Calls back when a database was made, removed or connected, here or in another tab. */
export function onListChange(fn: () => void): () => void {
  listeners.add(fn);
  return () => void listeners.delete(fn);
}

/** To be called by who makes, removes or connects a database. */
export function listChanged(): void {
  otherTabs?.postMessage('changed');
  tell();
}

function tell(): void {
  for (const listener of [...listeners]) listener();
}
