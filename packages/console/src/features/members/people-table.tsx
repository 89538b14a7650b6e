import { type ReactNode, useId } from 'react';
import { PersonName, type PersonRowProps } from './person-row.tsx';

export interface PeopleTableProps {
  readonly title: string;
  /** The number of people, with its limit if there is one; undefined until the number is known. */
  readonly used: string | undefined;
  /** The headings after the person; undefined without a list. */
  readonly columns: readonly string[] | undefined;
  readonly children: ReactNode;
}

/** The columns of a person: name, two facts, actions. Narrow windows show them below each other. */
const GRID = 'sm:grid sm:grid-cols-[minmax(0,1fr)_7rem_6rem_8.5rem] sm:items-center sm:gap-x-3';

/** Renders people as a table: a framed list under a heading, with columns. */
export function PeopleTable({ title, used, columns, children }: PeopleTableProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="card overflow-hidden rounded-lg border border-line bg-surface">
      <div className="flex min-h-10 flex-wrap items-center justify-between gap-x-4 px-3.5 py-1">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {used !== undefined && <p className="text-xs text-ink-3">{used}</p>}
      </div>
      {columns !== undefined && (
        // Each row says the same in words.
        <div
          aria-hidden
          className={`hidden h-7 border-y border-line bg-sunken px-3.5 text-xs font-medium text-ink-2 ${GRID}`}
        >
          <span>person</span>
          {columns.map((column) => (
            <span key={column}>{column}</span>
          ))}
          <span />
        </div>
      )}
      {children}
    </section>
  );
}

/** Renders the people of a table. */
export const People = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul aria-label={label} className="divide-y divide-line max-sm:border-t max-sm:border-line">
    {children}
  </ul>
);

export interface PersonCellsProps extends Omit<PersonRowProps, 'children'> {
  /** The two facts after the name. */
  readonly first: ReactNode;
  readonly second: ReactNode;
  /** Actions for this person. */
  readonly children?: ReactNode;
}

export function PersonCells({ first, second, children, ...person }: PersonCellsProps) {
  return (
    <li className={`flex min-h-11 flex-wrap items-center gap-x-3 gap-y-2 px-3.5 py-1.5 text-sm ${GRID}`}>
      <span className="min-w-0 max-sm:basis-full">
        <PersonName {...person} />
      </span>
      <span>{first}</span>
      <span className="text-ink-2 max-sm:grow max-sm:text-xs">{second}</span>
      <span className="flex items-center justify-end gap-1">{children}</span>
    </li>
  );
}
