import type { CommitEvent, Database } from 'fixpoint';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useCallback, useEffect, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { IconButton, LinkButton } from '../../../ui/button.tsx';
import { useAddressChoice } from '../../../ui/pages/use-address-choice.ts';
import { dayOf, momentOf } from '../../../ui/text/moment.ts';
import { whenWritten } from '../../../values/who-wrote.ts';
import { useCommits } from '../commits/use-commits.ts';
import { keptOf, type PastState, statesOf } from './states-of.ts';
import { nameOf } from './time-slider.tsx';
import { atSearch } from './version-address.ts';

const PAUSE_MS = 120;
const BARS_MAX = 72;
/** In percent. */
const HEIGHT_MIN = 8;
const NO_STATES: readonly PastState<CommitEvent>[] = [];

export interface TimelineProps {
  readonly database: Database;
  /** The page of all documents. */
  readonly allPath: string;
}

/**
 * Shows how much the commits of a database changed, oldest at the left, and a slider through them.
 * Moving the slider opens the commit in the list. The list's address says which one is open.
 */
export function Timeline({ database, allPath }: TimelineProps) {
  const { commits, seen } = useCommits(database, undefined);
  const states = useMemo(
    () => (commits === undefined ? NO_STATES : statesOf(keptOf(commits.rows), commits.head)),
    [commits],
  );
  const [chosen, choose] = useOpened();
  const at = Math.max(
    0,
    states.findIndex(({ commit }) => commit.event === chosen),
  );
  useEffect(() => seen(at), [seen, at]);
  const oldest = states.length - 1;
  const state = states[at];
  if (commits === undefined || state === undefined) return null;
  const go = (to: number) => choose(states[Math.max(0, Math.min(to, oldest))]?.commit.event ?? '');
  return (
    <section aria-label="Timeline" className="flex shrink-0 items-end gap-2 pr-3 pb-2 pl-4 max-sm:flex-wrap">
      <div className="min-w-0 grow max-sm:basis-full">
        <Bars states={states} at={at} />
        <input
          type="range"
          aria-label="Timeline"
          aria-valuetext={nameOf(at, state)}
          disabled={oldest < 1}
          // Counted from the newest commit, so that positions stay while older commits load.
          min={-Math.max(oldest, 1)}
          max={0}
          value={-at}
          onChange={({ target }) => go(-target.valueAsNumber)}
          className="time-range"
        />
        <p className="-mt-0.5 flex justify-between text-2xs text-ink-3 tabular-nums" aria-hidden>
          <span>
            {dayIn(states.at(-1)?.commit)}
            {!commits.isAll && ' and earlier'}
          </span>
          <span>Now</span>
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-1 pb-1 max-sm:w-full">
        <IconButton label="Older" disabled={at === oldest} onClick={() => go(at + 1)}>
          <ChevronLeft size={16} aria-hidden />
        </IconButton>
        <IconButton label="Newer" disabled={at === 0} onClick={() => go(at - 1)}>
          <ChevronRight size={16} aria-hidden />
        </IconButton>
        <span className="max-sm:ml-auto">
          <LinkButton to={`${allPath}?${atSearch(state.head)}`}>Browse past versions</LinkButton>
        </span>
      </div>
    </section>
  );
}

/** Draws one bar for each commit, or for some neighbouring ones, and the time of the chosen one. */
function Bars({ states, at }: { states: readonly PastState<CommitEvent>[]; at: number }) {
  const bars = useMemo(() => barsOf(states, BARS_MAX), [states]);
  const shownAt = bars.length - 1 - Math.floor((at * bars.length) / states.length);
  const place = states.length < 2 ? 100 : 100 - (at / (states.length - 1)) * 100;
  const ms = whenIn(states[at]?.commit);
  return (
    <div aria-hidden className="flex flex-col gap-1">
      <div className="relative h-5">
        {ms !== undefined && (
          <span
            // Stays within the line at both ends.
            style={{ left: `${place}%`, transform: `translateX(-${place}%)` }}
            className="absolute bottom-0 rounded bg-history px-1.5 text-2xs font-medium whitespace-nowrap text-surface tabular-nums"
          >
            {momentOf(ms)}
          </span>
        )}
      </div>
      <div className="flex h-7 items-end gap-px">
        {bars.map((height, bar) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: bars are all alike
            key={bar}
            style={{ height: `${height}%` }}
            className={`min-w-0 flex-1 rounded-t-xs ${bar > shownAt ? 'bg-line-strong' : 'bg-history-line'}`}
          />
        ))}
      </div>
    </div>
  );
}

/**
 * Returns the heights of bars in percent, oldest first: how many documents the commits changed.
 * Neighbouring commits share a bar if there are more than `barsMax`. Heights grow with the
 * logarithm, so that a large import doesn't hide all other commits.
 * @param states newest first
 */
export function barsOf(
  states: readonly { readonly commit: Pick<CommitEvent, 'documents'> }[],
  barsMax: number,
): readonly number[] {
  const count = Math.min(states.length, barsMax);
  const sums = new Array<number>(count).fill(0);
  for (const [at, { commit }] of states.entries()) {
    const bar = Math.floor((at * count) / states.length);
    sums[bar] = (sums[bar] ?? 0) + commit.documents;
  }
  const logs = sums.map((sum) => Math.log2(1 + sum)).reverse();
  const highest = logs.reduce((most, log) => Math.max(most, log), 1);
  return logs.map((log) => Math.max(HEIGHT_MIN, Math.round((log / highest) * 100)));
}

const whenIn = (commit: CommitEvent | undefined): number | undefined => commit && whenWritten(commit);

function dayIn(commit: CommitEvent | undefined): string {
  const ms = whenIn(commit);
  return ms === undefined ? '' : dayOf(new Date(ms).toISOString());
}

/** Returns the commit that the address opens, and a function that opens another one in the list. */
function useOpened() {
  const [parameters, setParameters] = useSearchParams();
  const open = useCallback(
    (event: string) =>
      setParameters(
        (now) => {
          const next = new URLSearchParams(now);
          next.delete('view');
          next.set('event', event);
          return next;
        },
        { replace: true, preventScrollReset: true },
      ),
    [setParameters],
  );
  return useAddressChoice(parameters.get('event') ?? '', open, PAUSE_MS);
}
