import { useVirtualizer } from '@tanstack/react-virtual';
import type { CommitEvent, Database } from 'fixpoint';
import { Scissors } from 'lucide-react';
import { useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useCanWrite } from '../../../local/can-write.ts';
import { useHasRoom, useIsNarrow } from '../../../ui/use-is-narrow.ts';
import { NOBODY, type People, whenWritten, withDevices } from '../../../values/who-wrote.ts';
import { isHistoryFiltered } from '../filters/history-filter.ts';
import { HistoryFilters, useHistoryFilter } from '../filters/history-filters.tsx';
import { InToolbar, NoChanges, ToolbarStatus, WaitingList } from '../history-toolbar.tsx';
import { useOwnDevice } from '../stamp-text.tsx';
import { keptOf } from '../versions/states-of.ts';
import { type DayHead, withDays } from './commit-days.ts';
import { drawLanes } from './commit-lanes.ts';
import { CommitLine, type CommitLineProps } from './commit-line.tsx';
import { CommitAside, CommitSheet } from './commit-panel.tsx';
import { GRAPH_PX, LANES_MAX, PHONE_GRAPH_PX } from './lanes.tsx';
import { type LoadedCommits, useCommits } from './use-commits.ts';
import { type ShownCommits, useShownCommits } from './use-shown-commits.ts';

const BORDER_PX = 1;
const OVERSCAN = 5;
/** The list scrolls by itself, so it needs a height where it doesn't fill the page. */
const HIGHEST = 'max-h-[max(14rem,calc(100dvh-15rem))]';
const NONE: readonly CommitEvent[] = [];

export interface CommitListProps {
  readonly database: Database;
  /** The page of all documents. */
  readonly allPath: string;
  /** The path of a document is this path plus the encoded id. */
  readonly docsPath: string;
  /**
   * How many changes wait to be sent to a ledger; their commits are marked. Undefined without a
   * ledger.
   */
  readonly toSend: number | undefined;
  /** The people who have access to the ledger. */
  readonly people?: People | undefined;
}

/**
 * Shows a database's events as a graph, newest first, under a heading for each day. Only events in
 * view are in the page.
 */
export function CommitList({
  database,
  allPath,
  docsPath,
  toSend,
  people: members = NOBODY,
}: CommitListProps) {
  const { commits, error, seen } = useCommits(database, toSend);
  const own = useOwnDevice(database);
  const all = useMemo(() => keptOf(commits?.rows ?? NONE), [commits]);
  const people = useMemo(() => withDevices(members, all), [members, all]);
  const [filter, changeFilter] = useHistoryFilter();
  const shown = useShownCommits({ database, all, filter, own, people });
  useLinkedCommit(commits, seen);
  if (commits === undefined) return <WaitingList error={error} />;
  if (all.length === 0) return <NoChanges docsPath={docsPath} />;
  const isFiltered = isHistoryFiltered(filter);
  const isAll = commits.isAll && shown.pending === 0;
  return (
    <section aria-label="Changes" className="flex min-h-0 flex-1 flex-col">
      <InToolbar>
        <HistoryFilters authors={shown.authors} filter={filter} onFilter={changeFilter} />
        <ToolbarStatus>
          {isFiltered ? `${atLeast(shown.commits.length, isAll)}, newest first` : summaryOf(shown, isAll)}
          {shown.unread > 0 && `. ${unreadText(shown.unread)}`}
        </ToolbarStatus>
      </InToolbar>
      {all.some(isWorn) && <Compacted />}
      <Lines
        {...{ database, allPath, docsPath, own, people, commits, seen }}
        shown={shown}
        isSynced={toSend !== undefined}
        isFiltered={isFiltered}
      />
    </section>
  );
}

/** Such as "214 changes by 3 people since Oct 24". */
function summaryOf({ commits, authors }: ShownCommits, isAll: boolean): string {
  const count = atLeast(commits.length, isAll);
  const { length: writers } = authors.filter(({ isPerson }) => isPerson);
  const people = writers > 1 ? ` by ${writers.toLocaleString('en')} people` : '';
  if (!isAll) return `${count}${people}, newest first`;
  const first = commits.findLast((commit) => whenWritten(commit) !== undefined);
  const since = first && whenWritten(first);
  return `${count}${people}${since === undefined ? '' : ` since ${dateText(new Date(since), SHORT)}`}`;
}

/** Such as "200+ changes", if older ones aren't loaded yet. */
const atLeast = (count: number, isAll: boolean): string =>
  isAll ? counted(count, 'change') : `${count.toLocaleString('en')}+ changes`;

const unreadText = (count: number): string =>
  `${counted(count, 'change')} not searched, because too many documents changed`;

interface LinesProps extends Pick<CommitListProps, 'database' | 'allPath' | 'docsPath'> {
  readonly people: People;
  readonly own: string | undefined;
  readonly commits: NonNullable<LoadedCommits['commits']>;
  readonly seen: LoadedCommits['seen'];
  readonly shown: ShownCommits;
  readonly isSynced: boolean;
  readonly isFiltered: boolean;
}

function Lines(props: LinesProps) {
  const { database, own, people, isSynced, shown } = props;
  const [open, toggle] = useOpenCommit();
  const hasRoom = useHasRoom();
  const canWrite = useCanWrite();
  const panelId = useId();
  const panel = useRef<HTMLElement>(null);
  // A sheet covers the list, so only a person opens it, and not the slider.
  const [sheetOf, setSheetOf] = useState(open);
  const onToggle = useCallback(
    (event: string) => {
      setSheetOf(event);
      if (hasRoom || event !== open) toggle(event);
    },
    [toggle, hasRoom, open],
  );
  const onEnter = useCallback(() => panel.current?.focus(), []);
  const commit = shown.commits.find(({ event }) => event === open);
  const { allPath, docsPath } = props;
  const close = () => {
    setSheetOf(undefined);
    if (hasRoom && open !== undefined) toggle(open);
  };
  const details = { database, allPath, docsPath, own, people, canWrite, onClose: close };
  return (
    <div
      className={`grid min-h-0 flex-1 grid-rows-[minmax(0,1fr)] border-t border-line text-sm ${hasRoom && commit !== undefined ? 'grid-cols-[minmax(0,1fr)_19.75rem]' : 'grid-cols-1'}`}
    >
      <Scroller
        {...props}
        line={{ database, own, people, allPath, canWrite, isSynced, panelId, onToggle, onEnter }}
        open={open}
      />
      {commit !== undefined &&
        (hasRoom ? (
          <CommitAside key={commit.event} {...details} {...{ commit, panel }} id={panelId} />
        ) : (
          sheetOf === commit.event && <CommitSheet {...details} commit={commit} />
        ))}
    </div>
  );
}

interface ScrollerProps extends LinesProps {
  /** The parts that all lines share. */
  readonly line: Pick<
    CommitLineProps,
    'database' | 'own' | 'people' | 'allPath' | 'canWrite' | 'isSynced' | 'panelId' | 'onToggle' | 'onEnter'
  >;
  readonly open: string | undefined;
}

function Scroller({ commits, seen, shown, isFiltered, line, open }: ScrollerProps) {
  const { commits: lines, pending } = shown;
  const hasRoom = useHasRoom();
  const graphPx = useIsNarrow() ? PHONE_GRAPH_PX : GRAPH_PX;
  const scroller = useRef<HTMLDivElement>(null);
  const items = useMemo(() => withDays(lines, new Date()), [lines]);
  // The lines of a graph would end nowhere if commits are missing.
  const rows = useMemo(() => (isFiltered ? [] : drawLanes(lines)), [isFiltered, lines]);
  // This function must be stable: a new one would recompute the positions of all commits.
  const getItemKey = useCallback((at: number) => keyOf(items, lines, at), [items, lines]);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    getItemKey,
    estimateSize: () => graphPx + BORDER_PX,
    overscan: OVERSCAN,
  });
  const last = virtual.range?.endIndex ?? 0;
  const openAt = items.findIndex((item) => 'at' in item && lines[item.at]?.event === open);
  // The slider and links open commits that may be out of view. Those in view stay where they are.
  useEffect(() => {
    const isInView = virtual.getVirtualItems().some(({ index }) => index === openAt);
    if (openAt >= 0 && !isInView) virtual.scrollToIndex(openAt, { align: 'start' });
  }, [openAt, virtual]);
  // Few of the loaded commits may match the filter, so further ones are asked for.
  const wanted = isFiltered ? commits.rows.length - lines.length + last : last;
  useEffect(() => {
    if (pending === 0) seen(wanted);
  }, [seen, wanted, pending]);
  const lanes = Math.min(
    LANES_MAX,
    rows.reduce((most, row) => Math.max(most, row.lanes), 0),
  );
  return (
    <div ref={scroller} className={`${hasRoom ? '' : HIGHEST} overflow-y-auto overscroll-y-contain`}>
      <ol className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const item = items[index];
          const commit = item === undefined || 'head' in item ? undefined : lines[item.at];
          const place =
            item === undefined || 'head' in item
              ? {}
              : { 'aria-setsize': commits.isAll ? lines.length : -1, 'aria-posinset': item.at + 1 };
          return (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              {...place}
              className="absolute inset-x-0 top-0 border-b border-line"
              style={{ transform: `translateY(${start}px)` }}
            >
              {item !== undefined && 'head' in item && <DayLine {...item.head} />}
              {item !== undefined && 'at' in item && commit !== undefined && (
                <CommitLine
                  {...line}
                  {...{ commit, lanes, graphPx }}
                  row={rows[item.at]}
                  isHead={commits.head.includes(commit.event)}
                  isOpen={commit.event === open}
                />
              )}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function keyOf(
  items: ReturnType<typeof withDays>,
  lines: readonly CommitEvent[],
  at: number,
): string | number {
  const item = items[at];
  if (item === undefined) return at;
  if ('at' in item) return lines[item.at]?.event ?? at;
  // The first commit of a day never moves to another day.
  const next = items[at + 1];
  return next !== undefined && 'at' in next ? `day ${lines[next.at]?.event}` : at;
}

const LONG: Intl.DateTimeFormatOptions = { weekday: 'long', day: 'numeric', month: 'long' };
const SHORT: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };

/** Names the year only of other years. */
function dateText(date: Date, format: Intl.DateTimeFormatOptions): string {
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  return date.toLocaleDateString(undefined, { ...format, ...(!isThisYear && { year: 'numeric' }) });
}

/** The heading of all commits of one day. */
function DayLine({ name, date, commits, documents }: DayHead) {
  const shown = date && dateText(date, LONG);
  return (
    <h2 className="flex h-7.5 items-center gap-2 bg-sunken px-4 text-xs text-ink-3">
      {name !== undefined && <b className="font-semibold text-ink">{name}</b>}
      <span className={`truncate ${name === undefined ? 'font-semibold text-ink' : ''}`}>{shown}</span>
      <span className="ml-auto whitespace-nowrap tabular-nums max-sm:hidden">
        {counted(commits, 'change')}, {counted(documents, 'document')}
      </span>
    </h2>
  );
}

const counted = (count: number, one: string): string =>
  `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`;

/** Returns the commit that the address names, and a function that opens or closes a commit. */
function useOpenCommit() {
  const [parameters, setParameters] = useSearchParams();
  const open = parameters.get('event') ?? undefined;
  const toggle = useCallback(
    (event: string) =>
      setParameters(
        (now) => {
          const next = new URLSearchParams(now);
          if (next.get('event') === event) next.delete('event');
          else next.set('event', event);
          return next;
        },
        { replace: true, preventScrollReset: true },
      ),
    [setParameters],
  );
  return [open, toggle] as const;
}

/** Loads older commits until the one that the address names is there. */
function useLinkedCommit(commits: LoadedCommits['commits'], seen: LoadedCommits['seen']): void {
  const open = useSearchParams()[0].get('event');
  useEffect(() => {
    if (open === null || commits === undefined || commits.isAll) return;
    if (!commits.rows.some(({ event }) => event === open)) seen(commits.rows.length);
  }, [open, commits, seen]);
}

const isWorn = ({ isDropped, isHorizon }: CommitEvent): boolean => isDropped === true || isHorizon === true;

/** Explains that compaction removed older versions. */
function Compacted() {
  return (
    <p className="mx-4 mb-3 flex items-start gap-2 rounded-md border border-line bg-hover px-3 py-2 text-sm text-ink-3">
      <Scissors size={14} aria-hidden className="mt-0.5 shrink-0" />
      <span>
        Compaction removed older versions on this device. Compaction keeps the latest 1,000 commits, or fewer
        if they take too much space. Other devices may still have older commits.
      </span>
    </p>
  );
}
