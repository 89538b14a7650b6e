import { useConflicts } from '@fixpoint/react';
import type { SyncStatus } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { type ReactNode, useEffect, useState } from 'react';
import { Link } from 'react-router';
import { documentPath } from '../../local/document-path.ts';
import { shownId } from '../../values/shown-id.ts';
import { type Counted, documentsText } from './local-facts.tsx';
import {
  countStatus,
  leftText,
  NOTHING_COUNTED,
  partDone,
  rateText,
  type SyncCounts,
} from './sync-counts.ts';

export interface FirstSyncProps {
  readonly database: BridgedDatabase;
  readonly status: SyncStatus;
  /** Path of the database's documents. */
  readonly docsPath: string;
  readonly isDone: boolean;
}

/** Shows the progress of a first sync, and what it found. */
export function FirstSync({ database, status, docsPath, isDone }: FirstSyncProps) {
  const { counts, elapsedMs } = useCounts(status, isDone);
  const documents = useDocuments(database, status);
  const part = isDone ? 1 : partDone(counts);
  const percent = part === undefined ? undefined : Math.floor(part * 100);
  const left = isDone ? undefined : leftText(counts, elapsedMs);
  return (
    <div className="flex flex-col gap-3">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span role="status" className="text-2xl font-semibold tracking-tight tabular-nums">
          {isDone ? 'In sync' : percent === undefined ? 'Comparing...' : `${percent}%`}
        </span>
        {left !== undefined && <span className="text-sm text-ink-3">{left}</span>}
      </p>
      <progress
        aria-label="First sync"
        className="block h-1.5 w-full appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent"
        {...(percent !== undefined && { value: percent, max: 100 })}
      />
      <dl className="grid grid-cols-2 gap-x-6 gap-y-2 text-sm sm:grid-cols-4">
        <Count name="Sent">{ofText(counts.sent, counts.toSend)}</Count>
        <Count name="Fetched">{ofText(counts.fetched, counts.toFetch)}</Count>
        <Count name="Rate">{rateText(counts, elapsedMs) ?? '–'}</Count>
        <Count name="On this device">
          {documentsText(documents.now)}
          {documents.added > 0 && ` (${documents.added.toLocaleString('en')} new)`}
        </Count>
      </dl>
      {isDone && <Conflicts database={database} docsPath={docsPath} />}
    </div>
  );
}

const ofText = (done: number, left: number): string =>
  `${done.toLocaleString('en')} of ${(done + left).toLocaleString('en')} ${done + left === 1 ? 'part' : 'parts'}`;

function Count({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-ink-3">{name}</dt>
      <dd className="font-medium tabular-nums">{children}</dd>
    </div>
  );
}

/** Counts from the first status on, and measures how long the sync takes. */
function useCounts(status: SyncStatus, isDone: boolean): { counts: SyncCounts; elapsedMs: number } {
  const [seen, setSeen] = useState({ status, counts: countStatus(NOTHING_COUNTED, status) });
  const [begun] = useState(() => performance.now());
  const [now, setNow] = useState(begun);
  if (seen.status !== status) setSeen({ status, counts: countStatus(seen.counts, status) });
  useEffect(() => {
    setNow(performance.now());
    if (isDone) return undefined;
    const timer = setInterval(() => setNow(performance.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isDone]);
  return { counts: seen.counts, elapsedMs: now - begun };
}

const TICK_MS = 500;

/** Counts the documents on this device, and how many of them the sync has added so far. */
function useDocuments(
  database: BridgedDatabase,
  status: SyncStatus,
): { readonly now: Counted; readonly added: number } {
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
    added: counted === undefined ? 0 : Math.max(0, counted.now - counted.first),
  };
}

const CONFLICTS_SHOWN = 5;

function Conflicts({ database, docsPath }: Pick<FirstSyncProps, 'database' | 'docsPath'>) {
  const { conflicts, hydrated } = useConflicts(database);
  if (!hydrated || conflicts.length === 0) return null;
  const more = conflicts.length - CONFLICTS_SHOWN;
  return (
    <section aria-label="Conflicts found" className="flex flex-col gap-1 text-sm">
      <h3 className="font-medium text-conflict">
        {conflicts.length === 1
          ? '1 conflict to merge'
          : `${conflicts.length.toLocaleString('en')} conflicts to merge`}
      </h3>
      <ul className="flex flex-wrap gap-x-4 gap-y-1">
        {conflicts.slice(0, CONFLICTS_SHOWN).map(({ id }) => (
          <li key={id}>
            <Link
              to={documentPath(docsPath, id)}
              className="font-mono text-xs break-all text-accent hover:underline"
            >
              {shownId(id)}
            </Link>
          </li>
        ))}
        {more > 0 && <li className="text-ink-3">and {more.toLocaleString('en')} more</li>}
      </ul>
    </section>
  );
}
