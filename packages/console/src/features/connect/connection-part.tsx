import { useEffect, useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { forgetFailed } from '../../cloud/ledgers/attached-databases.ts';
import { useTenants } from '../../cloud/queries/use-cloud.ts';
import { tenantLabel } from '../../cloud/tenant-label.ts';
import type { Connection } from '../../local/connections.ts';
import { Badge, type BadgeTone } from '../../ui/badge.tsx';
import { SignIn } from './connect-links.tsx';
import { type ConnectedLocal, ConnectionPanel } from './connection-panel.tsx';
import { describeStanding, type StandingIcon as Icon, type Standing } from './describe-standing.ts';
import { DisconnectButton } from './disconnect-button.tsx';
import { attachConnected } from './keep-connected.ts';
import { MovedConnection } from './moved-connection.tsx';
import { StandingIcon } from './standing-icon.tsx';
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
  return (
    <div className="mb-4 flex flex-col gap-3">
      <div className="flex min-w-0 flex-wrap items-center gap-2 text-sm text-ink-3">
        <StandingBadge standing={standing} />
        <span className="min-w-0 wrap-anywhere">
          {localName} → {remoteName}
          {'place' in standing
            ? tenantName !== undefined && ` in ${tenantName}`
            : connection.endpoint !== '' && ` at ${connection.endpoint}`}
        </span>
        {standing.is === 'signed-out' && <SignIn />}
        {!connection.firstConnect && standing.is !== 'asking' && (
          <DisconnectButton {...{ localName, localPath, remoteName }} />
        )}
      </div>
      {standing.is === 'syncing' && <MovedConnection {...{ connection }} place={standing.place} />}
      <ConnectionPanel {...local} standing={standing} tenantName={tenantName} onAgain={tryAgain} />
    </div>
  );
}

function useTenantName(standing: Standing): string | undefined {
  const { data: tenants } = useTenants();
  if (!('place' in standing)) return undefined;
  const tenant = tenants?.find(({ tenantId }) => tenantId === standing.place.tenantId);
  return tenant && tenantLabel(tenant);
}

const TONES: Readonly<Record<Icon, BadgeTone>> = {
  device: 'plain',
  check: 'accent',
  up: 'accent',
  down: 'accent',
  busy: 'plain',
  offline: 'plain',
  warning: 'decide',
};

function StandingBadge({ standing }: { standing: Standing }) {
  const { word, icon, why } = describeStanding(standing);
  return (
    <Badge tone={TONES[icon]} live title={why}>
      <StandingIcon icon={icon} /> {word}
    </Badge>
  );
}

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
    if (typeof email === 'string') attachConnected(api, email, connection);
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
