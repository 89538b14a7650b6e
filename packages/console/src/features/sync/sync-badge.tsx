import { isFixpointError } from '@fixpoint/protocol';
import { useSyncStatus } from '@fixpoint/react';
import type { Attached, SyncStatus } from 'fixpoint';
import { Check, CloudOff, LoaderCircle, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge, type BadgeTone } from '../../ui/badge.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { describeSync } from './describe-sync.ts';

const ICON = { size: 12, 'aria-hidden': true } as const;
const LOOKS: Record<SyncStatus['state'], { tone: BadgeTone; icon: ReactNode }> = {
  offline: { tone: 'plain', icon: <CloudOff {...ICON} /> },
  connecting: { tone: 'plain', icon: <LoaderCircle {...ICON} className="animate-spin" /> },
  'catching-up': { tone: 'accent', icon: <LoaderCircle {...ICON} className="animate-spin" /> },
  'in-sync': { tone: 'accent', icon: <Check {...ICON} /> },
  refused: { tone: 'decide', icon: <TriangleAlert {...ICON} /> },
  'store-lost': { tone: 'decide', icon: <TriangleAlert {...ICON} /> },
};

/** Shows live whether this page's documents are in sync with the cloud. */
export function SyncBadge({ attached }: { attached: Promise<Attached> }) {
  const found = useSettled(attached);
  const failure = found !== undefined && 'error' in found ? found.error : undefined;
  const status = useSyncStatus(found !== undefined && 'value' in found ? found.value : undefined);
  const state = failure === undefined ? (status?.state ?? 'connecting') : 'refused';
  const { tone, icon } = LOOKS[state];
  const why = (failure ?? status?.error)?.message;
  return (
    <Badge tone={tone} live title={why}>
      {icon}
      {isFixpointError(status?.error, 'DEVICE_NOT_APPROVED')
        ? 'Not trusted yet'
        : describeSync({ toSend: 0, toFetch: 0, ...status, state })}
      {state === 'refused' && why !== undefined && <span className="truncate">: {why}</span>}
    </Badge>
  );
}
