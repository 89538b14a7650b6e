/** One commit of the list, and what it changed. */
import type { CommitEvent, Database } from 'fixpoint';
import { ArrowRight } from 'lucide-react';
import { memo } from 'react';
import { Avatar } from '../../../ui/avatar.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { LinkButton } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/text/copy-button.tsx';
import { clockOf } from '../../../ui/text/moment.ts';
import { eventName } from '../../../values/shown-id.ts';
import { type People, whenWritten, whoWrote } from '../../../values/who-wrote.ts';
import { StampText } from '../stamp-text.tsx';
import { atSearch } from '../versions/version-address.ts';
import { CommitChanges } from './commit-changes.tsx';
import type { DrawnRow } from './commit-lanes.ts';
import { describeCommit } from './describe-commit.ts';
import type { ChangedField } from './field-summary.ts';
import { Lanes } from './lanes.tsx';
import { useChangedField } from './use-changed-field.ts';

export interface CommitLineProps {
  readonly database: Database;
  readonly commit: CommitEvent;
  /** The page of all documents. */
  readonly allPath: string;
  readonly row: DrawnRow | undefined;
  readonly lanes: number;
  /** Height of the row. */
  readonly graphPx: number;
  /** The id of this device. */
  readonly own: string | undefined;
  readonly people: People;
  /** Whether the database syncs with a ledger. */
  readonly isSynced: boolean;
  readonly isHead: boolean;
  readonly isOpen: boolean;
  readonly onToggle: (event: string) => void;
}

export const CommitLine = memo(function CommitLine(props: CommitLineProps) {
  const { database, commit, row, lanes, graphPx, isHead, isOpen, onToggle, own, people, isSynced } = props;
  const { event, parents, state, isDropped = false, isHorizon = false } = commit;
  const who = whoWrote(commit, own, people);
  const changed = useChangedField(database, commit);
  return (
    <>
      <div
        style={{ minHeight: graphPx }}
        className={`flex items-stretch gap-2 pr-3 has-[button:hover]:bg-hover ${isOpen ? 'bg-history-soft' : ''}`}
      >
        <Lanes {...{ row, lanes, isHead, isDropped }} heightPx={graphPx} isLast={isHorizon} />
        <button
          type="button"
          aria-expanded={isOpen}
          title={eventName(event)}
          className="flex min-w-0 grow cursor-pointer items-center gap-2 text-left max-sm:grid max-sm:grid-cols-[auto_minmax(0,1fr)] max-sm:content-center max-sm:gap-y-0"
          onClick={() => onToggle(event)}
        >
          <Avatar name={who.isPerson ? who.name : undefined} />
          <span className="w-54 shrink-0 truncate max-lg:w-37 max-sm:w-auto">
            <span className="font-medium" title={who.email}>
              {who.name}
            </span>
            {who.device !== undefined && <span className="text-ink-3"> on {who.device}</span>}
          </span>
          <span
            className={`min-w-0 grow truncate max-sm:col-start-2 ${isDropped ? 'text-ink-3' : 'text-ink-2'}`}
          >
            <Summary {...{ commit, changed }} />
          </span>
          {changed !== undefined && (
            <span className="max-w-44 shrink-0 truncate text-ink-3 max-lg:sr-only">{changed.title}</span>
          )}
        </button>
        <span className="flex shrink-0 items-center gap-1.5 max-sm:flex-col max-sm:items-end max-sm:justify-center max-sm:gap-0.5">
          {isHead && <Badge tone="accent">Now</Badge>}
          {parents.length > 1 && <Badge>Merge</Badge>}
          {isDropped && <Badge>Compacted</Badge>}
          {isHorizon && <Badge>Oldest kept</Badge>}
          {commit.signature === 'bad' && <Badge tone="danger">Changed after signing</Badge>}
          {isSynced && state === 'local' && <Badge tone="plain">Not sent</Badge>}
          <Clock commit={commit} />
        </span>
      </div>
      {isOpen && <CommitDetails {...props} />}
    </>
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

/** Shows the first changed field with its values, or else the names of the documents. */
function Summary({ commit, changed }: { commit: CommitEvent; changed: ChangedField | undefined }) {
  if (changed === undefined) return describeCommit(commit);
  const { field, before, after, more } = changed;
  return (
    <>
      <span className="mr-1.5 font-medium text-ink">{field}</span>
      {before !== undefined && <del className="text-ink-3 tabular-nums">{before}</del>}
      <ArrowRight size={12} aria-label="is now" className="mx-1.5 inline-block align-[-1px] text-ink-3" />
      {after === undefined ? (
        <span className={NEW_VALUE}>removed</span>
      ) : (
        <ins className={NEW_VALUE}>{after}</ins>
      )}
      {more > 0 && ` and ${more.toLocaleString('en')} more`}
    </>
  );
}

const NEW_VALUE = 'rounded bg-history-soft px-1 py-0.5 text-history no-underline tabular-nums';

function CommitDetails({ database, commit, allPath, own, people }: CommitLineProps) {
  const { event, isDropped = false, isHorizon = false } = commit;
  return (
    <div className="flex flex-col gap-3 border-t border-line bg-sunken px-3 py-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {/* The line of the commit has no room for it on a phone. */}
        <span className="text-xs font-medium sm:hidden">{whoWrote(commit, own, people).name}</span>
        <StampText stamp={commit} own={own} />
        <code className="font-mono text-xs text-ink-3">{eventName(event)}</code>
      </p>
      <div className="flex flex-wrap gap-2">
        {!isDropped && (
          <LinkButton to={`${allPath}?${atSearch([event])}`} size="sm">
            Browse this version
          </LinkButton>
        )}
        <CopyButton label="Copy link" size="sm" text={linkTo(event)} />
      </div>
      <WhatChanged {...{ database, commit, isDropped, isHorizon }} />
    </div>
  );
}

/** Returns the address of this page with the commit opened. */
function linkTo(event: string): string {
  const url = new URL(location.href);
  url.searchParams.set('event', event);
  return url.href;
}

interface WhatChangedProps {
  readonly database: Database;
  readonly commit: CommitEvent;
  readonly isDropped: boolean;
  readonly isHorizon: boolean;
}

function WhatChanged({ database, commit, isDropped, isHorizon }: WhatChangedProps) {
  if (isDropped)
    return (
      <p className="text-ink-3">
        Later commits overwrote all documents of this commit, so compaction removed their old content from
        this device.
      </p>
    );
  if (isHorizon)
    return (
      <p className="text-ink-3">
        This is a snapshot of all older commits. Compaction removed those commits on this device, so their
        changes can’t be shown here.
      </p>
    );
  return <CommitChanges database={database} commit={commit} />;
}
