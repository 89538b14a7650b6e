import { type ReactNode, useEffect, useState } from 'react';
import type { Connection } from '../../../local/connections.ts';
import { accessTo } from '../../../local/elsewhere-access.ts';
import { isReadable } from '../../../local/endpoint.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/forms/form.tsx';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { LocalFacts } from '../local-facts.tsx';
import { Panel } from '../panel.tsx';
import { useSyncUser } from '../use-sync-user.ts';
import { leaveFor } from './hand-over.ts';

export interface ElsewherePanelProps {
  readonly localName: string;
  readonly connection: Connection;
  readonly host: string;
  readonly server: string;
  /** Whether the user allowed the connection before, and that has ended. */
  readonly hasEnded: boolean;
  /** Number of archives that wait for the access. */
  readonly toSend?: number | undefined;
  /** Other actions. */
  readonly children: ReactNode;
}

/**
 * Asks the user to allow the connection at another server. A link may have named this server, so
 * the panel says where the documents go.
 */
export function ElsewherePanel(props: ElsewherePanelProps) {
  const { localName, connection, host, server, hasEnded, toSend = 0, children } = props;
  const user = useSyncUser() ?? null;
  const { isSealed: wasSealed = false } = accessTo(connection.localName, connection.endpoint, user) ?? {};
  const [isSealed, setSealed] = useState(wasSealed);
  return (
    <Panel
      tone={hasEnded ? 'warn' : 'plain'}
      title={hasEnded ? `The access of ${localName} has ended` : `Connect ${localName} at ${host}?`}
      text={
        hasEnded
          ? `Access to ${host} lasts an hour, and ends earlier if the console is closed. Until you renew it, changes are kept on this device${toSend > 0 ? ` (${toSend.toLocaleString('en')} to send)` : ''}. Nothing is lost.`
          : `You sign in at ${host} and choose a database there. All documents of this database are then sent to that database, where everybody with access can read them. Continue only if you know this server.${isReadable(server) ? ' Its address begins with http://, so others in the network can read the documents, too.' : ''}`
      }
      body={
        hasEnded ? undefined : (
          <>
            <LocalFacts name={localName} />
            <Checkbox
              checked={isSealed}
              onChange={({ target }) => setSealed(target.checked)}
              label="Only to an end-to-end encrypted database, which the server can’t read"
            />
          </>
        )
      }
    >
      <LeaveButton {...{ server, connection, isSealed }} isAgain={hasEnded}>
        {hasEnded ? `Renew at ${host}` : `Continue at ${host}`}
      </LeaveButton>
      {children}
    </Panel>
  );
}

interface LeaveButtonProps {
  readonly server: string;
  readonly connection: Connection;
  readonly isSealed: boolean;
  /** Whether the user already allowed this connection. */
  readonly isAgain: boolean;
  readonly children: string;
}

/**
 * Leads to another server, unless this browser can't remember the request. Waits until the user of
 * this server is known, because the token is for this user only.
 */
function LeaveButton({ server, connection, isSealed, isAgain, children }: LeaveButtonProps) {
  const toast = useToast();
  const user = useSyncUser();
  const [isLeaving, setLeaving] = useState(false);
  useEffect(() => {
    if (!isLeaving || user === undefined) return;
    try {
      leaveFor(server, connection, { isSealed, user, isAgain });
    } catch {
      toast('This browser stores nothing for this page, so the database can’t connect.', { tone: 'error' });
    }
    setLeaving(false);
  }, [isLeaving, user, server, connection, isSealed, isAgain, toast]);
  return (
    <Button tone="primary" disabled={isLeaving} onClick={() => setLeaving(true)}>
      {children}
    </Button>
  );
}
