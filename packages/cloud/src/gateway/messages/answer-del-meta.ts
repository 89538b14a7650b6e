import { FixpointError } from '@fixpoint/protocol';
import { isTenantAdmin } from '../../rights/standing.ts';
import { inTransaction } from '../../tables/connection.ts';
import { timestamp } from '../../tables/new-row.ts';
import {
  deleteKeys,
  isSealedRecord,
  readKeyList,
  withdrawRecords,
} from '../../tables/sync/ledger-key-rows.ts';
import { lockLedger } from '../../tables/sync/put-metas.ts';
import { deleteEntries } from '../../tables/sync/withheld-rows.ts';
import { echoOf, metaUrlParam } from '../echo.ts';
import type { Handler } from '../gateway-types.ts';
import { announcedIn } from '../keys/key-records.ts';
import { requireRemovable } from '../keys/log-policy.ts';
import { requireLedger } from '../require-ledger.ts';

/**
 * Removes the listed keys that the caller put; admins of the tenant can remove any. Rejects the
 * request when all of the keys belong to others. Also removes the listed entries for an admin who
 * doesn't use an API token. Members must not delete what others wrote.
 */
export const delMeta: Handler<'reqDelMeta'> = async ({ parts, request, claims }) => {
  const id = await requireLedger(parts, claims, request.tenant, 'read');
  const { metas = [], keys = [] } = request.meta ?? {};
  const asked = new Set(keys);
  const { userId } = claims;
  const isWriter = await requireLedger(parts, claims, request.tenant, 'write').then(
    () => true,
    (cause) => {
      if (cause instanceof FixpointError && cause.code === 'FORBIDDEN') return false;
      throw cause;
    },
  );
  // A reader may remove only their own records.
  if (!isWriter && !keys.some(isSealedRecord)) throw new FixpointError('FORBIDDEN');
  const isAdmin = isWriter && (await isTenantAdmin(parts.db, userId, id.tenant));
  const isAdminInPerson = isAdmin && claims.apiToken === undefined;
  const taken = await inTransaction(parts.db, async (tx) => {
    // Otherwise `start` could be removed while another put adds an entry that follows it.
    await lockLedger(tx, id);
    const list = await readKeyList(tx, id.ledger);
    const named = list.records.filter(({ keyText }) => asked.has(keyText));
    requireRemovable(
      named.map(({ keyText }) => keyText),
      isAdminInPerson,
      list,
    );
    const own = named.filter((record) => isAdmin || record.userId === userId).map(({ keyText }) => keyText);
    // Data of other users depends on raw keys, so a reader can't remove raw keys.
    const allowed = isWriter ? own : own.filter((key) => key.startsWith('S'));
    if (named.length > 0 && allowed.length === 0) throw new FixpointError('FORBIDDEN');
    const isAnnouncement = (key: string) => announcedIn(key) !== undefined;
    await withdrawRecords(tx, id.ledger, allowed.filter(isAnnouncement), timestamp(parts.now()));
    await deleteKeys(
      tx,
      id.ledger,
      allowed.filter((key) => !isAnnouncement(key)),
    );
    return allowed.length;
  });
  const mayDelete = isAdminInPerson && metas.length > 0;
  const cids = metas.map(({ cid }) => cid);
  const deleted = mayDelete ? await deleteEntries(parts.db, id.ledger, cids) : 0;
  if (taken + deleted > 0) parts.bus.publish(id.ledger);
  return {
    answer: {
      ...echoOf(request),
      type: 'resDelMeta',
      conn: request.conn,
      tenant: id,
      methodParam: { method: 'DELETE', store: 'meta' },
      urlParam: metaUrlParam(request),
    },
  };
};
