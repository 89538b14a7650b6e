/** Says who wrote the versions of a merge. */
import type { BridgedDatabase } from 'fixpoint/bridge';
import { useCallback } from 'react';
import { agoOf } from '../../../ui/text/moment.ts';
import { NOBODY, type People, whenWritten, whoWrote } from '../../../values/who-wrote.ts';
import { useOwnDevice } from '../../history/stamp-text.tsx';
import { useLoaded } from '../../history/use-loaded.ts';

/** One of the two versions. */
export interface SideFacts {
  /** Such as "Mine". */
  readonly name: string;
  /** Such as "Grace"; undefined if nobody knows. */
  readonly person: string | undefined;
  /** Its author and time, such as "Grace, 2 minutes ago". */
  readonly text: string;
}

/** Returns who wrote the stored version of a document. */
export function useLatestAuthor(
  database: BridgedDatabase,
  id: string | undefined,
  people: People = NOBODY,
): SideFacts {
  const own = useOwnDevice(database);
  const { value } = useLoaded(
    database,
    useCallback(
      async (signal) =>
        id === undefined ? undefined : (await database.history(id, { limit: 1, signal }))[0],
      [database, id],
    ),
  );
  return factsOf('The other version', value, own, people);
}

/** Returns who wrote a version, and when. */
export function factsOf(
  name: string,
  version: Parameters<typeof whoWrote>[0] | undefined,
  own: string | undefined,
  people: People,
): SideFacts {
  if (version === undefined) return { name, person: undefined, text: 'Changed elsewhere' };
  const who = whoWrote(version, own, people);
  const ms = whenWritten(version);
  const device = who.device === undefined ? '' : ` on ${who.device}`;
  const ago = ms === undefined ? '' : `, ${agoOf(ms, Date.now())}`;
  return { name, person: who.person, text: `${who.name}${device}${ago}` };
}
