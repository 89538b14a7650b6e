import { TriangleAlert } from 'lucide-react';
import { type KeyboardEvent, useRef } from 'react';
import { Link } from 'react-router';
import type { FieldSummary } from '../../local/ask.ts';
import { truncate } from '../../values/truncate.ts';
import { typedText } from '../../values/typed-value.ts';
import { pathLabel, TYPE_LABELS } from '../filter/filter.ts';
import { searchOfFilter } from '../filter/filter-address.ts';
import { condition, type Outlier, outliersOf } from './outliers.ts';

/** More rows would make the page slow. The field for the name finds the others. */
const SHOWN_MAX = 300;
const EXAMPLE_CHARS_MAX = 24;

export interface FieldTableProps {
  readonly fields: readonly FieldSummary[];
  /** Number of documents read so far. */
  readonly documents: number;
  readonly chosen: string | undefined;
  readonly choose: (path: string) => void;
}

/** Lists fields. Arrow keys move from field to field, N to the next one with outliers. */
export function FieldTable({ fields, documents, chosen, choose }: FieldTableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const buttons = [...(body.current?.querySelectorAll<HTMLElement>('[data-field]') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    const next = placeAfter(event.key, at, buttons);
    if (at < 0 || next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    buttons[next]?.focus();
  };
  return (
    <div className="relative min-h-0 min-w-0 flex-1 overflow-auto">
      <table className="w-full border-collapse text-sm">
        <thead className="sticky top-0 z-10 bg-surface text-xs text-ink-3">
          <tr className="h-7 border-b border-line text-left *:px-2.5 *:font-medium *:first:pl-4">
            <th scope="col">field</th>
            <th scope="col">types</th>
            <th scope="col" className="text-right">
              documents
            </th>
            <th scope="col" className="text-right max-sm:hidden">
              values
            </th>
            <th scope="col" className="max-md:hidden">
              examples
            </th>
            <th scope="col">outliers</th>
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={onKeyDown}>
          {fields.slice(0, SHOWN_MAX).map((field) => (
            <FieldRow key={field.path} {...{ field, documents, choose }} isChosen={field.path === chosen} />
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

function placeAfter(key: string, at: number, buttons: readonly HTMLElement[]): number | undefined {
  if (key === 'ArrowDown') return Math.min(buttons.length - 1, at + 1);
  if (key === 'ArrowUp') return Math.max(0, at - 1);
  if (key === 'Home') return 0;
  if (key === 'End') return buttons.length - 1;
  if (key !== 'n') return undefined;
  const next = buttons.findIndex((button, n) => n > at && button.dataset['unusual'] === 'true');
  return next < 0 ? buttons.findIndex((button) => button.dataset['unusual'] === 'true') : next;
}

interface FieldRowProps {
  readonly field: FieldSummary;
  readonly documents: number;
  readonly isChosen: boolean;
  readonly choose: (path: string) => void;
}

function FieldRow({ field, documents, isChosen, choose }: FieldRowProps) {
  const { path, steps, types, distinct, isMore, examples } = field;
  const outliers = outliersOf(field);
  const share = documents === 0 ? 0 : field.documents / documents;
  const last = steps.at(-1);
  const name = last === undefined ? path : pathLabel(path === '_id' ? path : nameOf(last.name, last.isEach));
  return (
    <tr className={`h-8 border-b border-line *:px-2.5 ${isChosen ? 'bg-accent-soft' : 'hover:bg-hover'}`}>
      <th scope="row" className="max-w-64 pl-4! text-left font-medium">
        <button
          type="button"
          data-field={path}
          data-unusual={outliers.length > 0}
          aria-expanded={isChosen}
          aria-label={pathLabel(path)}
          title={pathLabel(path)}
          className="flex w-full min-w-0 cursor-pointer items-center -outline-offset-2 max-sm:min-h-10"
          style={{ paddingLeft: `${(steps.length - 1 + (last?.isEach === true ? 0.5 : 0)) * 20}px` }}
          onClick={() => choose(path)}
        >
          <span className="truncate">{name}</span>
        </button>
      </th>
      <td className="whitespace-nowrap">
        <span className="flex items-center gap-2">
          <TypeBar field={field} />
          <span className="max-w-40 truncate text-ink-2">
            {types.map(({ type }) => TYPE_LABELS[type]).join(', ')}
          </span>
        </span>
      </td>
      <td className="text-right tabular-nums">
        <span className="flex items-center justify-end gap-2">
          <Link
            to={{ search: searchOfFilter([condition(path, 'exists')]) }}
            aria-label={`${field.documents.toLocaleString('en')} documents with ${pathLabel(path)}`}
            className="hover:underline"
          >
            {field.documents.toLocaleString('en')}
          </Link>
          <span aria-hidden className="h-1 w-8 overflow-hidden rounded-full bg-pressed max-sm:hidden">
            <span className="block h-full bg-accent" style={{ width: `${share * 100}%` }} />
          </span>
        </span>
      </td>
      <td className="text-right tabular-nums max-sm:hidden">
        {distinct === 0 ? '' : `${distinct.toLocaleString('en')}${isMore ? '+' : ''}`}
      </td>
      <td className="max-w-56 truncate text-ink-2 max-md:hidden">
        {examples.map((value) => truncate(typedText(value), EXAMPLE_CHARS_MAX)).join(', ')}
      </td>
      <td>{outliers.length > 0 && <OutlierCount outliers={outliers} />}</td>
    </tr>
  );
}

/** Returns the path of one name. */
const nameOf = (name: string, isEach: boolean): string =>
  `${name.replace(/[\\.[\]]/g, '\\$&')}${isEach ? '[]' : ''}`;

function OutlierCount({ outliers }: { outliers: readonly Outlier[] }) {
  const count = outliers.reduce((sum, one) => sum + one.documents, 0);
  const text = outliers.map((one) => one.text).join('. ');
  return (
    <span
      title={text}
      className="inline-flex items-center gap-1 rounded-full bg-conflict-soft px-2 text-xs font-medium text-conflict"
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
    <span aria-hidden className="flex h-1.5 w-9 shrink-0 gap-px overflow-hidden rounded-full max-sm:hidden">
      {types.map(({ type, documents }, at) => (
        <span
          key={type}
          className="h-full min-w-0.5 forced-color-adjust-none"
          style={{ width: `${(100 * documents) / sum}%`, background: `var(--c${Math.min(6, at + 1)})` }}
        />
      ))}
    </span>
  );
}
