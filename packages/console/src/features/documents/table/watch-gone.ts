/** Detects which selected documents were deleted, here or elsewhere. */
import type { Database } from 'fixpoint';
import type { Rows } from 'fixpoint/rows';

export interface GoneWatch {
  /** Sets the ids to check from now on. */
  chosen(ids: ReadonlySet<string>): void;
  end(): void;
}

export interface WatchedDatabase extends Pick<Database, 'subscribe'> {
  readonly rows: Pick<Rows, 'window'>;
}

const BATCH = 1000;
/** Delay of a check after a change or a selection. */
const PAUSE_MS = 100;
/**
 * Maximum share of time spent on checks, which would otherwise keep the worker busy when documents
 * change constantly.
 */
const PART_MAX = 0.1;

/** Reports, soon after each change, which chosen ids have no document. Runs one check at a time. */
export function watchGone(
  { rows, subscribe }: WatchedDatabase,
  tell: (gone: readonly string[]) => void,
): GoneWatch {
  let ids: ReadonlySet<string> = new Set();
  /** Ids selected since the last check. */
  let added = new Set<string>();
  let hasChanged = false;
  let isLooking = false;
  let isOver = false;
  let tookMs = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const later = () => {
    if (isOver || isLooking || !(hasChanged || added.size > 0)) return;
    timer ??= setTimeout(() => void look(), Math.max(PAUSE_MS, tookMs / PART_MAX - tookMs));
  };
  const look = async () => {
    timer = undefined;
    const sought = [...(hasChanged ? ids : added)];
    [hasChanged, added, isLooking] = [false, new Set(), true];
    const began = performance.now();
    try {
      for (let at = 0; at < sought.length && !isOver; at += BATCH) {
        const gone = await goneOf(rows, sought.slice(at, at + BATCH));
        if (gone.length > 0 && !isOver) tell(gone);
      }
    } catch {
      // A failed check is retried after the next change.
    }
    tookMs = performance.now() - began;
    isLooking = false;
    later();
  };
  const stop = subscribe(() => {
    hasChanged = true;
    later();
  });
  return {
    chosen: (next) => {
      for (const id of next) if (!ids.has(id)) added.add(id);
      ids = next;
      later();
    },
    end: () => {
      isOver = true;
      clearTimeout(timer);
      stop();
    },
  };
}

async function goneOf(rows: Pick<Rows, 'window'>, ids: readonly string[]): Promise<readonly string[]> {
  const { rows: found } = await rows.window({ ids, limit: ids.length, fields: [] });
  if (found.length === ids.length) return [];
  const there = new Set(found.map(({ id }) => id));
  return ids.filter((id) => !there.has(id));
}
