import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { Metas, RequestOf } from '@fixpoint/protocol/storage';
import { type LedgerId, putMetas } from '../../tables/metas.ts';
import type { CloudClaims } from '../../tokens/cloud-tokens.ts';
import { requireLedger } from '../access.ts';
import { pairOf } from '../carrier.ts';
import { echoOf, metaUrlParam } from '../echo.ts';
import type { GatewayParts, Handler } from '../handler.ts';
import { carsOf } from '../meta-entry.ts';
import { metaUrl } from '../meta-event.ts';
import { requireOwnRecords } from '../reader-records.ts';

const ENTRIES_MAX = 100;
const ENTRY_CHARS_MAX = 65_536;
const KEYS_MAX = 1000;
/** The record of a rotation grows with the devices of a ledger. */
const KEY_CHARS_MAX = 32_768;
const CID_CHARS_MAX = 256;
/** What databases change or cut off: what came back would not be what was put. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Answered when the entries are durable; only then others hear of them. Refused while an archive that an entry names is absent. */
export const putMeta: Handler<'reqPutMeta'> = async ({ parts, request, claims, carrier }) => {
  const { metas } = request.meta;
  const { id, keys } = await allowed(parts, request, claims);
  requireBounds(request.meta);
  const urlParam = metaUrlParam(request);
  // Each once, however often it is named: a look is a request to the store.
  await requireArchives(parts, id, new Set(metas.flatMap(carsOf)), urlParam['index']);
  const { userId } = claims;
  await putMetas(parts.db, id, pairOf(userId, request.conn), { metas, keys, userId }, parts.now());
  if (metas.length > 0 || keys.length > 0) parts.bus.publish(id.ledger);
  return {
    answer: {
      ...echoOf(request),
      type: 'resPutMeta',
      conn: request.conn,
      tenant: id,
      methodParam: { method: 'PUT', store: 'meta' },
      urlParam,
      meta: { metas, keys: request.meta.keys },
      signedUrl: metaUrl(parts.objects, carrier.origin, id),
    },
  };
};

/**
 * The ledger, and the keys that are to be stored. Who may only read puts records of his own devices into a sealed ledger, and nothing else.
 * @throws FixpointError NOT_FOUND, FORBIDDEN, LIMIT_REACHED
 */
async function allowed(
  parts: GatewayParts,
  { tenant, meta: { metas, keys } }: RequestOf<'reqPutMeta'>,
  claims: CloudClaims,
): Promise<{ readonly id: LedgerId; readonly keys: readonly string[] }> {
  try {
    return { id: await requireLedger(parts, claims, tenant, 'write'), keys };
  } catch (cause) {
    if (metas.length > 0 || keys.length === 0 || !isFixpointError(cause, 'FORBIDDEN')) throw cause;
    const id = await requireLedger(parts, claims, tenant, 'read');
    return { id, keys: await requireOwnRecords(parts, id, claims.userId, keys) };
  }
}

function requireBounds({ metas, keys }: Metas): void {
  const isIn =
    metas.length <= ENTRIES_MAX &&
    keys.length <= KEYS_MAX &&
    keys.every((key) => key.length <= KEY_CHARS_MAX && !UNSTORABLE.test(key)) &&
    metas.every(
      (entry) =>
        entry.cid.length <= CID_CHARS_MAX &&
        !UNSTORABLE.test(entry.cid) &&
        JSON.stringify(entry).length <= ENTRY_CHARS_MAX,
    );
  if (!isIn) throw new FixpointError('REQUEST_INVALID', 'meta is too large, or holds what no table can');
}

/** @throws FixpointError MISSING_CARS */
async function requireArchives(
  { objects }: GatewayParts,
  id: LedgerId,
  cars: ReadonlySet<string>,
  index: string | number | boolean | undefined,
): Promise<void> {
  for (const key of cars) {
    const name = { ...id, store: 'car' as const, key };
    const isThere =
      (await objects.has(name)) ||
      (typeof index === 'string' && index !== '' && (await objects.has({ ...name, index })));
    if (!isThere) throw new FixpointError('MISSING_CARS', key);
  }
}
