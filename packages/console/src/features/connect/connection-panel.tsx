import { isFixpointError } from '@fixpoint/protocol';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { useLedgers } from '../../cloud/queries/use-cloud.ts';
import { agreeTo } from '../../local/agreed-endpoints.ts';
import type { Connection } from '../../local/connections.ts';
import type { LedgerPlace } from '../../local/endpoint.ts';
import { Button } from '../../ui/button.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { isNoAccess, isReadOnly } from '../sync/describe-sync.ts';
import { SignInNote } from './connect-form.tsx';
import { ConnectButton, SignIn } from './connect-links.tsx';
import { describeStanding, type Standing } from './describe-standing.ts';
import { DisconnectButton } from './disconnect-button.tsx';
import { FirstSync } from './first-sync/first-sync.tsx';
import { LocalFacts } from './local-facts.tsx';
import { ElsewherePanel } from './other-servers/elsewhere-panel.tsx';
import { Panel } from './panel.tsx';
import { PlaceForm } from './place-form.tsx';
import { useAttachedDatabase } from './use-standing.ts';
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
      return (
        <ElsewherePanel {...{ localName, connection }} {...standing}>
          <ConnectButton localName={connection.localName} label="Change" />
          <Disconnect {...props} />
        </ElsewherePanel>
      );
    case 'unusable':
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
      <Button tone="primary" onClick={agree}>
        Connect
      </Button>
      {refuse}
    </Panel>
  );
}

const noLedgerText = (error: unknown): string =>
  error === null || isNoAccess(error) || isReadOnly(error)
    ? 'A link asks to sync this database with one in the cloud that you can’t open, or that was deleted. Ask the sender of the link, or an admin of the tenant.'
    : failureText(error);

interface ProblemPanelProps extends ConnectionPanelProps {
  readonly word: string;
  readonly why: string | undefined;
  readonly error: unknown;
}

/** Says at once why the database doesn't sync, and what to do. */
function ProblemPanel(props: ProblemPanelProps) {
  const { localName, connection, word, why, error, onAgain } = props;
  const isNoSession = isFixpointError(error, 'NOT_SIGNED_IN') || isFixpointError(error, 'NO_TOKEN');
  const advice = isNoAccess(error)
    ? ' Ask an admin of the tenant for access, or choose another database.'
    : isReadOnly(error)
      ? ' Your changes stay on this device. Ask an admin of the tenant for write access.'
      : '';
  return (
    <Panel
      tone="warn"
      title={`${word}: ${localName} doesn’t sync with ${connection.remoteName}`}
      text={`${why ?? 'The server didn’t say why.'}${advice}`}
    >
      <Button onClick={onAgain}>Try again</Button>
      {isNoSession && <SignIn />}
      <ConnectButton localName={connection.localName} label="Change" />
      <Disconnect {...props} />
    </Panel>
  );
}

const doneText = (standing: Standing): string =>
  'other' in standing && standing.other !== undefined
    ? `They sync by themselves for an hour while the console is open. Then renew the access at ${standing.other.host} on this page.`
    : 'From now on they sync by themselves, in every tab, and again after you were offline.';

function FirstSyncPanel(
  props: ConnectionPanelProps & { readonly status: Extract<Standing, { is: 'syncing' }>['status'] },
) {
  const { localName, status, database, docsPath, connection } = props;
  const sync = useAttachedDatabase(localName)?.attached ?? database;
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
      body={
        <FirstSync {...{ database, sync, status, docsPath, isDone }} remoteName={connection.remoteName} />
      }
    >
      {isDone && <Button onClick={() => setClosed(true)}>Close</Button>}
      <Disconnect {...props} label={isDone ? 'Disconnect' : 'Stop and disconnect'} />
    </Panel>
  );
}
