import { useConflicts } from '@fixpoint/react';
import type { ConflictingDocument } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { documentPath } from '../../../local/document-path.ts';
import { conflictCount, UnknownConflicts } from '../../../ui/text/unknown-conflicts.tsx';
import { fieldLabel } from '../../../values/field-label.ts';
import { shownId } from '../../../values/shown-id.ts';
import type { Counted } from '../local-facts.tsx';

export interface Documents {
  readonly now: Counted;
  /** The number before the sync; undefined until it is known. */
  readonly before: number | undefined;
  /** How many the sync has added so far. */
  readonly added: number;
}

const CONFLICTS_SHOWN = 5;

export interface FoundDocumentsProps {
  readonly database: BridgedDatabase;
  /** Path of the database's documents. */
  readonly docsPath: string;
  readonly documents: Documents;
}

/** Shows what the sync found: how many documents of each kind, and the conflicts. */
export function FoundDocuments({
  database,
  docsPath,
  documents: { now, before, added },
}: FoundDocumentsProps) {
  const search = useConflicts(database);
  const { conflicts, unread, error } = search;
  const total = typeof now === 'number' ? now : 0;
  const waiting = conflicts.length;
  return (
    <div className={`grid grid-cols-[minmax(0,1fr)] gap-3 ${waiting > 0 ? 'sm:grid-cols-2' : ''}`}>
      {before !== undefined && (
        <Framed title="Documents">
          <dl className="flex flex-col gap-1.5 px-3.5 py-2.5">
            <Kind name="Here before" count={before} {...{ total }} tone="bg-(--c6)" />
            <Kind name="Added here" count={added} {...{ total }} tone="bg-(--c4)" />
            <Kind
              name="Waiting for you"
              count={waiting}
              text={conflictCount(waiting, search)}
              {...{ total }}
              tone="bg-conflict"
            />
          </dl>
        </Framed>
      )}
      {waiting > 0 && <Conflicts {...{ conflicts, docsPath }} />}
      <div className="col-span-full empty:hidden">
        <UnknownConflicts {...{ unread, error }} />
      </div>
    </div>
  );
}

function Framed({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="rounded-lg border border-line bg-surface">
      <div className="flex min-h-9 items-center gap-2 border-b border-line px-3.5">
        <h3 className="font-semibold">{title}</h3>
      </div>
      {children}
    </section>
  );
}

interface KindProps {
  readonly name: string;
  readonly count: number;
  /** The count as it is shown; by default, the number. */
  readonly text?: string;
  readonly total: number;
  /** The colour of the bar. */
  readonly tone: string;
}

function Kind({ name, count, text = count.toLocaleString('en'), total, tone }: KindProps) {
  return (
    <div className="grid grid-cols-[7.5rem_minmax(0,1fr)] items-center gap-2.5">
      <dt>{name}</dt>
      <dd className="flex items-center gap-2.5">
        <span
          aria-hidden
          className="h-1.5 grow overflow-hidden rounded-full bg-pressed forced-color-adjust-none"
        >
          {count > 0 && (
            <span
              className={`block h-full min-w-1.25 rounded-full ${tone}`}
              style={{ width: `${Math.min(100, (100 * count) / Math.max(1, total))}%` }}
            />
          )}
        </span>
        <span className="min-w-8 text-right font-medium tabular-nums">{text}</span>
      </dd>
    </div>
  );
}

interface ConflictsProps {
  readonly conflicts: readonly ConflictingDocument[];
  readonly docsPath: string;
}

function Conflicts({ conflicts, docsPath }: ConflictsProps) {
  const more = conflicts.length - CONFLICTS_SHOWN;
  const count = conflicts.length.toLocaleString('en');
  return (
    <section aria-label="Conflicts found" className="rounded-lg border border-line bg-surface">
      <div className="flex min-h-9 items-center border-b border-line px-3.5">
        <h3 className="font-semibold text-conflict">
          {conflicts.length === 1 ? '1 conflict to merge' : `${count} conflicts to merge`}
        </h3>
      </div>
      <ul className="divide-y divide-line">
        {conflicts.slice(0, CONFLICTS_SHOWN).map((conflict) => (
          <li
            key={conflict.id}
            className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-0.5 px-3.5 py-1.5"
          >
            <Link
              to={documentPath(docsPath, conflict.id)}
              className="rounded font-mono text-xs break-all text-accent-ink hover:underline"
            >
              {shownId(conflict.id)}
            </Link>
            <span className="text-xs wrap-anywhere text-ink-3">
              {differingFields(conflict).map(fieldLabel).join(', ')}
            </span>
          </li>
        ))}
        {more > 0 && (
          <li className="px-3.5 py-1.5 text-xs text-ink-3">and {more.toLocaleString('en')} more</li>
        )}
      </ul>
    </section>
  );
}

type Versions = Pick<ConflictingDocument, 'winner' | 'losers'>;

/**
 * Returns the names of the top-level fields in which the versions of a document differ. Returns
 * none if a version was deleted, or its content was dropped.
 */
export function differingFields({ winner, losers }: Versions): readonly string[] {
  const values = [winner, ...losers].map(({ value }) => value);
  if (values.some((value) => value === undefined)) return [];
  const documents = values.map((value) => new Map(Object.entries(value ?? {})));
  const names = new Set(documents.flatMap((fields) => [...fields.keys()]));
  return [...names].filter((name) => new Set(documents.map((fields) => textOf(fields.get(name)))).size > 1);
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? 'undefined';
