import type { Right } from '@fixpoint/protocol/admin';
import { useSyncStatus } from '@fixpoint/react';
import type { Attached, SyncStatus } from 'fixpoint';
import { TriangleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { LEDGERS_KEY, useApp } from '../../cloud/app.ts';
import { Notice } from '../../ui/pages/notice.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { describeFailure, describeSync, isReadOnly, type SyncText } from './describe-sync.ts';
import { countsOf, partDone } from './sync-counts.ts';
import { SyncWord, SyncWordBadge } from './sync-word.tsx';

const CONNECTING = { state: 'connecting', toSend: 0, toFetch: 0 } as const;

/** Returns how an attached database syncs, live. */
function useSyncText(attached: Promise<Attached>): SyncText {
  const found = useSettled(attached);
  const value = found !== undefined && 'value' in found ? found.value : undefined;
  const status = useSyncStatus(value);
  if (found !== undefined && 'error' in found) return describeFailure(found.error);
  if (value === undefined || status === undefined) return describeSync(CONNECTING);
  return describeSync(status, fetchedPart(value, status));
}

/** Attachments that were in sync: what they fetch later are single changes. */
const fetchedOnce = new WeakSet<Attached>();
/** Fewer parts arrive before anybody can read a percentage. */
const PARTS_MIN = 3;

/** Returns the fetched part of a database that this page just opened, from 0 to 1. */
function fetchedPart(attached: Attached, status: SyncStatus): number | undefined {
  if (status.state === 'in-sync') fetchedOnce.add(attached);
  if (fetchedOnce.has(attached)) return undefined;
  const counts = countsOf(attached, status);
  const isFetch = counts.toSend === 0 && counts.fetched + counts.toFetch >= PARTS_MIN;
  return isFetch ? partDone(counts) : undefined;
}

/** Shows live whether this page's documents are in sync with the cloud. */
export const SyncBadge = ({ attached }: { attached: Promise<Attached> }) => (
  <SyncWordBadge {...useSyncText(attached)} />
);

/** Shows the same in the sidebar. */
export const LedgerState = ({ attached }: { attached: Promise<Attached> }) => (
  <SyncWord {...useSyncText(attached)} />
);

/** Says why the server refuses the sync, and where unsent changes are; else renders nothing. */
export function RefusedNotice({ attached }: { attached: Promise<Attached> }) {
  const { word, why } = useSyncText(attached);
  if (word !== 'Refused') return null;
  return (
    <Notice tone="decide" icon={<TriangleAlert size={15} aria-hidden />}>
      {why ?? 'The server refuses to sync this database, but didn’t say why.'} Changes that aren’t sent stay
      in this browser. Ask an admin of the tenant for access.
    </Notice>
  );
}

/**
 * Returns whether the user may write to a ledger. The list of ledgers may be older than the right:
 * after the server rejects a write, the user may only read, and the list is refetched.
 * @param right the user's right in the list of ledgers
 */
export function useMayWrite(right: Right | undefined, attached: Promise<Attached>): boolean {
  const found = useSettled(attached);
  const status = useSyncStatus(found !== undefined && 'value' in found ? found.value : undefined);
  const isRejected = isReadOnly(status?.error);
  const { queries } = useApp();
  useEffect(() => {
    if (isRejected) void queries.invalidateQueries({ queryKey: LEDGERS_KEY });
  }, [isRejected, queries]);
  return right !== 'read' && !isRejected;
}
