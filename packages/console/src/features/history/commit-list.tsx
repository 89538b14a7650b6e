import type { CommitEvent, Database } from 'fixpoint';
import { useCallback, useMemo, useState } from 'react';
import { failureText } from '../../local/failure-text.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { EmptyState, ErrorPanel, Skeleton } from '../../ui/feedback.tsx';
import { CommitChanges } from './commit-changes.tsx';
import { type DrawnRow, drawLanes } from './commit-lanes.ts';
import { eventName } from './event-name.ts';
import { atSearch } from './past.ts';
import { useLoaded } from './use-loaded.ts';

const PAGE = 100;
const LANE_PX = 14;
const ROW_PX = 40;
const LANES_MAX = 12;

export interface CommitListProps {
  readonly database: Database;
  /** The page of all documents. */
  readonly allPath: string;
  /** Whether the database syncs with a ledger: then it is told what was not sent. */
  readonly isSynced?: boolean;
}

/** The events of a database as a graph, the newest first. */
export function CommitList({ database, allPath, isSynced = false }: CommitListProps) {
  const [limit, setLimit] = useState(PAGE);
  const { value, error } = useLoaded(
    database,
    useCallback((signal) => database.events({ limit: limit + 1, signal }), [database, limit]),
  );
  const [open, setOpen] = useState<string | undefined>();
  const shown = useMemo(() => value?.slice(0, limit) ?? [], [value, limit]);
  const rows = useMemo(() => drawLanes(shown), [shown]);
  if (value === undefined)
    return error === undefined ? <Skeleton shape="rows" /> : <ErrorPanel message={failureText(error)} />;
  if (shown.length === 0) return <EmptyState text="Nothing was written to this database yet." />;
  const lanes = Math.min(LANES_MAX, Math.max(...rows.map((row) => row.lanes)));
  return (
    <section aria-label="Commits" className="flex flex-col gap-3">
      <ol className="overflow-hidden rounded-lg border border-line bg-surface text-sm">
        {shown.map((commit, at) => (
          <CommitLine
            key={commit.event}
            {...{ commit, database, allPath, lanes, isSynced }}
            row={rows[at]}
            isHead={database.head.includes(commit.event as never)}
            isOpen={commit.event === open}
            onToggle={() => setOpen(commit.event === open ? undefined : commit.event)}
          />
        ))}
      </ol>
      {value.length > limit && (
        <Button className="self-start" onClick={() => setLimit(limit + PAGE)}>
          Older commits
        </Button>
      )}
    </section>
  );
}

interface CommitLineProps extends CommitListProps {
  readonly commit: CommitEvent;
  readonly row: DrawnRow | undefined;
  readonly lanes: number;
  readonly isHead: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function CommitLine(props: CommitLineProps) {
  const { commit, row, lanes, isHead, isOpen, onToggle, database, allPath, isSynced = false } = props;
  const { event, parents, state } = commit;
  return (
    <li className="border-b border-line last:border-b-0">
      <div className="flex items-stretch gap-2 pr-3 has-[button:hover]:bg-raised">
        <Lanes row={row} lanes={lanes} isHead={isHead} />
        <button
          type="button"
          aria-expanded={isOpen}
          className="flex min-w-0 grow cursor-pointer items-center gap-3 py-2 text-left"
          onClick={onToggle}
        >
          <code className="shrink-0 font-mono text-xs text-muted">{eventName(event)}</code>
          <span className="min-w-0 truncate">{textOf(commit)}</span>
        </button>
        <span className="flex shrink-0 items-center gap-1.5">
          {isHead && <Badge tone="accent">Now</Badge>}
          {parents.length > 1 && <Badge>Merge</Badge>}
          {isSynced && state === 'local' && <Badge tone="warn">Not sent</Badge>}
        </span>
      </div>
      {isOpen && (
        <div className="flex flex-col gap-3 border-t border-line bg-page px-3 py-3">
          <div className="flex flex-wrap gap-2">
            <LinkButton to={`${allPath}?${atSearch([event])}`} size="sm">
              Browse the database as it was then
            </LinkButton>
          </div>
          <CommitChanges database={database} commit={commit} />
        </div>
      )}
    </li>
  );
}

function textOf({ ids, documents, parents }: CommitEvent): string {
  if (documents === 0) return parents.length === 0 ? 'The database was made' : 'No document';
  const named = ids.slice(0, 3).join(', ');
  return documents > 3 ? `${named} and ${(documents - 3).toLocaleString('en')} more` : named;
}

/** The part of the graph beside one commit. */
function Lanes({ row, lanes, isHead }: { row: DrawnRow | undefined; lanes: number; isHead: boolean }) {
  if (row === undefined) return null;
  const width = lanes * LANE_PX + 12;
  const x = (lane: number) => 10 + Math.min(lane, LANES_MAX - 1) * LANE_PX;
  const [top, middle, bottom] = [0, ROW_PX / 2, ROW_PX];
  return (
    <svg
      aria-hidden
      width={width}
      height={ROW_PX}
      className="shrink-0 text-accent"
      viewBox={`0 0 ${width} ${ROW_PX}`}
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
      />
    </svg>
  );
}
