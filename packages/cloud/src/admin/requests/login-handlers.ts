import { FixpointError } from '@fixpoint/protocol';
import {
  decideLoginCode,
  getLoginCode,
  getPendingLogin,
  insertLoginCode,
  takeLoginCode,
} from '../../tables/accounts/login-codes.ts';
import { isDuplicate } from '../../tables/connection.ts';
import { newId, timestamp } from '../../tables/new-row.ts';
import { getApiTokenByHash, insertApiToken, removeApiToken } from '../../tables/tenants/api-token-rows.ts';
import { certificateOf, readSigningRequest } from '../../tokens/device-keys.ts';
import { hashOfSecret, newApiToken, newDeviceCode, newUserCode } from '../../tokens/new-api-token.ts';
import type { Handlers } from '../handler.ts';
import { mailNewAccess } from '../parts/mail-new-access.ts';

/** Seconds within which a user can approve a code. */
const CODE_SECONDS = 600;
/** Seconds that a program must wait between two polls. */
const INTERVAL_SECONDS = 5;
/** Milliseconds for which a device stays signed in. */
const DEVICE_MS = 90 * 86_400_000;
/** Issuer of the certificates. */
const ISSUER = 'Fixpoint cloud';

export const loginHandlers = {
  reqStartLogin: {
    perMinute: 20,
    run: async ({ db, now, from, consoleUrl }, { client }) => {
      const [deviceCode, userCode] = [newDeviceCode(), newUserCode()];
      const shown = `${userCode.slice(0, 4)}-${userCode.slice(4)}`;
      await insertLoginCode(db, {
        hash: hashOfSecret(deviceCode),
        userCode,
        client,
        origin: from ?? null,
        createdAt: timestamp(now),
        expiresAt: timestamp(now + CODE_SECONDS * 1000),
      });
      const verificationUrl = `${consoleUrl}/device?code=${shown}`;
      return {
        deviceCode,
        userCode: shown,
        verificationUrl,
        expiresInSec: CODE_SECONDS,
        intervalSec: INTERVAL_SECONDS,
      };
    },
  },
  reqDescribeLogin: {
    perMinute: 10,
    run: async ({ db, now }, { userCode }) => {
      const row = await getPendingLogin(db, userCode, timestamp(now));
      if (row === undefined) throw new FixpointError('NOT_FOUND', 'code');
      const { client, createdAt, origin } = row;
      return { client, createdAt, ...(origin !== null && { from: origin }) };
    },
  },
  reqDecideLogin: {
    perMinute: 10,
    confirms: ({ approve }) => approve,
    run: async (context, { userCode, approve }) => {
      const { db, caller, now } = context;
      const status = approve ? 'approved' : 'denied';
      const decision = { status, userId: caller.userId } as const;
      const decided = await decideLoginCode(db, userCode, decision, timestamp(now));
      if (decided === undefined) throw new FixpointError('NOT_FOUND', 'code');
      if (approve) mailNewAccess(context, { kind: 'device', name: decided.client });
      return { status };
    },
  },
  /**
   * Creates the token only when the device fetches it, because a token that doesn't exist can't
   * leak.
   */
  reqPollLogin: {
    perMinute: 60,
    run: async ({ db, now }, { deviceCode }) => {
      const hash = hashOfSecret(deviceCode);
      const at = timestamp(now);
      const row = await getLoginCode(db, hash);
      if (row === undefined || row.expiresAt <= at) return { status: 'expired' };
      const { status, userId, client: name } = row;
      if (status !== 'approved' || userId === null) return { status };
      if (!(await takeLoginCode(db, hash))) return { status: 'expired' };
      const token = newApiToken();
      await insertApiToken(db, {
        tokenId: newId(),
        hash: hashOfSecret(token),
        userId,
        tenantId: null,
        name,
        right: 'admin',
        createdAt: at,
        expiresAt: timestamp(now + DEVICE_MS),
      });
      return { status, token };
    },
  },
  /**
   * Stores the key as a device of the caller. The device is listed, expires and is revoked like
   * devices that signed in with a code.
   */
  reqCertFromCsr: {
    perMinute: 10,
    confirms: () => true,
    run: async (context, { csr }) => {
      const { db, tokens, now } = context;
      const { userId } = context.caller;
      const { publicKey, hash, name } = await readSigningRequest(csr, now);
      const serial = newId();
      const endMs = now + DEVICE_MS;
      const known = await getApiTokenByHash(db, hash, '');
      // Callers can renew the certificate of their own key, and can't take over another user's key.
      if (known?.userId === userId) await removeApiToken(db, known.tokenId);
      const row = { tokenId: serial, hash, userId, tenantId: null, name, right: 'admin' as const };
      const dates = { createdAt: timestamp(now), expiresAt: timestamp(endMs) };
      try {
        await insertApiToken(db, { ...row, ...dates });
      } catch (cause) {
        if (isDuplicate(cause))
          throw new FixpointError('CONFLICT', 'this key belongs to another device', { cause });
        throw cause;
      }
      mailNewAccess(context, { kind: 'device', name });
      const claims = certificateOf({ publicKey, name, serial }, ISSUER, now, endMs);
      return { certificate: await tokens.certify(claims) };
    },
  },
} satisfies Partial<Handlers>;
