import { useVirtualizer } from '@tanstack/react-virtual';
import type { CommitEvent, Database } from 'fixpoint';
import { Scissors } from 'lucide-react';
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { LinkButton } from '../../../ui/button.tsx';
import { EmptyState, ErrorPanel, Skeleton } from '../../../ui/pages/feedback.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { TEXT_SCALE } from '../../../ui/theme/text-scale.ts';
import { eventName } from '../../../values/shown-id.ts';
import { StampText, useOwnDevice } from '../stamp-text.tsx';
import { keptOf } from '../versions/states-of.ts';
import { atSearch } from '../versions/version-address.ts';
import { CommitChanges } from './commit-changes.tsx';
import { type DrawnRow, drawLanes } from './commit-lanes.ts';
import { describeCommit } from './describe-commit.ts';
import { useCommits } from './use-commits.ts';

const LANE_PX = 14;
const GRAPH_PX = 40 * TEXT_SCALE;
const ROW_PX = GRAPH_PX + 1;
const LANES_MAX = 12;
const OVERSCAN = 5;

export interface CommitListProps {
  readonly database: Database;
  /** The page of all documents. */
  readonly allPath: string;
  /**
   * How many changes wait to be sent to a ledger; their commits are marked. Undefined without a
   * ledger.
   */
  readonly toSend: number | undefined;
}

/** Shows a database's events as a graph, newest first. Only events in view are in the page. */
export function CommitList({ database, allPath, toSend }: CommitListProps) {
  const { commits, error, seen } = useCommits(database, toSend);
  const [open, setOpen] = useState<string | undefined>();
  const own = useOwnDevice(database);
  const scroller = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => keptOf(commits?.rows ?? []), [commits]);
  const count = shown.length;
  const rows = useMemo(() => drawLanes(shown), [shown]);
  // This function must be stable: a new one would recompute the positions of all commits.
  const getItemKey = useCallback((at: number) => shown[at]?.event ?? at, [shown]);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    getItemKey,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
  });
  const last = virtual.range?.endIndex ?? 0;
  useEffect(() => seen(last), [seen, last]);
  const toggle = useCallback((event: string) => setOpen((now) => (now === event ? undefined : event)), []);
  if (commits === undefined)
    return error === undefined ? <Skeleton shape="rows" /> : <ErrorPanel message={failureText(error)} />;
  if (count === 0) return <EmptyState text="This database has no changes yet." />;
  const lanes = Math.min(
    LANES_MAX,
    rows.reduce((most, row) => Math.max(most, row.lanes), 0),
  );
  return (
    <section aria-label="Commits" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="mr-auto text-sm text-ink-3">
          <p role="status">
            {count.toLocaleString('en')} {count === 1 ? 'commit' : 'commits'}
            {commits.isAll ? '' : ' and more'}, newest first
          </p>
        </div>
        <LinkButton to={`${allPath}?${atSearch(commits.head)}`}>Browse past versions</LinkButton>
      </div>
      {shown.some(isWorn) && <Compacted />}
      <div
        ref={scroller}
        className="max-h-[max(14rem,calc(100dvh-16rem))] overflow-y-auto overscroll-y-contain rounded-lg border border-line bg-surface text-sm"
      >
        <ol className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const commit = shown[index];
            if (commit === undefined) return null;
            return (
              <li
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                aria-setsize={commits.isAll ? count : -1}
                aria-posinset={index + 1}
                className="absolute inset-x-0 top-0 border-b border-line"
                style={{ transform: `translateY(${start}px)` }}
              >
                <CommitLine
                  {...{ commit, database, allPath, lanes, toSend, own }}
                  row={rows[index]}
                  isHead={commits.head.includes(commit.event)}
                  isOpen={commit.event === open}
                  onToggle={toggle}
                />
              </li>
            );
          })}
        </ol>
      </div>
    </section>
  );
}

const isWorn = ({ isDropped, isHorizon }: CommitEvent): boolean => isDropped === true || isHorizon === true;

/** Explains that compaction removed older versions. */
function Compacted() {
  return (
    <p className="flex items-start gap-2 rounded-md border border-line bg-hover px-3 py-2 text-sm text-ink-3">
      <Scissors size={14} aria-hidden className="mt-0.5 shrink-0" />
      <span>
        Compaction removed older versions on this device. Compaction keeps the latest 1,000 commits, or fewer
        if they take too much space. Other devices may still have older commits.
      </span>
    </p>
  );
}

interface CommitLineProps extends CommitListProps {
  readonly commit: CommitEvent;
  readonly row: DrawnRow | undefined;
  readonly lanes: number;
  readonly own: string | undefined;
  readonly isHead: boolean;
  readonly isOpen: boolean;
  readonly onToggle: (event: string) => void;
}

const CommitLine = memo(function CommitLine(props: CommitLineProps) {
  const { commit, row, lanes, isHead, isOpen, onToggle, database, allPath, toSend, own } = props;
  const { event, parents, state, isDropped = false, isHorizon = false } = commit;
  return (
    <>
      <div className="flex items-stretch gap-2 pr-3 has-[button:hover]:bg-hover">
        <Lanes row={row} lanes={lanes} isHead={isHead} isDropped={isDropped} isLast={isHorizon} />
        <button
          type="button"
          aria-expanded={isOpen}
          className="flex min-w-0 grow cursor-pointer items-center gap-3 py-2 text-left"
          onClick={() => onToggle(event)}
        >
          <code className="shrink-0 font-mono text-xs text-ink-3">{eventName(event)}</code>
          <span className={`min-w-0 truncate ${isDropped ? 'text-ink-3' : ''}`}>
            {describeCommit(commit)}
          </span>
        </button>
        <span className="flex shrink-0 items-center gap-1.5">
          <span className="max-sm:hidden">
            <StampText stamp={commit} own={own} />
          </span>
          {isHead && <Badge tone="accent">Now</Badge>}
          {parents.length > 1 && <Badge>Merge</Badge>}
          {isDropped && <Badge>Compacted</Badge>}
          {isHorizon && <Badge>Oldest kept</Badge>}
          {toSend !== undefined && state === 'local' && <Badge tone="plain">Not sent</Badge>}
        </span>
      </div>
      {isOpen && (
        <div className="flex flex-col gap-3 border-t border-line bg-bg px-3 py-3">
          <span className="sm:hidden">
            <StampText stamp={commit} own={own} />
          </span>
          {!isDropped && (
            <div className="flex flex-wrap gap-2">
              <LinkButton to={`${allPath}?${atSearch([event])}`} size="sm">
                Browse this version
              </LinkButton>
            </div>
          )}
          {isDropped ? (
            <p className="text-ink-3">
              Later commits overwrote all documents of this commit, so compaction removed their old content
              from this device.
            </p>
          ) : isHorizon ? (
            <p className="text-ink-3">
              This is a snapshot of all older commits. Compaction removed those commits on this device, so
              their changes can’t be shown here.
            </p>
          ) : (
            <CommitChanges database={database} commit={commit} />
          )}
        </div>
      )}
    </>
  );
});

interface LanesProps {
  readonly row: DrawnRow | undefined;
  readonly lanes: number;
  readonly isHead: boolean;
  readonly isDropped: boolean;
  /** Whether older commits were removed. The line to them is then dotted. */
  readonly isLast: boolean;
}

/** Draws the part of the graph for one commit. */
function Lanes({ row, lanes, isHead, isDropped, isLast }: LanesProps) {
  if (row === undefined) return null;
  const width = lanes * LANE_PX + 12;
  const x = (lane: number) => 10 + Math.min(lane, LANES_MAX - 1) * LANE_PX;
  const [top, middle, bottom] = [0, GRAPH_PX / 2, GRAPH_PX];
  return (
    <svg
      aria-hidden
      width={width}
      height={GRAPH_PX}
      className="shrink-0 text-accent-ink"
      viewBox={`0 0 ${width} ${GRAPH_PX}`}
    >
      {row.lines.map(({ from, to }) => {
        const [x1, y1] = from === undefined ? [x(row.lane), middle] : [x(from), top];
        const [x2, y2] = to === undefined ? [x(row.lane), middle] : [x(to), bottom];
        return (
          <path
            key={`${from}-${to}`}
            d={`M${x1} ${y1} C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`}
            fill="none"
            stroke="currentColor"
            strokeOpacity={0.5}
            strokeWidth={1.5}
            strokeDasharray={isDropped || (isLast && from === undefined) ? '2 4' : undefined}
          />
        );
      })}
      <circle
        cx={x(row.lane)}
        cy={middle}
        r={isHead ? 5 : 4}
        fill={isHead ? 'currentColor' : 'var(--surface)'}
        stroke="currentColor"
        strokeWidth={1.5}
        strokeDasharray={isDropped ? '2 2' : undefined}
      />
    </svg>
  );
}
