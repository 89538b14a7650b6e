import { useTenants } from '../../cloud/queries/use-cloud.ts';
import { tenantLabel } from '../../cloud/tenant-label.ts';
import type { Connection } from '../../local/connections.ts';
import { Badge, type BadgeTone } from '../../ui/badge.tsx';
import { describeStanding, type StandingIcon as Icon, type Standing } from './describe-standing.ts';
import { StandingIcon } from './standing-icon.tsx';
import { useStanding } from './use-standing.ts';

const TONES: Readonly<Record<Icon, BadgeTone>> = {
  device: 'plain',
  check: 'accent',
  up: 'accent',
  down: 'accent',
  busy: 'plain',
  offline: 'plain',
  warning: 'decide',
};

export interface ConnectedBadgeProps {
  readonly localName: string;
  readonly connection: Connection;
}

/** Shows next to the title how a connected database and the cloud stand to each other. */
export function ConnectedBadge({ localName, connection }: ConnectedBadgeProps) {
  const standing = useStanding(localName, connection);
  const tenantName = useTenantName(standing);
  const { word, icon, why } = describeStanding(standing);
  const where = tenantName === undefined ? '' : ` in ${tenantName}`;
  return (
    <Badge tone={TONES[icon]} live title={why ?? `${localName} → ${connection.remoteName}${where}`}>
      <StandingIcon icon={icon} /> {word}
    </Badge>
  );
}

/** Returns the name of the tenant whose database it syncs with; undefined until it is known. */
export function useTenantName(standing: Standing): string | undefined {
  const { data: tenants } = useTenants();
  if (!('place' in standing) || ('other' in standing && standing.other !== undefined)) return undefined;
  const tenant = tenants?.find(({ tenantId }) => tenantId === standing.place.tenantId);
  return tenant && tenantLabel(tenant);
}
