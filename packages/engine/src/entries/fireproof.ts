import { FixpointError } from '@fixpoint/protocol';
import { type FireproofDatabase, fireproofDatabase } from '../fireproof/database.ts';
import { checkOptions, type FireproofOptions } from '../fireproof/options.ts';
import { placeOf } from '../fireproof/store-urls.ts';
import { fixpoint } from './index.ts';

export * from './fireproof-exports.ts';

/**
 * Opens a database of this browser for an application of `@fireproof/core`. The first open imports
 * an existing database of that product.
 * @throws FixpointError MISSING_NAME, REQUEST_INVALID, NOT_IMPLEMENTED, and the errors of invalid
 * store URLs
 */
export function fireproof(name: string, options: FireproofOptions = {}): FireproofDatabase {
  checkOptions(options);
  const { base, storeKey, isBrowsers: _, ...place } = placeOf(name, options.storeUrls);
  if (base !== undefined) throw new FixpointError('REQUEST_INVALID', `storeUrls: no files here: ${base}`);
  return fireproofDatabase(
    fixpoint(name, { ...place, existing: { storeKey }, commitEachWrite: true, stamps: false }),
  );
}
