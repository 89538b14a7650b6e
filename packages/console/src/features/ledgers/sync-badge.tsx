import { useSyncStatus } from '@fixpoint/react';
import type { Attached, SyncStatus } from 'fixpoint';
import { Check, CloudOff, LoaderCircle, TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Badge, type BadgeTone } from '../../ui/badge.tsx';
import { describeSync } from './describe-sync.ts';

const ICON = { size: 12, 'aria-hidden': true } as const;
const LOOKS: Record<SyncStatus['state'], { tone: BadgeTone; icon: ReactNode }> = {
  offline: { tone: 'warn', icon: <CloudOff {...ICON} /> },
  connecting: { tone: 'plain', icon: <LoaderCircle {...ICON} className="animate-spin" /> },
  'catching-up': { tone: 'accent', icon: <LoaderCircle {...ICON} className="animate-spin" /> },
  'in-sync': { tone: 'ok', icon: <Check {...ICON} /> },
  refused: { tone: 'danger', icon: <TriangleAlert {...ICON} /> },
};

/** How far the documents of this page and of the cloud are in step, live. */
export function SyncBadge({ attached }: { attached: Promise<Attached> }) {
  const [found, setFound] = useState<Attached | Error | undefined>();
  useEffect(() => {
    let current = true;
    attached.then(
      (value) => current && setFound(value),
      (error: Error) => current && setFound(error),
    );
    return () => {
      current = false;
    };
  }, [attached]);
  const status = useSyncStatus(found instanceof Error ? undefined : found);
  const state = found instanceof Error ? 'refused' : (status?.state ?? 'connecting');
  const { tone, icon } = LOOKS[state];
  const why = found instanceof Error ? found.message : status?.error?.message;
  return (
    <Badge tone={tone} live title={why}>
      {icon}
      {describeSync({ toSend: 0, toFetch: 0, ...status, state })}
      {state === 'refused' && why !== undefined && <span className="truncate">: {why}</span>}
    </Badge>
  );
}
