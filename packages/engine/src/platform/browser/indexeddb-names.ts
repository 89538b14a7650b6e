/** Names of the databases and locks of a store. */

/**
 * Returns the name that the store gets if a different client of the format has a database with the
 * usual name. In lists of databases, both names refer to the same database.
 */
export const besideName = (storageName: string): string => `fixpoint.${storageName}`;

/** Returns undefined on pages that aren't secure, because browsers have no locks there. */
export const lockManager = (): LockManager | undefined =>
  (globalThis.navigator as Partial<Navigator> | undefined)?.locks;

export const destroyLock = (storageName: string): string => `fixpoint:${storageName}:destroy`;
