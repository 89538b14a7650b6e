/**
 * Stores a token under a secret id that an application chose. Anybody who knows the id can fetch
 * the token once. The table contains only a hash of the id. The token is encrypted with a key
 * derived from the id (AES-256-GCM, stored as IV 12 | tag 16 | text, base64url). So the database
 * alone doesn't reveal the token.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { isLongResultId } from '@fixpoint/protocol/admin';
import {
  removeResultTokensBefore,
  takeResultToken,
  upsertResultToken,
} from '../tables/accounts/result-tokens.ts';
import type { Connection } from '../tables/connection.ts';
import { timestamp } from '../tables/new-row.ts';

const WAIT_MS = 15 * 60_000;
/**
 * Milliseconds for which a token under a short id can be fetched. Short ids are easier to guess.
 * Existing clients create short ids, but poll, so they fetch their tokens soon.
 */
const WAIT_SHORT_MS = 60_000;
const waitOf = (resultId: string) => (isLongResultId(resultId) ? WAIT_MS : WAIT_SHORT_MS);
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Stores a token. Replaces an older token under the same id. */
export async function leaveToken(
  db: Connection,
  resultId: string,
  token: string,
  now: number,
): Promise<void> {
  await removeResultTokensBefore(db, timestamp(now - WAIT_MS));
  await upsertResultToken(db, hashOf(resultId), seal(token, resultId), timestamp(now));
}

/**
 * Returns the token and removes it. Returns undefined if there is no token, if it was fetched
 * before, or after 15 minutes (one minute under a short id).
 */
export async function fetchToken(db: Connection, resultId: string, now: number): Promise<string | undefined> {
  const sealed = await takeResultToken(db, hashOf(resultId), timestamp(now - waitOf(resultId)));
  return sealed === undefined ? undefined : open(sealed, resultId);
}

const hashOf = (resultId: string) => createHash('sha256').update(resultId).digest('hex');
const keyOf = (resultId: string) => new Uint8Array(hkdfSync('sha256', resultId, '', 'fixpoint hand-off', 32));

function seal(token: string, resultId: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(resultId), iv);
  const text = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url');
}

function open(sealed: string, resultId: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv(CIPHER, keyOf(resultId), bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString(
    'utf8',
  );
}
