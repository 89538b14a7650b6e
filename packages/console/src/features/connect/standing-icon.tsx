import {
  ArrowDown,
  ArrowUp,
  Check,
  CloudOff,
  Laptop,
  LoaderCircle,
  type LucideIcon,
  TriangleAlert,
} from 'lucide-react';
import type { Connection } from '../../local/connections.ts';
import { describeStanding, type StandingIcon as Name } from './describe-standing.ts';
import { useStanding } from './use-standing.ts';

const ICONS: Readonly<Record<Name, LucideIcon>> = {
  device: Laptop,
  check: Check,
  up: ArrowUp,
  down: ArrowDown,
  busy: LoaderCircle,
  offline: CloudOff,
  warning: TriangleAlert,
};

export function StandingIcon({ icon }: { icon: Name }) {
  const Icon = ICONS[icon];
  return <Icon size={12} aria-hidden className={`shrink-0 ${icon === 'busy' ? 'animate-spin' : ''}`} />;
}

export interface ConnectedStateProps {
  readonly name: string;
  readonly connection: Connection;
}

/** Shows how a connected database and the cloud stand, for the sidebar. */
export function ConnectedState({ name, connection }: ConnectedStateProps) {
  const { word, icon, why } = describeStanding(useStanding(name, connection));
  return (
    <span
      title={why}
      className={`flex items-center gap-1 ${icon === 'warning' ? 'text-conflict' : 'text-ink-3'}`}
    >
      {word}
      {why !== undefined && <span className="sr-only">: {why}</span>}
      <StandingIcon icon={icon} />
    </span>
  );
}
