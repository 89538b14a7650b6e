import type { ByProvider } from '@fixpoint/protocol/admin';
import type { UserByProvider } from '../tables/schema.ts';

type Params = ByProvider['params'];

/** Returns what users may see of themselves. */
export function describeOwn(row: UserByProvider): ByProvider {
  return {
    providerUserId: row.providerUserId,
    queryProvider: row.queryProvider,
    ...(row.queryEmail !== null && { queryEmail: row.queryEmail }),
    ...(row.cleanEmail !== null && { cleanEmail: row.cleanEmail }),
    params: JSON.parse(row.params) as Params,
    used: row.used,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/**
 * Returns what anyone may see of a user whose address or id they know: no more than spec §3 lists,
 * and whether the address was verified.
 */
export function describeFound(row: UserByProvider): ByProvider {
  const { email_verified, image_url } = JSON.parse(row.params) as Params;
  return {
    queryProvider: row.queryProvider,
    // Compares the whole address: its cleaned form may belong to somebody else.
    ...(row.queryEmail !== null && { cleanEmail: row.queryEmail }),
    params: { email_verified: email_verified === true, ...(image_url && { image_url }) },
  };
}
