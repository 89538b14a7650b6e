/**
 * Databases of `@fireproof/core` on this device: taken in by hand, and written from ours in their
 * form.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { Core } from '../database/core.ts';
import type { Database } from '../database/database.ts';
import { insideOf } from '../database/inside.ts';
import type { Exported } from '../existing/export-existing.ts';
import type { Imported } from '../existing/import-existing.ts';
import { type FireproofDatabase, isDatabase } from './database.ts';
import { asObject } from './options.ts';
import { placeOf } from './store-urls.ts';

/** Where a database of `@fireproof/core` lies that is taken in. */
export interface ImportOptions {
  /**
   * Folder of its databases, `file://...`, or `indexeddb://fp` in a browser;
   * `?storekey=@name-data@` names its key.
   */
  readonly from: string;
  /** Its name, when it is not that of the database that takes it in. */
  readonly name?: string | undefined;
  /**
   * Folder of its keys, `file://...`; default the variable FP_KEYBAG_URL, or where that product has
   * them.
   */
  readonly keyBag?: string | undefined;
}

/** Where a database is written for `@fireproof/core`. */
export interface ExportOptions {
  /** Folder to write to, `file://...`; with `?storekey=insecure` nothing is encrypted. */
  readonly to: string;
  /** Its name there; default that of the database. */
  readonly name?: string | undefined;
  /** Folder of its keys, as of {@link ImportOptions}; a key that it needs is made there. */
  readonly keyBag?: string | undefined;
}

/**
 * Takes what a database of `@fireproof/core` holds into this one: history, documents, deletions,
 * files. It is read whole and checked first, and left as it is; the merge is one durable step.
 * Doing it again takes in what was written there since. Gives undefined when there is none, or it
 * is empty.
 * @throws FixpointError CORRUPT, MISSING_HEAD, MISSING_CARS, MISSING_BLOCK, MISSING_STORE_KEY,
 * KEY_UNKNOWN, REQUEST_INVALID, STORE_FULL, STORE_FAILED
 */
export async function importDatabase(
  database: Database | FireproofDatabase,
  options: ImportOptions,
): Promise<Imported | undefined> {
  const { commits, platform } = await coreOf(database);
  const { from, name = database.name, keyBag } = asObject('import', options);
  // Without one it would be the place where that product has its databases.
  if (typeof from !== 'string') throw new FixpointError('REQUEST_INVALID', 'import: `from` is not a text');
  const { base, storeKey } = placeOf(name, { base: from });
  const existing = await platform.existingStore?.(name, { base, keyBag });
  if (existing === undefined) return undefined;
  try {
    const { importExisting, storeKeyName } = await import('../existing/import-existing.ts');
    return await importExisting(commits, existing, storeKey ?? storeKeyName(name));
  } finally {
    await existing.close();
  }
}

/**
 * Writes the database as one that `@fireproof/core` opens: all events, what the head needs,
 * attached files. In Node alone.
 * @throws FixpointError CONFLICT when a database lies there, MISSING_HEAD when this one is empty,
 * NOT_IMPLEMENTED in a browser, MISSING_BLOCK, CORRUPT, STORE_FULL, STORE_FAILED
 */
export async function exportDatabase(
  database: Database | FireproofDatabase,
  options: ExportOptions,
): Promise<Exported> {
  const { commits, platform } = await coreOf(database);
  const { to, name = database.name, keyBag } = asObject('export', options);
  if (typeof to !== 'string') throw new FixpointError('REQUEST_INVALID', 'export: `to` is not a text');
  const { base, storeKey, encrypted } = placeOf(name, { base: to });
  if (base === undefined || platform.existingTarget === undefined)
    throw new FixpointError('NOT_IMPLEMENTED', `export to ${to}`);
  const { exportExisting, storeKeyName } = await import('../existing/export-existing.ts');
  const key = encrypted === false ? undefined : (storeKey ?? storeKeyName(name));
  return exportExisting(commits, platform.existingTarget(name, { base, keyBag }), key, platform.random);
}

function coreOf(database: Database | FireproofDatabase): Promise<Core> {
  const inside = insideOf(isDatabase(database) ? database.fixpoint : asObject('database', database));
  if (inside === undefined) throw new FixpointError('NOT_IMPLEMENTED', 'of a database of another worker');
  return inside.open();
}
