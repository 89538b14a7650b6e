import { FieldError, isFixpointError } from '@fixpoint/protocol';
import { isGreetingText, type Metas, type RequestOf } from '@fixpoint/protocol/storage';
import { RateLimited } from '../../limits/rate-limiter.ts';
import { isLogEntry } from '../../tables/sync/ledger-key-rows.ts';
import type { LedgerId } from '../../tables/sync/meta-rows.ts';
import { type PutMetas, putMetas } from '../../tables/sync/put-metas.ts';
import type { CloudClaims } from '../../tokens/cloud-tokens.ts';
import { pairOf } from '../carriers/carrier.ts';
import { withEntryChecks } from '../content/entry-checks.ts';
import { echoOf, metaUrlParam } from '../echo.ts';
import { metaUrl } from '../following/meta-event.ts';
import type { GatewayParts, Handler } from '../gateway-types.ts';
import { keyPolicy } from '../keys/key-policy.ts';
import { requireOwnRecords } from '../keys/reader-records.ts';
import { requireLedger } from '../require-ledger.ts';

const ENTRIES_MAX = 100;
const ENTRY_CHARS_MAX = 65_536;
const KEYS_MAX = 1000;
/** Large enough for the record of a key rotation, which grows with the number of devices. */
const KEY_CHARS_MAX = 32_768;
const CID_CHARS_MAX = 256;
/**
 * Databases change these characters, or cut the text at them, so a read would return another text.
 */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/**
 * Stores the entries durably, then notifies other clients and answers. Rejects entries that no
 * client could read, and entries whose objects are absent.
 */
export const putMeta: Handler<'reqPutMeta'> = async ({ parts, request, claims, carrier }) => {
  const { metas, keys } = request.meta;
  const { id, mayWrite } = await allowed(parts, request, claims);
  requireBounds(request.meta);
  const urlParam = metaUrlParam(request);
  const { userId } = claims;
  const { db, rights, limits } = parts;
  const isProgram = claims.apiToken !== undefined;
  // Rejects on sockets, too: only clients that know the membership log put entries of it.
  const takeTurn = () => {
    const wait = limits.logPuts.take(userId);
    if (wait > 0) throw new RateLimited(wait);
  };
  const putter = { userId, mayWrite, isProgram, startsLogs: parts.startsLogs, now: parts.now(), takeTurn };
  const policy = await keyPolicy({ db, rights, id, ...putter }, keys);
  const put = { metas, keys, userId, ...(policy && { policy }) };
  const store = (checks: Pick<PutMetas, 'needs' | 'files' | 'removals'>) =>
    putMetas(db, id, pairOf(userId, request.conn), { ...put, ...checks }, parts.now());
  const place = await withEntryChecks(parts, id, request, store);
  // Devices read greetings with the next news: otherwise each device would wake all others daily.
  if (metas.length > 0 || keys.some((key) => !isGreetingText(key))) parts.bus.publish(id.ledger);
  return {
    answer: {
      ...echoOf(request),
      type: 'resPutMeta',
      conn: request.conn,
      tenant: id,
      methodParam: { method: 'PUT', store: 'meta' },
      urlParam,
      meta: { metas, keys },
      ...place,
      signedUrl: metaUrl(parts.objects, carrier.origin, id),
    },
  };
};

/**
 * Returns the ledger, and whether the caller may write to it. A reader may put only records of
 * their own devices, and entries and greetings of the membership log, and only into a sealed
 * ledger.
 * @throws FixpointError NOT_FOUND, FORBIDDEN, LIMIT_REACHED
 */
async function allowed(
  parts: GatewayParts,
  { tenant, meta: { metas, keys } }: RequestOf<'reqPutMeta'>,
  claims: CloudClaims,
): Promise<{ readonly id: LedgerId; readonly mayWrite: boolean }> {
  try {
    return { id: await requireLedger(parts, claims, tenant, 'write'), mayWrite: true };
  } catch (cause) {
    if (metas.length > 0 || keys.length === 0 || !isFixpointError(cause, 'FORBIDDEN')) throw cause;
    const id = await requireLedger(parts, claims, tenant, 'read');
    // Entries follow a log, which only an admin starts. So the ledger is sealed.
    const records = keys.filter((key) => !isLogEntry(key));
    if (records.length > 0) await requireOwnRecords(parts, id, claims.userId, records);
    return { id, mayWrite: false };
  }
}

function requireBounds({ metas, keys }: Metas): void {
  requireLength('meta.metas', metas.length, ENTRIES_MAX, 'entries');
  requireLength('meta.keys', keys.length, KEYS_MAX, 'keys');
  for (const [index, key] of keys.entries()) requireText(`meta.keys.${index}`, key, KEY_CHARS_MAX);
  for (const [index, entry] of metas.entries()) {
    const path = `meta.metas.${index}`;
    requireText(`${path}.cid`, entry.cid, CID_CHARS_MAX);
    requireLength(path, JSON.stringify(entry).length, ENTRY_CHARS_MAX, 'characters');
  }
}

function requireLength(path: string, length: number, most: number, unit: string): void {
  if (length > most) throw new FieldError(path, `must have at most ${most} ${unit}`);
}

function requireText(path: string, text: string, charsMax: number): void {
  requireLength(path, text.length, charsMax, 'characters');
  if (UNSTORABLE.test(text)) throw new FieldError(path, "has characters that can't be stored");
}
