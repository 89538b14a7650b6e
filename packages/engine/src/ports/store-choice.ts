import type { Platform } from './platform.ts';

/** A store that a browser can use for new databases instead of IndexedDB. */
export interface StoreChoice {
  /** The platform with that store. It opens databases in IndexedDB that were created there. */
  readonly platform: Platform;
}
