import type { ApiToken } from '@fixpoint/protocol/admin';
import { useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { apiTokensQuery } from '../../cloud/queries/queries.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { dayOf, timeOf } from '../../ui/text/moment.ts';

/** Returns when a token was last used and when it expires. */
export const usesOf = ({ lastUsedAt, expiresAt }: ApiToken): string =>
  `${lastUsedAt === undefined ? 'Never used' : `Last used ${timeOf(lastUsedAt)}`}; valid until ${dayOf(expiresAt)}`;

export function RevokeToken({ token: { tokenId, tenantId, name } }: { token: ApiToken }) {
  const { api } = useApp();
  const toast = useToast();
  const [asking, setAsking] = useState(false);
  const revoke = useCall({
    call: () => api.revokeApiToken(tokenId),
    changes: [apiTokensQuery(api, tenantId).queryKey],
    onDone: () => toast(`${name} revoked.`),
  });
  return (
    <>
      <Button aria-label={`Revoke ${name}`} onClick={() => setAsking(true)}>
        Revoke
      </Button>
      {asking && (
        <ConfirmDialog
          title="Revoke this token?"
          action="Revoke token"
          busy={revoke.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => revoke.mutate(undefined, { onSettled: () => setAsking(false) })}
        >
          Programs that use {name} lose access right away. This can’t be undone, but you can create a new
          token.
        </ConfirmDialog>
      )}
    </>
  );
}
