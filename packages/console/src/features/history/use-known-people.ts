import type { Database } from 'fixpoint';
import { useCallback, useMemo } from 'react';
import { NOBODY, type People, withDevices } from '../../values/who-wrote.ts';
import { useLoaded } from './use-loaded.ts';

/** Number of latest events in which devices are looked for. */
const EVENTS = 200;

/**
 * Returns the people, and the owners of the devices of the latest events, live. So changes that the
 * gateway hasn't reported yet have an author, too.
 */
export function useKnownPeople(database: Database, people: People = NOBODY): People {
  const isShared = people.size > 0;
  const { value } = useLoaded(
    database,
    useCallback(
      async (signal) => (isShared ? database.events({ limit: EVENTS, signal }) : undefined),
      [database, isShared],
    ),
  );
  return useMemo(() => (value === undefined ? people : withDevices(people, value)), [people, value]);
}
