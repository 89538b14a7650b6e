/** Finds the version of a document that concurrent versions have in common. */
import { isFixpointError } from '@fixpoint/protocol';
import type { CommitEvent, Database, Stored } from 'fixpoint';
import { whenWritten } from '../../../values/who-wrote.ts';

const PAGE = 200;
/** Older bases aren't looked for: the user then decides every field that differs. */
const EVENTS_MAX = 10_000;
const [FIRST, SECOND, BOTH] = [1, 2, 3];
/** Mark of events that a common event follows. They are older than the base. */
const OLDER = 4;

/** `stored` is undefined if the document didn't exist. */
export interface CommonBase {
  readonly stored: Stored | undefined;
  /** When the newest of these events was written, in ms since 1970; undefined if nobody knows. */
  readonly ms: number | undefined;
}

/**
 * Returns the document as the newest events that both events follow left it. These are several if
 * they were written at the same time. Returns undefined if that state is no longer on this device,
 * or too old. @throws FixpointError; the signal's reason
 */
export async function commonBase(
  database: Pick<Database, 'events' | 'at'>,
  id: string,
  [first, second]: readonly [string, string],
  signal: AbortSignal,
): Promise<CommonBase | undefined> {
  const marks = new Map([[first, FIRST]]);
  marks.set(second, (marks.get(second) ?? 0) | SECOND);
  /** Events to come that may be a part of the base, or lead to it. */
  const open = new Set(marks.keys());
  const newest: CommitEvent[] = [];
  let after: string | undefined;
  for (let count = 0; count < EVENTS_MAX; count += PAGE) {
    // Each event is listed before the events that it follows.
    const page = await database.events({ limit: PAGE, after, signal });
    for (const commit of page) {
      const { event, parents } = commit;
      const by = marks.get(event) ?? 0;
      open.delete(event);
      if (by === BOTH) newest.push(commit);
      const passed = by === BOTH ? by | OLDER : by;
      if (by > 0)
        for (const parent of parents) {
          const mark = (marks.get(parent) ?? 0) | passed;
          marks.set(parent, mark);
          if ((mark & OLDER) === 0) open.add(parent);
          else open.delete(parent);
        }
      if (open.size === 0) return stateAt(database, id, newest);
    }
    if (page.length < PAGE) return stateAt(database, id, newest);
    after = page.at(-1)?.event;
  }
  return undefined;
}

const later = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || (b !== undefined && b > a) ? b : a;

async function stateAt(
  database: Pick<Database, 'at'>,
  id: string,
  commits: readonly CommitEvent[],
): Promise<CommonBase | undefined> {
  if (commits.length === 0) return { stored: undefined, ms: undefined };
  const ms = commits.map(whenWritten).reduce(later, undefined);
  try {
    const { rows } = await database.at(commits.map(({ event }) => event)).allDocs({ key: id });
    return { stored: rows[0]?.value, ms };
  } catch (cause) {
    if (isFixpointError(cause, 'HISTORY_COMPACTED')) return undefined;
    throw cause;
  }
}
