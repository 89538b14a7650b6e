import { useEffect, useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { forgetFailed } from '../../cloud/ledgers/attached-databases.ts';
import type { Connection } from '../../local/connections.ts';
import { SignIn } from './connect-links.tsx';
import { useTenantName } from './connected-badge.tsx';
import { type ConnectedLocal, ConnectionPanel } from './connection-panel.tsx';
import type { Standing } from './describe-standing.ts';
import { DisconnectButton } from './disconnect-button.tsx';
import { attachConnected } from './keep-connected.ts';
import { MovedConnection } from './moved-connection.tsx';
import { useStanding } from './use-standing.ts';
import { useSyncUser } from './use-sync-user.ts';

/**
 * Shows on a local database's page what it is connected to, keeps it attached, and says what to do
 * until both are in sync.
 */
export function ConnectionPart(local: ConnectedLocal) {
  const { localName, localPath, connection } = local;
  const { tryAgain } = useAttach(connection);
  const standing = useStanding(localName, connection);
  const tenantName = useTenantName(standing);
  const { remoteName } = connection;
  const moved = 'place' in standing && !('other' in standing && standing.other !== undefined) && (
    <MovedConnection {...{ connection }} place={standing.place} />
  );
  if (!connection.firstConnect && isSettled(standing)) return moved;
  return (
    <div className="mb-4 flex flex-col gap-3">
      <div className="flex min-w-0 flex-wrap items-center gap-2 text-sm text-ink-3">
        <span className="min-w-0 wrap-anywhere">
          {localName} → {remoteName}
          {'place' in standing
            ? whereOf(standing, tenantName)
            : connection.endpoint !== '' && ` at ${connection.endpoint}`}
        </span>
        {standing.is === 'signed-out' && <SignIn />}
        {!connection.firstConnect && standing.is !== 'asking' && standing.is !== 'elsewhere' && (
          <DisconnectButton {...{ localName, localPath, remoteName }} />
        )}
      </div>
      {standing.is === 'syncing' && moved}
      <ConnectionPanel {...local} standing={standing} tenantName={tenantName} onAgain={tryAgain} />
    </div>
  );
}

function whereOf(standing: Standing, tenantName: string | undefined): string {
  if ('other' in standing && standing.other !== undefined) return ` at ${standing.other.host}`;
  return tenantName === undefined ? '' : ` in ${tenantName}`;
}

/** Returns whether nothing is left to do. The title line shows the state then. */
const isSettled = (standing: Standing): standing is Extract<Standing, { is: 'waiting' | 'syncing' }> =>
  standing.is === 'waiting' || (standing.is === 'syncing' && standing.status.state !== 'refused');

/** Attaches the database now, and again after a failure when the page is shown again. */
function useAttach(connection: Connection): { tryAgain(): void } {
  const { api } = useApp();
  const email = useSyncUser();
  const [tries, setTries] = useState(0);
  const tryAgain = () => {
    forgetFailed();
    setTries((count) => count + 1);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: attaches again on demand
  useEffect(() => {
    if (email !== undefined) attachConnected(api, email, connection);
  }, [api, connection, email, tries]);
  useEffect(() => {
    const again = () => document.visibilityState === 'visible' && tryAgain();
    document.addEventListener('visibilitychange', again);
    window.addEventListener('online', again);
    return () => {
      document.removeEventListener('visibilitychange', again);
      window.removeEventListener('online', again);
    };
  });
  return { tryAgain };
}
