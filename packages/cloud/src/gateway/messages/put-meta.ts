import { FixpointError } from '@fixpoint/protocol';
import type { Metas } from '@fixpoint/protocol/storage';
import { type LedgerId, putMetas } from '../../tables/metas.ts';
import { requireLedger } from '../access.ts';
import { pairOf } from '../carrier.ts';
import { echoOf, metaUrlParam } from '../echo.ts';
import type { GatewayParts, Handler } from '../handler.ts';
import { carsOf } from '../meta-entry.ts';
import { metaUrl } from '../meta-event.ts';

const ENTRIES_MAX = 100;
const ENTRY_CHARS_MAX = 65_536;
const KEYS_MAX = 1000;
const KEY_CHARS_MAX = 4096;
const CID_CHARS_MAX = 256;
/** What databases change or cut off: what came back would not be what was put. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Answered when the entries are durable; only then others hear of them. Refused while an archive that an entry names is absent. */
export const putMeta: Handler<'reqPutMeta'> = async ({ parts, request, claims, carrier }) => {
  const id = await requireLedger(parts, claims, request.tenant, 'write');
  const { metas, keys } = request.meta;
  requireBounds(request.meta);
  const urlParam = metaUrlParam(request);
  for (const entry of metas) await requireArchives(parts, id, carsOf(entry), urlParam['index']);
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
      meta: { metas, keys },
      signedUrl: metaUrl(parts.objects, carrier.origin, id),
    },
  };
};

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
  cars: readonly string[],
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
