import { type FireproofDatabase, fireproofDatabase, placeOf, type StoreUrls } from './fireproof/database.ts';
import { fixpoint } from './node.ts';

export * from './fireproof-exports.ts';

export interface FireproofOptions {
  readonly storeUrls?: StoreUrls;
}

/** Opens a database for an application of `@fireproof/core`; `storeUrls.base` names its folder. @throws FixpointError MISSING_NAME, REQUEST_INVALID */
export function fireproof(name: string, { storeUrls }: FireproofOptions = {}): FireproofDatabase {
  return fireproofDatabase(fixpoint(name, placeOf(storeUrls)));
}
