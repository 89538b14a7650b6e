import { deleteKeys } from '../../tables/ledger-keys.ts';
import { requireLedger } from '../access.ts';
import { echoOf, metaUrlParam } from '../echo.ts';
import type { Handler } from '../handler.ts';

/** Takes the listed keys out of the ledger. Entries stay: a history is never rewritten. */
export const delMeta: Handler<'reqDelMeta'> = async ({ parts, request, claims }) => {
  const id = await requireLedger(parts, claims, request.tenant, 'write');
  await deleteKeys(parts.db, id.ledger, request.meta?.keys ?? []);
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
