import { useConflicts } from '@fixpoint/react';
import type { ConflictingDocument } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { GitMerge } from 'lucide-react';
import { documentPath } from '../../../local/document-path.ts';
import { LinkButton } from '../../../ui/button.tsx';
import { conflictCount, UnknownConflicts } from '../../../ui/text/unknown-conflicts.tsx';
import { titleOfDocument } from '../../../values/document-title.ts';
import { fieldLabel } from '../../../values/field-label.ts';
import { shortId } from '../../../values/shown-id.ts';
import { canMerge, MERGED } from '../../history/conflicts/use-conflict.ts';
import { differencesOf } from '../choices/merge-fields.ts';

const SHOWN_MAX = 50;
const NAMED_MAX = 4;

export interface OtherConflictsProps {
  readonly database: BridgedDatabase;
  /** The document that is being merged. */
  readonly id: string | undefined;
  readonly basePath: string;
}

/** Lists the other documents that several devices changed at the same time. */
export function OtherConflicts({ database, id, basePath }: OtherConflictsProps) {
  const search = useConflicts(database);
  const { conflicts, unread, error } = search;
  const others = conflicts.filter((one) => one.id !== id);
  if (others.length === 0 && unread.length === 0 && error === undefined) return null;
  return (
    <section aria-label="Other documents with conflicts">
      <h2 className="flex h-9 items-center gap-2 border-b border-line bg-sunken px-4 text-xs font-semibold">
        Other documents with conflicts
        {others.length > 0 && (
          <span className="font-normal text-ink-3 tabular-nums">
            {conflictCount(others.length, search)} left
          </span>
        )}
      </h2>
      <div className="px-4 py-2 empty:hidden">
        <UnknownConflicts {...{ unread, error }} />
      </div>
      <ul>
        {others.slice(0, SHOWN_MAX).map((one, at) => (
          <Line key={one.id} {...{ one, basePath }} isNext={at === 0} />
        ))}
      </ul>
    </section>
  );
}

function Line({ one, basePath, isNext }: { one: ConflictingDocument; basePath: string; isNext: boolean }) {
  const { id, winner, losers } = one;
  const versions = [winner, ...losers];
  const title = titleOfDocument(id, winner.value ?? losers[0]?.value);
  const names = namesIn(one);
  const more = names.length - NAMED_MAX;
  const path = documentPath(basePath, id);
  return (
    <li className="grid min-h-9.5 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 border-b border-line px-4 py-1 md:grid-cols-[7.375rem_4rem_minmax(0,1fr)_auto_auto]">
      <b className="truncate font-medium" title={title}>
        {title}
      </b>
      <code className="truncate font-mono text-xs text-ink-3 max-md:hidden">{shortId(id)}</code>
      <span className="truncate text-ink-2 max-md:hidden">
        {names.slice(0, NAMED_MAX).map(fieldLabel).join(', ')}
        {more > 0 && ` and ${more.toLocaleString('en')} more`}
      </span>
      <span className="inline-flex items-center gap-1.5 text-xs font-medium text-conflict max-md:hidden">
        <GitMerge size={12} aria-hidden />
        {canMerge(one)
          ? `${names.length} ${names.length === 1 ? 'field differs' : 'fields differ'}`
          : versions.some(({ isUnreadable }) => isUnreadable === true)
            ? 'A version can’t be read'
            : 'Deleted on one device'}
      </span>
      <LinkButton to={canMerge(one) ? `${path}?${MERGED}=` : path} size="sm">
        {isNext ? 'Next' : 'Merge'} <span className="sr-only">: {title}</span>
      </LinkButton>
    </li>
  );
}

/** Returns the top-level fields in which the versions differ. */
const namesIn = ({ winner, losers }: ConflictingDocument): readonly string[] => [
  ...new Set(
    losers.flatMap(({ value }) =>
      differencesOf({}, winner.value ?? {}, value ?? {}).map(({ path }) => path[0] ?? ''),
    ),
  ),
];
