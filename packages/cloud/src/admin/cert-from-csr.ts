import { FixpointError } from '@fixpoint/protocol';
import { isDuplicate } from '../tables/connection.ts';
import { newId, timestamp } from '../tables/new-row.ts';
import { getApiTokenByHash, insertApiToken, removeApiToken } from '../tables/tenants/api-token-rows.ts';
import { certificateOf, readSigningRequest } from '../tokens/device-keys.ts';
import type { Handler } from './handler.ts';
import { mailNewAccess } from './mail-new-access.ts';

const DAYS = 90;
const DAY_MS = 86_400_000;
const ISSUER = 'Fixpoint cloud';

/**
 * Stores the key as a device of the caller, next to those that signed in by a code: it is listed,
 * expires and is revoked like them.
 */
export const certFromCsr: Handler<'reqCertFromCsr'> = {
  perMinute: 10,
  confirms: () => true,
  run: async (context, { csr }) => {
    const { db, tokens, now } = context;
    const { userId } = context.caller;
    const { publicKey, hash, name } = await readSigningRequest(csr, now);
    const serial = newId();
    const endMs = now + DAYS * DAY_MS;
    const known = await getApiTokenByHash(db, hash, '');
    // The caller's own key gets a new certificate; a key of another user stays theirs.
    if (known?.userId === userId) await removeApiToken(db, known.tokenId);
    const row = { tokenId: serial, hash, userId, tenantId: null, name, right: 'admin' as const };
    const dates = { createdAt: timestamp(now), expiresAt: timestamp(endMs) };
    try {
      await insertApiToken(db, { ...row, ...dates });
    } catch (cause) {
      if (isDuplicate(cause))
        throw new FixpointError('CONFLICT', 'there is a device with this key', { cause });
      throw cause;
    }
    mailNewAccess(context, { kind: 'device', name });
    const claims = certificateOf({ publicKey, name, serial }, ISSUER, now, endMs);
    return { certificate: await tokens.certify(claims) };
  },
};
