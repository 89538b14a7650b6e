import { useTenants } from '../../cloud/queries/use-cloud.ts';
import { tenantLabel } from '../../cloud/tenant-label.ts';
import type { Connection } from '../../local/connections.ts';
import { SyncWord, SyncWordBadge } from '../sync/sync-word.tsx';
import type { Standing } from './describe-standing.ts';
import { useStanding, useStandingText } from './use-standing.ts';

export interface ConnectedBadgeProps {
  readonly localName: string;
  readonly connection: Connection;
}

/** Shows next to the title how a connected database and the cloud stand to each other. */
export function ConnectedBadge({ localName, connection }: ConnectedBadgeProps) {
  const standing = useStanding(localName, connection);
  const tenantName = useTenantName(standing);
  const text = useStandingText(localName, connection);
  const where = tenantName === undefined ? '' : ` in ${tenantName}`;
  return <SyncWordBadge {...text} why={text.why ?? `${localName} → ${connection.remoteName}${where}`} />;
}

/** Shows how a connected database and the cloud stand, for the sidebar. */
export const ConnectedState = ({ name, connection }: { name: string; connection: Connection }) => (
  <SyncWord {...useStandingText(name, connection)} />
);

/** Returns the name of the tenant whose database it syncs with; undefined until it is known. */
export function useTenantName(standing: Standing): string | undefined {
  const { data: tenants } = useTenants();
  if (!('place' in standing) || ('other' in standing && standing.other !== undefined)) return undefined;
  const tenant = tenants?.find(({ tenantId }) => tenantId === standing.place.tenantId);
  return tenant && tenantLabel(tenant);
}
