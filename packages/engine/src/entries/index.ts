import { FixpointError } from '@fixpoint/protocol';
import type { Collections, DatabaseWith } from '../collections/collection-types.ts';
import type { DatabaseOf } from '../collections/typed-database.ts';
import type { Database, DatabaseOptions } from '../database/database.ts';
import { openDatabase } from '../database/open.ts';
import { browserPlatform } from '../platform/browser/browser-platform.ts';
import { memoryPlatform } from '../platform/memory-platform.ts';
import type { Platform } from '../ports/platform.ts';

export * from './exports.ts';

let ofIndexedDb: Platform | undefined;

/**
 * Opens an encrypted database in this browser's IndexedDB. Handles of the same name share it. With
 * `collections`, the handle has each of them as a property. `fixpoint<T>(name)` returns a handle
 * for documents of type `T`, which only the compiler checks.
 * @throws FixpointError MISSING_NAME, CONFIG_INVALID, NOT_IMPLEMENTED for a passphrase
 */
export function fixpoint<C extends Collections>(
  name: string,
  options: DatabaseOptions & { readonly collections: C },
): DatabaseWith<C>;
export function fixpoint(name: string, options?: DatabaseOptions): Database;
export function fixpoint<T extends object>(name: string, options?: DatabaseOptions): DatabaseOf<T>;
// Again, because `ReturnType` takes the last signature.
export function fixpoint(name: string, options?: DatabaseOptions): Database;
export function fixpoint(
  name: string,
  { collections = {}, ...options }: DatabaseOptions & { readonly collections?: Collections } = {},
): object {
  const [first] = Object.values(collections);
  if (first === undefined) return open(name, options);
  return first.openAll((all) => open(name, all), options, collections);
}

function open(name: string, options: DatabaseOptions): Database {
  // A caller who passes a passphrase expects it to protect the keys.
  if (options.passphrase !== undefined)
    throw new FixpointError('NOT_IMPLEMENTED', 'a passphrase in a browser: a device key guards the keys');
  ofIndexedDb ??= browserPlatform();
  const platform = options.store ? options.store.platform(ofIndexedDb) : ofIndexedDb;
  if (options.storage === 'memory')
    return openDatabase(name, memoryPlatform(platform), {
      ...options,
      encrypted: options.encrypted === true,
    });
  return openDatabase(name, platform, options);
}
