import { useMemo } from 'react';
import { shownId } from '../../values/shown-id.ts';
import { authorsOf, type People, type Who } from '../../values/who-wrote.ts';
import { type HistoryFilter, isStampWanted } from './filters/history-filter.ts';
import type { ShownChange } from './use-changes.ts';
import { changeKey, type LatestChanges } from './use-latest-changes.ts';

export interface ShownChanges {
  readonly rows: readonly ShownChange[];
  /** All authors of the loaded changes, sorted by name. */
  readonly authors: readonly Who[];
  /** How many changes the filter can't judge yet, because their fields aren't known. */
  readonly pending: number;
}

interface Options {
  readonly all: readonly ShownChange[];
  readonly filter: HistoryFilter;
  /** The id of this device. */
  readonly own: string | undefined;
  readonly people: People;
  readonly known: LatestChanges;
}

/** Returns the changes that match the filter. */
export function useShownChanges({ all, filter, own, people, known }: Options): ShownChanges {
  const { document, field } = filter;
  const authors = useMemo(
    () =>
      authorsOf(
        all.flatMap(({ by }) => by ?? []),
        own,
        people,
      ),
    [all, own, people],
  );
  const stamped = useMemo(
    () =>
      all.filter(
        ({ key, by }) => shownId(key).includes(document) && isStampWanted(filter, by ?? {}, own, people),
      ),
    [all, document, filter, own, people],
  );
  const rows = useMemo(
    () =>
      field === '' ? stamped : stamped.filter((row) => known.get(changeKey(row))?.fields.has(field) === true),
    [stamped, field, known],
  );
  const pending = field === '' ? 0 : all.filter((row) => !known.has(changeKey(row))).length;
  return { rows, authors, pending };
}
