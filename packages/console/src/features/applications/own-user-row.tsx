import type { ListedApplicationUser } from '@fixpoint/protocol/admin';
import { useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { auditQuery } from '../../cloud/queries/queries.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { Row } from '../../ui/row-list.tsx';
import { timeOf } from '../../ui/text/moment.ts';

export interface OwnUserRowProps {
  readonly tenantId: string;
  readonly user: ListedApplicationUser;
  /** The name of the app; undefined if the tenant has only one. */
  readonly app: string | undefined;
}

/** Shows a user of an app, and lets an admin remove or readmit them. */
export function OwnUserRow({ tenantId, user, app }: OwnUserRowProps) {
  const { subject, name, email, status } = user;
  const who = name ?? email ?? subject;
  return (
    <Row name={who} badge={<Status status={status} />} detail={<Detail {...{ user, who, app }} />}>
      {status === 'removed' ? (
        <Readmit {...{ tenantId, user, who }} />
      ) : (
        <Remove {...{ tenantId, user, who }} />
      )}
    </Row>
  );
}

function Status({ status }: { status: string }) {
  if (status === 'active') return null;
  return status === 'removed' ? (
    <Badge>Removed</Badge>
  ) : (
    <Badge tone="decide" title="The operator of the server banned this user.">
      Banned
    </Badge>
  );
}

function Detail({ user, who, app }: Omit<OwnUserRowProps, 'tenantId'> & { readonly who: string }) {
  const { subject, email, rights, lastSignInAt } = user;
  const facts = [
    ...(email !== undefined && email !== who ? [email] : []),
    ...(app === undefined ? [] : [app]),
    rights === 1 ? '1 database' : `${rights} databases`,
    lastSignInAt === undefined ? 'never signed in' : `last sign-in ${timeOf(lastSignInAt)}`,
  ];
  return (
    <>
      {subject !== who && <span className="block font-mono">{subject}</span>}
      <span className="block">{facts.join(', ')}</span>
    </>
  );
}

interface ActionProps extends Pick<OwnUserRowProps, 'tenantId' | 'user'> {
  readonly who: string;
}

function Remove({ tenantId, user: { applicationId, userId }, who }: ActionProps) {
  const { api } = useApp();
  const toast = useToast();
  const [asking, setAsking] = useState(false);
  const remove = useCall({
    call: () => api.removeApplicationUser({ tenantId, applicationId, userId }),
    changes: [['application-users', tenantId], auditQuery(api, tenantId).queryKey],
    onDone: () => toast(`${who} was removed.`),
  });
  return (
    <>
      <Button aria-label={`Remove ${who}`} onClick={() => setAsking(true)}>
        Remove
      </Button>
      {asking && (
        <ConfirmDialog
          title={`Remove ${who}?`}
          action="Remove user"
          busy={remove.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
        >
          They lose access to all databases of this tenant within five seconds, and the app can’t sign them in
          any more until you readmit them. The server forgets their name, email and rights. Documents that
          they wrote stay.
        </ConfirmDialog>
      )}
    </>
  );
}

function Readmit({ tenantId, user: { applicationId, subject }, who }: ActionProps) {
  const { api } = useApp();
  const toast = useToast();
  const readmit = useCall({
    call: () => api.putApplicationUser({ tenantId, applicationId, subject }),
    changes: [['application-users', tenantId], auditQuery(api, tenantId).queryKey],
    onDone: () => toast(`${who} may sign in again. The app decides which databases they can open.`),
  });
  return (
    <Button
      aria-label={`Readmit ${who}`}
      disabled={readmit.isPending}
      onClick={() => readmit.mutate(undefined)}
    >
      Readmit
    </Button>
  );
}
