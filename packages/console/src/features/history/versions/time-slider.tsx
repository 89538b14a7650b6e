import type { CommitEvent, Database } from 'fixpoint';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useCallback, useEffect, useMemo } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { IconButton } from '../../../ui/button.tsx';
import { useAddressChoice } from '../../../ui/pages/use-address-choice.ts';
import { eventName } from '../../../values/shown-id.ts';
import { truncate } from '../../../values/truncate.ts';
import { describeCommit } from '../commits/describe-commit.ts';
import { useCommits } from '../commits/use-commits.ts';
import { keptOf, type PastState, statesOf } from './states-of.ts';
import { searchAt } from './version-address.ts';

const PAUSE_MS = 120;
const TEXT_CHARS = 160;

/** The position of a page among the versions of a database. */
export interface TimePlace {
  /** The version at `at`; undefined if it isn't loaded. */
  readonly state: PastState<CommitEvent> | undefined;
  /** Index of the version, counted from the newest one. */
  readonly at: number;
  /** Index of the oldest loaded version. */
  readonly oldest: number;
  /** Whether all versions are loaded. */
  readonly isComplete: boolean;
  readonly go: (to: number) => void;
}

/** Returns the place of a past version, and moves to other ones. */
export function useTimePlace(database: Database, head: readonly string[]): TimePlace {
  const { states, isComplete, seen } = useStates(database);
  const [chosen, choose] = useChosen(head, states);
  const at = states.findIndex(({ commit }) => commit.event === chosen);
  useEffect(() => seen(at), [seen, at]);
  const oldest = states.length - 1;
  const go = (to: number) => choose(states[Math.max(0, Math.min(to, oldest))]?.commit.event ?? '');
  return { state: states[at], at, oldest, isComplete, go };
}

export interface TimeSliderProps extends TimePlace {
  /** The past version that the page shows. */
  readonly head: readonly string[];
}

/**
 * Lets the user move through the versions of a database, commit by commit. The page stays the same;
 * only the head in its address changes.
 */
export function TimeSlider({ head, state, at, oldest, isComplete, go }: TimeSliderProps) {
  const text =
    state === undefined
      ? isComplete
        ? 'This commit isn’t on this device.'
        : 'Loading...'
      : nameOf(at, state);
  return (
    <div className="flex flex-col gap-0.5">
      <div className="flex items-center gap-1">
        <IconButton label="Older" disabled={state === undefined || at === oldest} onClick={() => go(at + 1)}>
          <ChevronLeft size={16} aria-hidden />
        </IconButton>
        <input
          type="range"
          aria-label="Point in time"
          aria-valuetext={text}
          disabled={state === undefined}
          // Counted from the newest commit, so that positions stay while older commits load.
          min={-Math.max(oldest, 0)}
          max={0}
          value={-Math.max(at, 0)}
          onChange={({ target }) => go(-target.valueAsNumber)}
          className="time-range mt-0! min-w-0 grow disabled:cursor-not-allowed"
        />
        <IconButton label="Newer" disabled={state === undefined || at === 0} onClick={() => go(at - 1)}>
          <ChevronRight size={16} aria-hidden />
        </IconButton>
      </div>
      <p className="truncate text-xs text-ink-2">
        <code className="mr-1.5 font-mono">{head.map(eventName).join(', ')}</code>
        {text}
      </p>
    </div>
  );
}

/** Names a version by its distance from the latest one, and by what its commit wrote. */
export function nameOf(at: number, { commit }: PastState<CommitEvent>): string {
  const place =
    at === 0
      ? 'Latest commit'
      : `${at.toLocaleString('en')} ${at === 1 ? 'commit' : 'commits'} before the latest`;
  return truncate(`${place}: ${describeCommit(commit)}`, TEXT_CHARS);
}

const NO_STATES: readonly PastState<CommitEvent>[] = [];

/** Returns a database's versions, live: the newest, and more when the user gets near the end. */
function useStates(database: Database) {
  const { commits, seen } = useCommits(database, undefined);
  const states = useMemo(
    () => (commits === undefined ? NO_STATES : statesOf(keptOf(commits.rows), commits.head)),
    [commits],
  );
  const count = commits?.rows.length ?? 0;
  const missing = count - states.length;
  return {
    states,
    isComplete: commits?.isAll ?? false,
    seen: useCallback(
      (at: number) => {
        if (count > 0) seen(at < 0 ? count : at + missing);
      },
      [seen, count, missing],
    ),
  };
}

/**
 * Returns the newest commit of the version at the slider's position, or an empty text, and a
 * setter. The page shows the version after a pause, so it skips versions while the slider moves.
 */
function useChosen(head: readonly string[], states: readonly PastState[]) {
  const shown = states.find(({ commit }) => head.includes(commit.event))?.commit.event ?? '';
  const parameters = useSearchParams()[0];
  const navigate = useNavigate();
  const show = useCallback(
    (event: string) => {
      const state = states.find(({ commit }) => commit.event === event);
      if (state === undefined) return;
      const search = `?${searchAt(parameters, state.head)}`;
      void navigate({ search }, { replace: true, preventScrollReset: true });
    },
    [states, parameters, navigate],
  );
  return useAddressChoice(shown, show, PAUSE_MS);
}
