import { ArrowDown, ArrowUp, Check, TriangleAlert } from 'lucide-react';
import { type KeyboardEvent, type Ref, useRef } from 'react';
import { Link } from 'react-router';
import type { FieldSummary } from '../../local/ask.ts';
import { documentsText } from '../../undo/undo-stack.ts';
import { isChosenId, shortId } from '../../values/shown-id.ts';
import { truncate } from '../../values/truncate.ts';
import { typedText } from '../../values/typed-value.ts';
import { pathLabel } from '../filter/filter.ts';
import { searchOfFilter } from '../filter/filter-address.ts';
import { TypeIcon, typesText } from './field-types.tsx';
import { condition, type Outlier, outliersOf } from './outliers.ts';
import { type FieldSort, isTree, type SortColumn, sortAfter } from './sort-fields.ts';
import type { FieldIndexes } from './use-field-indexes.ts';

/** More rows would make the page slow. The field for the name finds the others. */
export const SHOWN_MAX = 300;
const EXAMPLE_CHARS_MAX = 24;

export interface FieldTableProps {
  readonly fields: readonly FieldSummary[];
  /** Number of documents read so far. */
  readonly documents: number;
  readonly indexes: FieldIndexes;
  readonly sort: FieldSort;
  readonly onSort: (sort: FieldSort) => void;
  readonly chosen: string | undefined;
  readonly choose: (path: string) => void;
  /** Receives the body of the table. */
  readonly body: Ref<HTMLTableSectionElement>;
}

/** Lists fields. Arrow keys move from field to field. */
export function FieldTable(props: FieldTableProps) {
  const { fields, documents, indexes, sort, onSort, chosen, choose, body } = props;
  const own = useRef<HTMLTableElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const buttons = [...(own.current?.querySelectorAll<HTMLElement>('[data-field]') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    const next = placeAfter(event.key, at, buttons.length);
    if (at < 0 || next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    buttons[next]?.focus();
  };
  const byPath = new Map(fields.map((field) => [field.path, field]));
  const head = { sort, onSort };
  return (
    <div className="relative min-h-0 min-w-0 flex-1 overflow-auto">
      <table ref={own} className="w-full border-collapse text-sm">
        <thead className="sticky top-0 z-10 bg-sunken text-xs text-ink-2">
          <tr className="h-7 border-b border-line text-left *:px-2.5 *:font-medium *:first:pl-4 *:not-first:border-l *:not-first:border-line">
            <Heading {...head} by="field" />
            <th scope="col">types</th>
            <Heading {...head} by="documents" isNumeric />
            <Heading {...head} by="values" isNumeric className="max-sm:hidden" />
            <th scope="col" className="max-md:hidden">
              examples
            </th>
            <Heading {...head} by="outliers" />
            <th scope="col" className="max-lg:hidden">
              index
            </th>
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={onKeyDown}>
          {fields.slice(0, SHOWN_MAX).map((field) => (
            <FieldRow
              key={field.path}
              {...{ field, documents, choose, indexes }}
              entries={byPath.get(`${field.path}[]`)}
              isIndented={isTree(sort)}
              isChosen={field.path === chosen}
            />
          ))}
        </tbody>
      </table>
      {fields.length > SHOWN_MAX && (
        <p className="px-4 py-2 text-xs text-ink-3">
          Shows the first {SHOWN_MAX} fields. Find a field by its name to see others.
        </p>
      )}
    </div>
  );
}

interface HeadingProps {
  readonly by: SortColumn;
  readonly sort: FieldSort;
  readonly onSort: (sort: FieldSort) => void;
  readonly isNumeric?: boolean;
  readonly className?: string;
}

/** Renders the heading of a column that sorts. */
function Heading({ by, sort, onSort, isNumeric = false, className = '' }: HeadingProps) {
  const isSorted = sort.by === by;
  const Arrow = sort.isDescending ? ArrowDown : ArrowUp;
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (sort.isDescending ? 'descending' : 'ascending') : undefined}
      className={className}
    >
      <button
        type="button"
        className={`flex h-7 w-full cursor-pointer items-center gap-1 -outline-offset-2 hover:text-ink max-sm:h-10 ${isNumeric ? 'justify-end' : ''}`}
        onClick={() => onSort(sortAfter(sort, by))}
      >
        {by} {isSorted && <Arrow size={12} aria-hidden className="text-accent-ink" />}
      </button>
    </th>
  );
}

function placeAfter(key: string, at: number, count: number): number | undefined {
  if (key === 'ArrowDown') return Math.min(count - 1, at + 1);
  if (key === 'ArrowUp') return Math.max(0, at - 1);
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

/** All ids that the engine chose begin alike, so only their end is an example. */
const exampleText = (value: unknown): string =>
  typeof value === 'string' && isChosenId(value) ? shortId(value) : typedText(value);

interface FieldRowProps extends Pick<FieldTableProps, 'documents' | 'choose' | 'indexes'> {
  readonly field: FieldSummary;
  /** The entries of its lists. */
  readonly entries: FieldSummary | undefined;
  readonly isIndented: boolean;
  readonly isChosen: boolean;
}

function FieldRow({ field, entries, documents, isIndented, isChosen, choose, indexes }: FieldRowProps) {
  const { path, distinct, isMore, examples } = field;
  const outliers = outliersOf(field);
  const share = documents === 0 ? 0 : field.documents / documents;
  return (
    <tr className={`h-8 border-b border-line *:px-2.5 ${isChosen ? 'bg-accent-soft' : 'hover:bg-hover'}`}>
      <th
        scope="row"
        className={`max-w-64 pl-4! text-left font-medium ${isChosen ? 'shadow-[inset_3px_0_0_var(--accent)]' : ''}`}
      >
        <FieldName {...{ field, isIndented, isChosen, choose }} isUnusual={outliers.length > 0} />
      </th>
      <td className="whitespace-nowrap">
        <span className="flex items-center gap-2">
          <TypeBar field={field} />
          <span className="max-w-40 truncate text-ink-2">{typesText(field, entries)}</span>
        </span>
      </td>
      <td className="text-right tabular-nums">
        <span className="flex items-center justify-end gap-2">
          <Link
            to={{ search: searchOfFilter([condition(path, 'exists')]) }}
            aria-label={`${documentsText(field.documents)} with ${pathLabel(path)}`}
            className="hover:underline"
          >
            {field.documents.toLocaleString('en')}
          </Link>
          <span aria-hidden className="h-1 w-7.5 overflow-hidden rounded-full bg-pressed max-sm:hidden">
            <span className="block h-full min-w-px bg-accent" style={{ width: `${share * 100}%` }} />
          </span>
        </span>
      </td>
      <td className="text-right tabular-nums max-sm:hidden">
        {distinct === 0 ? '' : `${distinct.toLocaleString('en')}${isMore ? '+' : ''}`}
      </td>
      <td className="w-full max-w-0 truncate text-ink-2 max-md:hidden">
        {examples.map((value) => truncate(exampleText(value), EXAMPLE_CHARS_MAX)).join(', ')}
      </td>
      <td>{outliers.length > 0 && <OutlierCount outliers={outliers} />}</td>
      <td className="whitespace-nowrap max-lg:hidden">
        {indexes.indexed.has(path) && <IndexMark>index</IndexMark>}
        {indexes.searched.has(path) && <IndexMark>search</IndexMark>}
      </td>
    </tr>
  );
}

type FieldNameProps = Pick<FieldRowProps, 'field' | 'isIndented' | 'isChosen' | 'choose'> & {
  readonly isUnusual: boolean;
};

/** Renders the button that opens a field. Sorted lists show the whole path of nested fields. */
function FieldName({ field, isIndented, isChosen, choose, isUnusual }: FieldNameProps) {
  const { path, steps } = field;
  const last = steps.at(-1);
  const own = last === undefined || path === '_id' || !isIndented ? path : nameOf(last.name, last.isEach);
  const depth = steps.length - 1 + (last?.isEach === true ? 0.5 : 0);
  return (
    <button
      type="button"
      data-field={path}
      data-unusual={isUnusual}
      aria-expanded={isChosen}
      aria-label={pathLabel(path)}
      title={pathLabel(path)}
      className="flex w-full min-w-0 cursor-pointer items-center gap-1.5 -outline-offset-2 max-sm:min-h-10"
      style={{ paddingLeft: isIndented ? `${depth * 20}px` : undefined }}
      onClick={() => choose(path)}
    >
      <TypeIcon field={field} />
      <span className={`truncate ${isIndented && depth > 0 ? 'font-normal text-ink-2' : ''}`}>
        {pathLabel(own)}
      </span>
    </button>
  );
}

/** Returns the path of one name. */
const nameOf = (name: string, isEach: boolean): string =>
  `${name.replace(/[\\.[\]]/g, '\\$&')}${isEach ? '[]' : ''}`;

const IndexMark = ({ children }: { children: string }) => (
  <span className="mr-2 inline-flex items-center gap-1 text-xs font-medium text-accent-ink">
    <Check size={12} aria-hidden />
    {children}
  </span>
);

function OutlierCount({ outliers }: { outliers: readonly Outlier[] }) {
  const count = outliers.reduce((sum, one) => sum + one.documents, 0);
  const text = outliers.map((one) => one.text).join('. ');
  return (
    <span
      title={text}
      className="inline-flex h-5 items-center gap-1 rounded-full bg-conflict-soft px-2 text-xs font-medium text-conflict tabular-nums"
    >
      <TriangleAlert size={11} aria-hidden />
      {count.toLocaleString('en')}
      <span className="sr-only">: {text}</span>
    </span>
  );
}

/** Shows the shares of the types, which the text beside it names. */
function TypeBar({ field: { types } }: { field: FieldSummary }) {
  const sum = types.reduce((all, { documents }) => all + documents, 0);
  return (
    <span
      aria-hidden
      className="flex h-1.5 w-8.5 shrink-0 gap-0.5 overflow-hidden rounded-full max-sm:hidden"
    >
      {types.map(({ type, documents }, at) => (
        <span
          key={type}
          className="h-full min-w-0.75 forced-color-adjust-none"
          style={{ width: `${(100 * documents) / sum}%`, background: `var(--c${Math.min(6, at + 1)})` }}
        />
      ))}
    </span>
  );
}
