/** Shows the word and the icon of a sync: plain in lists, and as a badge beside a title. */
import {
  ArrowDown,
  ArrowUp,
  Check,
  CloudOff,
  Laptop,
  LoaderCircle,
  type LucideIcon,
  RefreshCw,
  TriangleAlert,
} from 'lucide-react';
import { Badge, type BadgeTone } from '../../ui/badge.tsx';
import type { SyncIconName, SyncText } from './describe-sync.ts';

const LOOKS: Readonly<Record<SyncIconName, { readonly icon: LucideIcon; readonly tone: BadgeTone }>> = {
  device: { icon: Laptop, tone: 'plain' },
  check: { icon: Check, tone: 'accent' },
  up: { icon: ArrowUp, tone: 'accent' },
  down: { icon: ArrowDown, tone: 'accent' },
  sync: { icon: RefreshCw, tone: 'accent' },
  busy: { icon: LoaderCircle, tone: 'plain' },
  offline: { icon: CloudOff, tone: 'plain' },
  warning: { icon: TriangleAlert, tone: 'decide' },
};

export function SyncIcon({ icon }: { icon: SyncIconName }) {
  const { icon: Icon } = LOOKS[icon];
  return <Icon size={12} aria-hidden className={`shrink-0 ${icon === 'busy' ? 'animate-spin' : ''}`} />;
}

/** The reason is a tooltip, and screen readers read it after the word. */
export const SyncWord = ({ word, icon, why }: SyncText) => (
  <span
    title={why}
    className={`flex items-center gap-1 ${icon === 'warning' ? 'text-conflict' : 'text-ink-3'}`}
  >
    {word}
    {why !== undefined && <span className="sr-only">: {why}</span>}
    <SyncIcon icon={icon} />
  </span>
);

export const SyncWordBadge = ({ word, icon, why }: SyncText) => (
  <Badge tone={LOOKS[icon].tone} live title={why}>
    <SyncIcon icon={icon} />
    {word}
  </Badge>
);
