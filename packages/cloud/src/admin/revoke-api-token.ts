import { FixpointError } from '@fixpoint/protocol';
import { authorize } from '../rights/authorize.ts';
import { getApiToken, removeApiToken } from '../tables/tenants/api-token-rows.ts';
import { recordAction } from './audit.ts';
import type { Handler } from './handler.ts';

export const revokeApiToken: Handler<'reqRevokeApiToken'> = {
  run: async (context, { tokenId }) => {
    const { db, caller, scope } = context;
    const { userId } = caller;
    const row = await getApiToken(db, tokenId);
    if (row === undefined) throw new FixpointError('NOT_FOUND');
    const { tenantId } = row;
    if (tenantId === null) {
      if (row.userId !== userId || scope?.tenantId !== undefined) throw new FixpointError('NOT_FOUND');
    } else {
      await authorize(db, { userId, scope }, 'tokens:manage', { tenantId });
      await recordAction(context, 'reqRevokeApiToken', { tenantId }, { tokenId, name: row.name });
    }
    await removeApiToken(db, tokenId);
    return { tokenId };
  },
};
