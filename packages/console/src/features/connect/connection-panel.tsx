import { isFixpointError } from '@fixpoint/protocol';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'react-router';
import { useLedgers } from '../../cloud/queries/use-cloud.ts';
import { agreeTo } from '../../local/agreed-endpoints.ts';
import type { Connection } from '../../local/connections.ts';
import { accessTo } from '../../local/elsewhere-access.ts';
import { isReadable, type LedgerPlace } from '../../local/endpoint.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/forms/form.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { SignInNote } from './connect-form.tsx';
import { ConnectButton, SignIn } from './connect-links.tsx';
import { describeStanding, isNoAccess, type Standing } from './describe-standing.ts';
import { DisconnectButton } from './disconnect-button.tsx';
import { FirstSync } from './first-sync/first-sync.tsx';
import { LocalFacts } from './local-facts.tsx';
import { leaveFor } from './other-servers/hand-over.ts';
import { PlaceForm } from './place-form.tsx';
import { useSyncUser } from './use-sync-user.ts';

export interface ConnectedLocal {
  readonly database: BridgedDatabase;
  readonly localName: string;
  /** Path of the database under its local name. */
  readonly localPath: string;
  /** Path of the database's documents. */
  readonly docsPath: string;
  readonly connection: Connection;
}

export interface ConnectionPanelProps extends ConnectedLocal {
  readonly standing: Standing;
  /** Undefined until it is known. */
  readonly tenantName: string | undefined;
  /** Attaches the database again, now. */
  readonly onAgain: () => void;
}

/**
 * Shows what is left to do until the database syncs: choose a ledger, confirm, sign in, wait for
 * the first sync, or solve a problem. Renders nothing afterwards.
 */
export function ConnectionPanel(props: ConnectionPanelProps) {
  const { standing, connection, localName } = props;
  const { word, why } = describeStanding(standing);
  switch (standing.is) {
    case 'local':
      return <PickPanel {...props} />;
    case 'elsewhere':
      return <ElsewherePanel {...props} {...standing} />;
    case 'malformed':
      return (
        <Panel tone="warn" title={`${localName} doesn’t sync`} text={why}>
          <ConnectButton localName={connection.localName} label="Change" />
          <Disconnect {...props} />
        </Panel>
      );
    case 'asking':
      return <AskPanel {...props} place={standing.place} />;
    case 'signed-out':
      return connection.firstConnect ? (
        <Panel title={`Sign in to sync ${localName}`} text="The documents stay on this device until then.">
          <SignIn />
          <Disconnect {...props} />
        </Panel>
      ) : null;
    case 'waiting':
      return connection.firstConnect ? <Panel title={joining(props)} text="Connecting..." /> : null;
    case 'failed':
      return <ProblemPanel {...props} word={word} why={why} error={standing.error} />;
    case 'syncing': {
      const { state, error } = standing.status;
      const isWaiting = isFixpointError(error, 'DEVICE_NOT_APPROVED');
      if (state === 'refused' && !isWaiting)
        return <ProblemPanel {...props} word={word} why={why} error={error} />;
      if (state === 'offline' && connection.firstConnect)
        return <ProblemPanel {...props} word={word} why={why} error={error} />;
      return connection.firstConnect ? <FirstSyncPanel {...props} status={standing.status} /> : null;
    }
  }
}

const joining = ({ localName, tenantName, connection }: ConnectionPanelProps): string =>
  `${localName} is joining ${tenantName ?? connection.remoteName}`;

const Disconnect = ({
  localName,
  localPath,
  connection: { remoteName },
  label,
}: ConnectedLocal & { readonly label?: string }) => (
  <DisconnectButton {...{ localName, localPath, remoteName }} {...(label !== undefined && { label })} />
);

interface PanelProps {
  readonly title: string;
  readonly text?: string | undefined;
  readonly tone?: 'plain' | 'warn';
  readonly body?: ReactNode;
  /** Actions. */
  readonly children?: ReactNode;
}

function Panel({ title, text, tone = 'plain', body, children }: PanelProps) {
  return (
    <section
      aria-label={title}
      className={`flex max-w-3xl flex-col gap-3 rounded-lg border p-4 text-sm ${tone === 'warn' ? 'border-conflict-line bg-conflict-soft' : 'border-line bg-surface shadow-card'}`}
    >
      <h2 className="text-base font-semibold wrap-anywhere">{title}</h2>
      {text !== undefined && (
        <p role={tone === 'warn' ? 'alert' : undefined} className="max-w-prose wrap-anywhere">
          {text}
        </p>
      )}
      {body}
      {children !== undefined && <div className="flex flex-wrap gap-2">{children}</div>}
    </section>
  );
}

function PickPanel(props: ConnectionPanelProps) {
  const { localName, connection } = props;
  const email = useSyncUser();
  const { pathname, search } = useLocation();
  if (email === undefined) return null;
  const maySync = email !== null;
  return (
    <Panel
      title={`Connect ${localName} to the cloud`}
      text={maySync ? undefined : 'No database in the cloud is chosen yet, so nothing syncs.'}
      body={
        maySync ? (
          <PlaceForm localName={connection.localName} isFixed remoteName={connection.remoteName}>
            <Disconnect {...props} label="Don’t connect" />
          </PlaceForm>
        ) : (
          <SignInNote back={pathname + search} />
        )
      }
    >
      {maySync ? undefined : <Disconnect {...props} />}
    </Panel>
  );
}

/**
 * Asks the user to allow the connection at another server. A link may have named this server, so
 * the panel says where the documents go.
 */
function ElsewherePanel(
  props: ConnectionPanelProps & Pick<Extract<Standing, { is: 'elsewhere' }>, 'host' | 'server' | 'hasEnded'>,
) {
  const { localName, connection, host, server, hasEnded } = props;
  const user = useSyncUser() ?? null;
  const { isSealed: wasSealed = false } = accessTo(connection.localName, connection.endpoint, user) ?? {};
  const [isSealed, setSealed] = useState(wasSealed);
  return (
    <Panel
      tone={hasEnded ? 'warn' : 'plain'}
      title={hasEnded ? `The access of ${localName} has ended` : `Connect ${localName} at ${host}?`}
      text={
        hasEnded
          ? `${host} allows a connection for one hour. Until you renew it, changes stay on this device only.`
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
      <LeaveButton
        tone="primary"
        leave={() => leaveFor(server, connection, { isSealed, user, isAgain: hasEnded })}
      >
        {hasEnded ? `Renew at ${host}` : `Continue at ${host}`}
      </LeaveButton>
      <ConnectButton localName={connection.localName} label="Change" />
      <Disconnect {...props} />
    </Panel>
  );
}

interface LeaveButtonProps {
  readonly tone?: 'primary';
  readonly leave: () => void;
  readonly children: string;
}

/** Leads to another server, unless this browser can't remember the request. */
function LeaveButton({ tone, leave, children }: LeaveButtonProps) {
  const toast = useToast();
  const tryIt = () => {
    try {
      leave();
    } catch {
      toast('This browser stores nothing for this page, so the database can’t connect.', { tone: 'error' });
    }
  };
  return (
    <Button size="sm" {...(tone && { tone })} onClick={tryIt}>
      {children}
    </Button>
  );
}

/**
 * A link or another user of this browser chose the ledger, so the user confirms where the documents
 * go. Shows the names that the server lists, because the link may call the ledger anything.
 */
function AskPanel(props: ConnectionPanelProps & { readonly place: LedgerPlace }) {
  const { localName, connection, place, tenantName, onAgain } = props;
  const email = useSyncUser();
  const { data: ledgers, error } = useLedgers(place.tenantId);
  const ledger = ledgers?.find(({ ledgerId }) => ledgerId === place.ledgerId);
  const refuse = <Disconnect {...props} label="Don’t connect" />;
  if (ledger === undefined || typeof email !== 'string') {
    const isKnown = ledgers !== undefined || error !== null;
    return (
      <Panel
        tone={isKnown ? 'warn' : 'plain'}
        title={`${localName} doesn’t sync`}
        text={isKnown ? noLedgerText(error) : 'Loading...'}
      >
        {refuse}
      </Panel>
    );
  }
  const agree = () => {
    agreeTo(connection.localName, connection.endpoint, email);
    onAgain();
  };
  return (
    <Panel
      title={`Sync ${localName} with ${ledger.name} in ${tenantName ?? place.tenantId}?`}
      text="A link, or another user of this browser, asks for this connection. All documents of this database are sent to that database, where everybody with access can read them. Continue only if you expected this."
      body={<LocalFacts name={localName} />}
    >
      <Button tone="primary" size="sm" onClick={agree}>
        Connect
      </Button>
      {refuse}
    </Panel>
  );
}

const noLedgerText = (error: unknown): string =>
  error === null || isNoAccess(error)
    ? 'A link asks to sync this database with one in the cloud that you can’t open, or that was deleted. Ask the sender of the link, or an admin of the tenant.'
    : failureText(error);

interface ProblemPanelProps extends ConnectionPanelProps {
  readonly word: string;
  readonly why: string | undefined;
  readonly error: unknown;
}

/** Says at once why the database doesn't sync, and what to do. */
function ProblemPanel(props: ProblemPanelProps) {
  const { localName, connection, word, why, error, onAgain, standing } = props;
  const other = 'other' in standing ? standing.other : undefined;
  const user = useSyncUser() ?? null;
  const { isSealed = false } = accessTo(connection.localName, connection.endpoint, user) ?? {};
  const isNoSession = isFixpointError(error, 'NOT_SIGNED_IN') || isFixpointError(error, 'NO_TOKEN');
  const advice = isNoAccess(error)
    ? ' Ask an admin of the tenant for access, or choose another database.'
    : '';
  return (
    <Panel
      tone="warn"
      title={`${word}: ${localName} doesn’t sync with ${connection.remoteName}`}
      text={`${why ?? 'The server didn’t say why.'}${advice}`}
    >
      <Button size="sm" onClick={onAgain}>
        Try again
      </Button>
      {isNoSession && other === undefined && <SignIn />}
      {isNoSession && other !== undefined && (
        <LeaveButton leave={() => leaveFor(other.server, connection, { isSealed, user, isAgain: true })}>
          {`Renew at ${other.host}`}
        </LeaveButton>
      )}
      <ConnectButton localName={connection.localName} label="Change" />
      <Disconnect {...props} />
    </Panel>
  );
}

const doneText = (standing: Standing): string =>
  'other' in standing && standing.other !== undefined
    ? `They sync by themselves for an hour. Then renew the access at ${standing.other.host} on this page.`
    : 'From now on they sync by themselves, in every tab, and again after you were offline.';

function FirstSyncPanel(
  props: ConnectionPanelProps & { readonly status: Extract<Standing, { is: 'syncing' }>['status'] },
) {
  const { localName, status, database, docsPath, connection } = props;
  const isNow = status.state === 'in-sync' && status.error === undefined;
  const [wasDone, setDone] = useState(isNow);
  const [isClosed, setClosed] = useState(false);
  if (isNow && !wasDone) setDone(true);
  if (isClosed) return null;
  const isDone = isNow || wasDone;
  return (
    <Panel
      title={isDone ? `${localName} is in sync with the cloud` : joining(props)}
      text={isDone ? doneText(props.standing) : 'You can keep working. Changes you make now are sent, too.'}
      body={<FirstSync {...{ database, status, docsPath, isDone }} remoteName={connection.remoteName} />}
    >
      {isDone && (
        <Button size="sm" onClick={() => setClosed(true)}>
          Close
        </Button>
      )}
      <Disconnect {...props} label={isDone ? 'Disconnect' : 'Stop and disconnect'} />
    </Panel>
  );
}
