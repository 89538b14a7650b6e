/** `fixpoint/sqlite`: stores databases in an SQLite file. */
import { FixpointError } from '@fixpoint/protocol';
import { restingTime } from '../platform/resting-time.ts';
import type { SqliteDriver } from '../platform/sqlite/sqlite-driver.ts';
import { sqliteStores } from '../platform/sqlite/sqlite-store.ts';
import { ownStore, type StoreChoice } from '../ports/store-choice.ts';

export type { SqliteDriver, SqliteStatement } from '../platform/sqlite/sqlite-driver.ts';
export type { StoreChoice } from '../ports/store-choice.ts';

const choices = new WeakMap<SqliteDriver, StoreChoice>();

/**
 * Returns a value for the option `store` of `fixpoint`: databases are then stored in the SQLite
 * file that the driver has open. The drivers `better-sqlite3`, `libsql` and `node:sqlite` fit. Give
 * the store a connection of its own, because it sets the mode of the connection and uses
 * transactions. Close the connection after the last database.
 * @throws FixpointError CONFIG_INVALID
 */
export function sqliteStore(driver: SqliteDriver): StoreChoice {
  if (typeof driver?.prepare !== 'function' || typeof driver.exec !== 'function')
    throw new FixpointError('CONFIG_INVALID', 'the driver has no `prepare` or `exec`');
  const known = choices.get(driver);
  if (known !== undefined) return known;
  const choice = ownStore(sqliteStores(driver, restingTime));
  choices.set(driver, choice);
  return choice;
}
