import type { ChangeRow, CommitEvent, Database } from 'fixpoint';
import { useCallback } from 'react';
import { unsentEvents } from './commits/unsent-events.ts';
import { eventsByName } from './latest-changes.ts';
import { type GrowingLimit, type Part, upTo, useGrowingLimit } from './use-growing-limit.ts';
import { useLoaded } from './use-loaded.ts';

/** The latest change of a document. */
export interface ShownChange extends ChangeRow {
  readonly isUnsent: boolean;
  /** The event that wrote it; undefined if it is too old to be looked for. */
  readonly by: CommitEvent | undefined;
}

const NONE: ReadonlySet<string> = new Set();

export interface LoadedChanges extends Pick<GrowingLimit, 'seen'> {
  /** Newest first. */
  readonly value: Part<ShownChange> | undefined;
  readonly error: unknown;
}

/**
 * Returns the latest changes of a database, live: some at first, more before the user reaches the
 * last one.
 */
export function useChanges(database: Database, toSend: number | undefined): LoadedChanges {
  const { limit, seen } = useGrowingLimit();
  const { value, error } = useLoaded(
    database,
    useCallback(
      async (signal) => {
        const { rows } = await database.changes([], { limit });
        const unsent = (toSend ?? 0) > 0 ? await unsentEvents(database, signal) : NONE;
        const events = await eventsByName(database, new Set(rows.map(({ clock }) => clock)), signal);
        const shown = rows.map(
          (row): ShownChange => ({ ...row, isUnsent: unsent.has(row.clock), by: events.get(row.clock) }),
        );
        return upTo(limit, shown.reverse());
      },
      [database, limit, toSend],
    ),
  );
  return { value, error, seen };
}
