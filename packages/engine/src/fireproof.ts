import { type FireproofDatabase, fireproofDatabase, placeOf, type StoreUrls } from './fireproof/database.ts';
import { fixpoint } from './index.ts';

export * from './fireproof-exports.ts';

export interface FireproofOptions {
  readonly storeUrls?: StoreUrls;
}

/** Opens a database of this browser for an application of `@fireproof/core`. @throws FixpointError MISSING_NAME, REQUEST_INVALID */
export function fireproof(name: string, { storeUrls }: FireproofOptions = {}): FireproofDatabase {
  const { directory: _, ...place } = placeOf(storeUrls);
  return fireproofDatabase(fixpoint(name, place));
}
