/** One commit of the list. */
import type { CommitEvent, Database } from 'fixpoint';
import { ArrowRight } from 'lucide-react';
import { memo } from 'react';
import { Avatar } from '../../../ui/avatar.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { clockOf } from '../../../ui/text/moment.ts';
import { eventName } from '../../../values/shown-id.ts';
import { clockAhead, type People, whenWritten } from '../../../values/who-wrote.ts';
import { CommitActions, useIsActive } from './commit-actions.tsx';
import type { DrawnRow } from './commit-lanes.ts';
import { ClockBadge } from './commit-panel.tsx';
import { describeCommit, type Titles, whoCommitted } from './describe-commit.ts';
import type { ChangedField } from './field-summary.ts';
import { Lanes } from './lanes.tsx';
import { useChangedField } from './use-changed-field.ts';
import { useTitles } from './use-titles.ts';

export interface CommitLineProps {
  readonly database: Database;
  readonly commit: CommitEvent;
  readonly row: DrawnRow | undefined;
  readonly lanes: number;
  /** Height of the row. */
  readonly graphPx: number;
  /** The id of this device. */
  readonly own: string | undefined;
  readonly people: People;
  /** The page of all documents. */
  readonly allPath: string;
  readonly canWrite: boolean;
  /** Whether the database syncs with a ledger. */
  readonly isSynced: boolean;
  readonly isHead: boolean;
  readonly isOpen: boolean;
  /** The id of the panel that shows the opened commit. */
  readonly panelId: string;
  readonly onToggle: (event: string) => void;
  /** Moves the focus to the panel. */
  readonly onEnter: () => void;
}

export const CommitLine = memo(function CommitLine(props: CommitLineProps) {
  const { database, commit, row, lanes, graphPx, isHead, isOpen, onToggle, own, people, isSynced } = props;
  const { panelId, onEnter, allPath, canWrite } = props;
  const { event, parents, state, isDropped = false, isHorizon = false } = commit;
  const who = whoCommitted(commit, own, people);
  const changed = useChangedField(database, commit);
  const titles = useTitles(database, commit, changed === undefined);
  const ahead = clockAhead(commit);
  const [isActive, listeners] = useIsActive();
  return (
    <div
      style={{ minHeight: graphPx }}
      className={`flex items-stretch gap-2 pr-3 ${isOpen ? 'bg-history-soft shadow-[inset_3px_0_0_var(--history)]' : isActive ? 'bg-hover' : ''}`}
      {...listeners}
    >
      <Lanes {...{ row, lanes, isHead, isDropped }} heightPx={graphPx} isLast={isHorizon} />
      <div className="relative flex min-w-0 grow bg-inherit">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? panelId : undefined}
          title={eventName(event)}
          className="flex min-w-0 grow cursor-pointer items-center gap-2 text-left max-sm:grid max-sm:grid-cols-[auto_minmax(0,1fr)] max-sm:content-center max-sm:gap-y-0"
          onClick={() => onToggle(event)}
        >
          <Avatar name={who.person} />
          <span className="w-54 shrink-0 truncate max-lg:w-37 max-sm:w-auto">
            <span className="font-medium" title={who.identity}>
              {who.name}
            </span>
            {who.device !== undefined && <span className="text-ink-3"> on {who.device}</span>}
          </span>
          <span
            className={`min-w-0 grow truncate max-sm:col-start-2 ${isDropped ? 'text-ink-3' : 'text-ink-2'}`}
          >
            <Summary {...{ commit, changed, titles }} />
          </span>
          {changed !== undefined && (
            <span className="max-w-44 shrink-0 truncate text-ink-3 max-lg:sr-only">{changed.title}</span>
          )}
        </button>
        <CommitActions {...{ database, commit, allPath, canWrite }} isShown={isActive} />
      </div>
      <span className="flex shrink-0 items-center gap-1.5 max-sm:flex-col max-sm:items-end max-sm:justify-center max-sm:gap-0.5">
        {isHead && <Badge tone="accent">Now</Badge>}
        {parents.length > 1 && <Badge>Merge</Badge>}
        {isDropped && <Badge>Compacted</Badge>}
        {isHorizon && <Badge>Oldest kept</Badge>}
        {commit.signature === 'bad' && <Badge tone="danger">Changed after signing</Badge>}
        {isSynced && state === 'local' && <Badge tone="plain">Not sent</Badge>}
        {ahead !== undefined && <ClockBadge ahead={ahead} />}
        <Clock commit={commit} />
      </span>
      {isOpen && (
        <button
          type="button"
          className="sr-only self-center rounded-md bg-surface px-2 py-1 text-xs font-medium text-accent-ink focus:not-sr-only"
          onClick={onEnter}
        >
          Go to the details
        </button>
      )}
    </div>
  );
});

/** Shows the time of day, which the heading of the day completes. */
function Clock({ commit }: { commit: CommitEvent }) {
  const ms = whenWritten(commit);
  if (ms === undefined) return null;
  return (
    <time
      dateTime={new Date(ms).toISOString()}
      className="w-15 text-right text-xs whitespace-nowrap text-ink-3 tabular-nums"
    >
      {clockOf(ms)}
    </time>
  );
}

interface SummaryProps {
  readonly commit: CommitEvent;
  readonly changed: ChangedField | undefined;
  readonly titles: Titles;
}

/** Shows the first changed field with its values, or else the names of the documents. */
function Summary({ commit, changed, titles }: SummaryProps) {
  if (changed === undefined) return describeCommit(commit, titles);
  const { field, before, after, more } = changed;
  return (
    <>
      <span className="mr-1.5 font-medium text-ink">{field}</span>
      {before !== undefined && (
        <del className="text-ink-3 tabular-nums">
          <bdi>{before}</bdi>
        </del>
      )}
      <ArrowRight size={12} aria-label="is now" className="mx-1.5 inline-block align-[-1px] text-ink-3" />
      {after === undefined ? (
        <span className={NEW_VALUE}>removed</span>
      ) : (
        <ins className={NEW_VALUE}>
          <bdi>{after}</bdi>
        </ins>
      )}
      {more > 0 && ` and ${more.toLocaleString('en')} more`}
    </>
  );
}

const NEW_VALUE = 'rounded bg-history-soft px-1 py-0.5 text-history no-underline tabular-nums';
