import type { Database } from 'fixpoint';
import { useCallback } from 'react';
import { Avatar } from '../../../ui/avatar.tsx';
import { agoOf } from '../../../ui/text/moment.ts';
import { NOBODY, type People, whenWritten, whoWrote } from '../../../values/who-wrote.ts';
import { type ComparedVersion, comparedVersions, textOfChange } from '../latest-changes.ts';
import { useOwnDevice } from '../stamp-text.tsx';
import { useLoaded } from '../use-loaded.ts';

const SHOWN = 5;

export interface LatestVersionsProps {
  readonly database: Database;
  readonly id: string;
  readonly people?: People | undefined;
  /** Names of the fields that aren't saved yet. */
  readonly edited: readonly string[];
}

/** Lists the latest versions of a document: who changed what, and when. */
export function LatestVersions({ database, id, people = NOBODY, edited }: LatestVersionsProps) {
  const { value } = useLoaded(
    database,
    useCallback((signal) => comparedVersions(database, id, { limit: SHOWN + 1, signal }), [database, id]),
  );
  const own = useOwnDevice(database);
  if (value === undefined) return null;
  return (
    <section aria-label="Latest versions" className="px-3.5 py-2.5">
      <h2 className="mb-1 text-xs font-semibold">
        Versions{' '}
        <span className="font-normal text-ink-3 tabular-nums">
          {value.length > SHOWN ? `latest ${SHOWN}` : value.length}
        </span>
      </h2>
      <ol>
        {edited.length > 0 && (
          <li className={`${ITEM} before:border-2 before:border-accent before:bg-surface`}>
            <p className="text-xs text-ink-3">
              <b className="font-medium text-ink">You</b> not saved yet
            </p>
            <p className={CHANGE}>{edited.join(', ')}</p>
          </li>
        )}
        {value.slice(0, SHOWN).map((one) => (
          <Version key={one.version.event} {...one} {...{ own, people }} />
        ))}
      </ol>
    </section>
  );
}

const ITEM =
  'relative pb-1.5 pl-5 before:absolute before:top-1.5 before:left-1 before:z-1 before:size-1.75 before:rounded-full after:absolute after:top-2.5 after:-bottom-2.5 after:left-[0.4375rem] after:w-px after:bg-history-line last:after:hidden';
const CHANGE = 'truncate text-xs text-ink-2';

interface VersionProps extends ComparedVersion {
  readonly own: string | undefined;
  readonly people: People;
}

function Version({ version, change, own, people }: VersionProps) {
  const who = whoWrote(version, own, people);
  const ms = whenWritten(version);
  const text = textOfChange(change);
  return (
    <li className={`${ITEM} before:bg-history`}>
      <p className="flex items-center gap-1.5 text-xs text-ink-3">
        {who.person !== undefined && <Avatar name={who.person} isSmall />}
        <b className="truncate font-medium text-ink" title={who.identity}>
          {who.name}
        </b>
        {ms !== undefined && <span className="shrink-0 tabular-nums">{agoOf(ms, Date.now())}</span>}
      </p>
      <p className={CHANGE} title={text}>
        {text}
      </p>
    </li>
  );
}
