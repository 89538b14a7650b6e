import type { ApiToken } from '@fixpoint/protocol/admin';
import type { ApiTokenRow } from '../tables/schema.ts';

/** Returns everything but the hash of the secret. */
export const describeApiToken = ({ hash: _, tenantId, lastUsedAt, ...row }: ApiTokenRow): ApiToken => ({
  ...row,
  ...(tenantId !== null && { tenantId }),
  ...(lastUsedAt !== null && { lastUsedAt }),
});
