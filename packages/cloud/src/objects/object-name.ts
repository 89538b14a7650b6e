import { FieldError, FixpointError } from '@fixpoint/protocol';

/**
 * The name of an object. This server assigned the ids of tenant and ledger; the client chose the
 * key.
 */
export interface ObjectName {
  readonly tenant: string;
  readonly ledger: string;
  readonly store: 'car' | 'file' | 'meta' | 'wal';
  /** Objects of an index are stored apart from those of the database. */
  readonly index?: string | undefined;
  readonly key: string;
}

const PART = /^[A-Za-z0-9._-]{1,256}$/;
const ALLOWED = 'must be 1 to 256 letters, digits, dots, dashes or underscores';
const isPart = (text: string) => PART.test(text) && text !== '.' && text !== '..';

/**
 * Returns the path of an object, unique to its name.
 * @throws FixpointError REQUEST_INVALID for a name that could lead to another path
 */
export function objectPath({ tenant, ledger, store, index, key }: ObjectName): string {
  // A dot separates store and index. Store names contain no dot, so an index can't look like
  // another store.
  const parts = [index === undefined ? store : `${store}.${index}`, key];
  if (!isPart(key)) throw new FieldError('urlParam.key', ALLOWED);
  if (index !== undefined && !(isPart(index) && isPart(`${store}.${index}`)))
    throw new FieldError('urlParam.index', ALLOWED);
  return [ledgerPath({ tenant, ledger }), ...parts].join('/');
}

/**
 * Returns the path of a ledger. The paths of its objects, and no other paths, begin with this path
 * and a slash.
 * @throws FixpointError REQUEST_INVALID
 */
export function ledgerPath({ tenant, ledger }: Pick<ObjectName, 'tenant' | 'ledger'>): string {
  if (!isPart(tenant) || !isPart(ledger)) throw new FixpointError('REQUEST_INVALID', 'object name');
  return `${tenant}/${ledger}`;
}
