/**
 * Hands off a token under an id that an application chose, to be fetched once. The id is the
 * secret: the row is found by its hash and sealed with a key derived from it (AES-256-GCM, stored
 * as IV 12 | tag 16 | text, base64url), so the database alone gives nobody a token.
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
 * Existing clients create ids that are easier to guess, and poll while they wait: their tokens
 * needn't wait long.
 */
const WAIT_SHORT_MS = 60_000;
const waitOf = (resultId: string) => (isLongResultId(resultId) ? WAIT_MS : WAIT_SHORT_MS);
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Stores a token. A newer token under the same id replaces the older one. */
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
 * Returns the token and removes it. Undefined when there is none, it was fetched, or it waited for
 * more than 15 minutes (one minute under a short id).
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
