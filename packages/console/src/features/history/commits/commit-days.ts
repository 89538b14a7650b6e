/** Groups a list of commits by the day on which they were written. */
import type { CommitEvent } from 'fixpoint';
import { whenWritten } from '../../../values/who-wrote.ts';
import { isStart } from './describe-commit.ts';

/** The heading of commits of one day. */
export interface DayHead {
  /** Such as "Today" or "Friday"; undefined for a day that only its date names. */
  readonly name: string | undefined;
  /** The date; undefined if the commits contain no time. */
  readonly date: Date | undefined;
  readonly commits: number;
  readonly documents: number;
}

/** An item of the list: the heading of a day, or the commit with this index. */
export type DayItem = { readonly head: DayHead } | { readonly at: number };

/**
 * Returns the commits in their order, with a heading before the first commit of each day. Commits
 * are sorted by what they follow, not by time, so a clock that is wrong may repeat a day. The
 * engine's own first commit has no time, and stays with the commit that follows it.
 */
export function withDays(commits: readonly CommitEvent[], now: Date): DayItem[] {
  const items: DayItem[] = [];
  for (let from = 0; from < commits.length; ) {
    const day = dayOf(commits[from]);
    let to = from;
    let documents = 0;
    for (; to < commits.length; to++) {
      const commit = commits[to] as CommitEvent;
      const isUndatedStart = to > from && dayOf(commit) === undefined && isStart(commit);
      if (!isSameDay(dayOf(commit), day) && !isUndatedStart) break;
      documents += commit.documents;
    }
    items.push({ head: { name: nameOf(day, now), date: day, commits: to - from, documents } });
    for (; from < to; from++) items.push({ at: from });
  }
  return items;
}

/** Returns the start of the day, in the time zone of the browser. */
function dayOf(commit: CommitEvent | undefined): Date | undefined {
  const ms = commit && whenWritten(commit);
  return ms === undefined ? undefined : startOf(new Date(ms));
}

function startOf(date: Date): Date {
  const start = new Date(date);
  start.setHours(0, 0, 0, 0);
  return start;
}

const isSameDay = (one: Date | undefined, other: Date | undefined): boolean =>
  one?.getTime() === other?.getTime();

const WEEK_DAYS = 7;

function nameOf(day: Date | undefined, now: Date): string | undefined {
  if (day === undefined) return 'Without a date';
  for (let ago = 0; ago < WEEK_DAYS; ago++) {
    const candidate = startOf(now);
    candidate.setDate(candidate.getDate() - ago);
    if (!isSameDay(candidate, day)) continue;
    if (ago < 2) return ago === 0 ? 'Today' : 'Yesterday';
    return new Intl.DateTimeFormat('en', { weekday: 'long' }).format(day);
  }
  return undefined;
}
