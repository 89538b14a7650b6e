import type { SyncStatus } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { RefreshCw, Send, Unplug } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Skeleton } from '../../../ui/pages/feedback.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { countsOf, leftText, partDone, rateText, type SyncCounts } from '../../sync/sync-counts.ts';
import { documentsText } from '../local-facts.tsx';
import { type Documents, FoundDocuments } from './found-documents.tsx';

export interface FirstSyncProps {
  readonly database: BridgedDatabase;
  /** Identifies the sync, whose counts the sidebar shows too. */
  readonly sync: object;
  readonly status: SyncStatus;
  /** Path of the database's documents. */
  readonly docsPath: string;
  /** The name of the database in the cloud. */
  readonly remoteName: string;
  readonly isDone: boolean;
}

/** Shows the progress of a first sync, what happens next, and at the end what it found. */
export function FirstSync({ database, sync, status, docsPath, remoteName, isDone }: FirstSyncProps) {
  const counts = countsOf(sync, status);
  const elapsedMs = useElapsed(isDone);
  const documents = useDocuments(database, status);
  const part = isDone ? 1 : partDone(counts);
  const percent = part === undefined ? undefined : Math.floor(part * 100);
  const left = isDone ? undefined : leftText(counts, elapsedMs);
  return (
    <div className="flex flex-col gap-3">
      <p className="flex flex-wrap items-baseline gap-x-2.5">
        <span role="status" className="text-2xl font-semibold tabular-nums">
          {isDone ? 'In sync' : percent === undefined ? 'Comparing...' : `${percent}%`}
        </span>
        {left !== undefined && <span className="text-ink-2">{left}</span>}
      </p>
      <progress
        aria-label="First sync"
        className="block h-2 w-full appearance-none overflow-hidden rounded-full bg-pressed [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-pressed [&::-webkit-progress-value]:bg-accent"
        {...(percent !== undefined && { value: percent, max: 100 })}
      />
      <dl className="grid grid-cols-2 gap-y-2 sm:grid-cols-4 sm:[&>div+div]:border-l sm:[&>div+div]:border-line sm:[&>div+div]:pl-4">
        <Count name="Sent">{ofText(counts.sent, counts.toSend, part !== undefined)}</Count>
        <Count name="Fetched">{ofText(counts.fetched, counts.toFetch, part !== undefined)}</Count>
        <Count name="Rate">{rateText(counts, elapsedMs) ?? '–'}</Count>
        <Count name="On this device">
          {documentsText(documents.now)}
          {documents.added > 0 && ` (${documents.added.toLocaleString('en')} new)`}
        </Count>
      </dl>
      {isDone ? (
        <FoundDocuments {...{ database, docsPath, documents }} />
      ) : (
        <Next toSend={counts.toSend} remoteName={remoteName} />
      )}
    </div>
  );
}

/** Counts parts. They are unknown while the databases are compared. */
const ofText = (done: number, left: number, isKnown: boolean): string =>
  !isKnown
    ? '–'
    : `${done.toLocaleString('en')} of ${(done + left).toLocaleString('en')} ${done + left === 1 ? 'part' : 'parts'}`;

function Count({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-ink-3">{name}</dt>
      <dd className="text-base font-medium tabular-nums">{children}</dd>
    </div>
  );
}

/** Measures how long the sync takes. */
function useElapsed(isDone: boolean): number {
  const [begun] = useState(() => performance.now());
  const [now, setNow] = useState(begun);
  useEffect(() => {
    setNow(performance.now());
    if (isDone) return undefined;
    const timer = setInterval(() => setNow(performance.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isDone]);
  return now - begun;
}

const TICK_MS = 500;

/** Counts the documents on this device. */
function useDocuments(database: BridgedDatabase, status: SyncStatus): Documents {
  const [counted, setCounted] = useState<{ readonly first: number; readonly now: number }>();
  const [isFailed, setFailed] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: counted again after each change
  useEffect(() => {
    const waiting = new AbortController();
    database.rows.count({ signal: waiting.signal }).then(
      (now) => waiting.signal.aborted || setCounted((before) => ({ first: before?.first ?? now, now })),
      () => waiting.signal.aborted || setFailed(true),
    );
    return () => waiting.abort();
  }, [database, status]);
  return {
    now: counted?.now ?? (isFailed ? 'failed' : undefined),
    before: counted?.first,
    added: counted === undefined ? 0 : Math.max(0, counted.now - counted.first),
  };
}

/** Says what happens during and after the first sync. */
function Next({ toSend, remoteName }: { toSend: number; remoteName: string }) {
  return (
    <section aria-label="What happens next" className="flex flex-col gap-1.5">
      <h3 className="font-semibold">What happens next</h3>
      <ul className="grid gap-x-5 gap-y-2 sm:grid-cols-3">
        <NextStep
          icon={<Send {...ICON} />}
          title={
            toSend === 0
              ? 'Documents are compared'
              : `${toSend.toLocaleString('en')} ${toSend === 1 ? 'part follows' : 'parts follow'}`
          }
          text={`People with access to ${remoteName} see your documents as they arrive.`}
        />
        <NextStep
          icon={<RefreshCw {...ICON} />}
          title="Then it syncs by itself"
          text="In every tab, and again after you were offline."
        />
        <NextStep
          icon={<Unplug {...ICON} />}
          title="Disconnect keeps both copies"
          text="You find it in the settings of this database."
        />
      </ul>
    </section>
  );
}

const ICON = { size: 14, 'aria-hidden': true } as const;

const NextStep = ({ icon, title, text }: { icon: ReactNode; title: string; text: string }) => (
  <li className="flex gap-2.5">
    <span className="mt-0.75 shrink-0 text-accent-ink">{icon}</span>
    <div className="min-w-0 wrap-anywhere">
      <h4 className="font-medium">{title}</h4>
      <p className="text-xs text-ink-3">{text}</p>
    </div>
  </li>
);

/** Shows how much of a ledger this browser has fetched, before it can show the ledger at all. */
export function Fetching({ counts }: { counts: SyncCounts | undefined }) {
  const total = counts === undefined ? 0 : counts.fetched + counts.toFetch;
  if (counts === undefined || total === 0) return <Skeleton />;
  return <Progress label="Fetching the documents:" done={counts.fetched} of={total} noun="parts" />;
}
