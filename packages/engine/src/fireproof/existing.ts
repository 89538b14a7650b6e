/** Imports databases of `@fireproof/core` on this device, and exports databases to that format. */
import { FixpointError } from '@fixpoint/protocol';
import type { Core } from '../database/core.ts';
import type { Database } from '../database/database.ts';
import { insideOf } from '../database/inside.ts';
import type { Exported } from '../existing/export-existing.ts';
import type { Imported } from '../existing/import-existing.ts';
import { type FireproofDatabase, isDatabase } from './database.ts';
import { asObject } from './options.ts';
import { placeOf } from './store-urls.ts';

/** The place of a database of `@fireproof/core` to import. */
export interface ImportOptions {
  /**
   * Folder of that product's databases, `file://...`, or `indexeddb://fp` in a browser.
   * `?storekey=@name-data@` selects the key of the database.
   */
  readonly from: string;
  /** Name of the database to import. Default: the name of the importing database. */
  readonly name?: string | undefined;
  /**
   * Folder of that product's keys, `file://...`. Default: the variable FP_KEYBAG_URL, or else that
   * product's default folder.
   */
  readonly keyBag?: string | undefined;
}

/** The place to which a database is exported for `@fireproof/core`. */
export interface ExportOptions {
  /** Folder to write to, `file://...`. With `?storekey=insecure`, nothing is encrypted. */
  readonly to: string;
  /** Name of the exported database. Default: the name of the database. */
  readonly name?: string | undefined;
  /** Folder of the keys, as in {@link ImportOptions}. A missing key is created in this folder. */
  readonly keyBag?: string | undefined;
}

/**
 * Imports the history, documents, deletions and files of a database of `@fireproof/core`. That
 * database is read and checked completely first, and stays unchanged. The merge is one durable
 * step. Importing again adds later writes. Resolves with undefined when the other database doesn't
 * exist or is empty.
 * @throws FixpointError CORRUPT, MISSING_HEAD, MISSING_CARS, MISSING_BLOCK, MISSING_STORE_KEY,
 * KEY_UNKNOWN, REQUEST_INVALID, STORE_FULL, STORE_FAILED
 */
export async function importDatabase(
  database: Database | FireproofDatabase,
  options: ImportOptions,
): Promise<Imported | undefined> {
  const { commits, platform } = await coreOf(database);
  const { from, name = database.name, keyBag } = asObject('import', options);
  // Without `from`, the import would use the place where that product has its databases.
  if (typeof from !== 'string') throw new FixpointError('REQUEST_INVALID', 'import: `from` is not a string');
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
 * Exports the database as one that `@fireproof/core` opens: all events, everything that the head
 * needs, and attached files. Works only in Node.
 * @throws FixpointError CONFLICT when a database exists there, MISSING_HEAD when this database is
 * empty, NOT_IMPLEMENTED in a browser, MISSING_BLOCK, CORRUPT, STORE_FULL, STORE_FAILED
 */
export async function exportDatabase(
  database: Database | FireproofDatabase,
  options: ExportOptions,
): Promise<Exported> {
  const { commits, platform } = await coreOf(database);
  const { to, name = database.name, keyBag } = asObject('export', options);
  if (typeof to !== 'string') throw new FixpointError('REQUEST_INVALID', 'export: `to` is not a string');
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
