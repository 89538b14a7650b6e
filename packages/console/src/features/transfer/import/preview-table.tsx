import { ArrowRight, Braces, Calendar, Hash, KeyRound, ToggleLeft, Type } from 'lucide-react';
import { Fragment, useEffect, useRef } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Keys } from '../../../ui/text/kbd.tsx';
import { cellText } from '../../../values/cell-text.ts';
import { areSingleKeysOn } from '../../commands/single-keys.ts';
import type { CheckedFile, PreviewRow } from './check-import.ts';
import { COLUMN_TYPES, type ColumnType } from './column-types.ts';
import type { FileChoices } from './import-file.ts';
import { type Choices, type Fate, type Problem, TEXTS } from './problems.ts';
import { fateOfRow } from './repeated.ts';
import { fixedDocument } from './row-documents.ts';
import { count } from './use-import.ts';

const COLUMNS_MAX = 40;

export interface PreviewTableProps {
  readonly shown: CheckedFile;
  readonly choices: Choices;
  readonly change: (more: FileChoices) => void;
}

/** Shows rows of a file as the import would write them: the first ones, and some with problems. */
export function PreviewTable({ shown, choices, change }: PreviewTableProps) {
  const table = useRef<HTMLDivElement>(null);
  const next = () => focusNext(table.current);
  useNextKey(next);
  const columns = columnsOf(shown);
  const visible = columns.slice(0, COLUMNS_MAX);
  const hidden = columns.length - visible.length;
  const hasProblems = shown.kinds.length > 0;
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a table in a scroller, not a group of fields */}
      <div
        ref={table}
        role="group"
        aria-label="First rows"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it
        tabIndex={0}
        className="overflow-auto max-lg:max-h-80 lg:min-h-0 lg:flex-1"
      >
        <table className="w-full border-separate border-spacing-0 text-sm">
          <thead>
            <tr className="*:sticky *:top-0 *:z-10 *:border-r *:border-b *:border-line *:bg-surface *:px-2.5 *:py-1">
              <th scope="col" className="text-right text-xs font-medium text-ink-3">
                line
              </th>
              {visible.map((column) => (
                <Heading key={column.field} column={column} shown={shown} change={change} />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.preview.map((row, index) => (
              <Fragment key={row.at}>
                {row.at > (shown.preview[index - 1]?.at ?? -1) + 1 && <Gap columns={visible.length + 1} />}
                <Row {...{ row, choices }} columns={visible} />
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
      <p className="flex min-h-8 shrink-0 items-center justify-between gap-2 border-t border-line px-4 text-xs text-ink-3 tabular-nums">
        <span>
          {shown.preview.length < shown.rows
            ? `Showing ${shown.preview.length.toLocaleString('en')} of `
            : ''}
          {count(shown.rows, 'row', 'rows')}.
          {hidden > 0 && ` ${count(hidden, 'more column', 'more columns')}.`}
        </span>
        {hasProblems && (
          <Button tone="quiet" size="sm" aria-keyshortcuts="N" onClick={next}>
            Next problem <Keys strokes={[['N']]} />
          </Button>
        )}
      </p>
    </>
  );
}

/** Moves the focus to the next cell with a problem, and from the last one to the first. */
function focusNext(table: HTMLElement | null): void {
  const cells = [...(table?.querySelectorAll<HTMLElement>('[data-problem]') ?? [])];
  const at = cells.indexOf(document.activeElement as HTMLElement);
  const cell = cells[(at + 1) % Math.max(1, cells.length)];
  cell?.focus();
  cell?.scrollIntoView({ block: 'center', inline: 'nearest' });
}

function useNextKey(next: () => void): void {
  const latest = useRef(next);
  latest.current = next;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (key.toLowerCase() !== 'n' || ctrlKey || metaKey || altKey || !areSingleKeysOn()) return;
      if (
        target instanceof Element &&
        target.closest('input:not([type="radio"]):not([type="checkbox"]), textarea, select')
      )
        return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

interface Column {
  /** The field of the documents. */
  readonly field: string;
  /** The name in the file. */
  readonly label: string;
  readonly type: string;
  /** The type that people can change; only CSV columns have one. */
  readonly columnType?: ColumnType;
}

function columnsOf({ facts, fields, idField }: CheckedFile): Column[] {
  if (facts.kind === 'csv')
    return facts.fields
      .map((label, at): Column => {
        const columnType = facts.types[at] ?? 'text';
        const isId = label === idField;
        return {
          field: isId ? '_id' : label,
          label,
          type: isId ? 'text' : COLUMN_TYPES[columnType],
          ...(!isId && { columnType }),
        };
      })
      .filter(({ field, label }) => field !== '_id' || label === idField);
  const columns = fields.map(({ field, types }): Column => {
    const label = field === '_id' ? (idField ?? field) : field;
    return { field, label, type: [...types].join(' or ') };
  });
  return [
    ...columns.filter(({ field }) => field === '_id'),
    ...columns.filter(({ field }) => field !== '_id'),
  ];
}

const ICONS: Readonly<Record<string, typeof Type>> = {
  number: Hash,
  boolean: ToggleLeft,
  date: Calendar,
  json: Braces,
  object: Braces,
  list: Braces,
};

function Heading({
  column,
  shown,
  change,
}: {
  column: Column;
  shown: CheckedFile;
  change: PreviewTableProps['change'];
}) {
  const { field, label, type, columnType } = column;
  const Icon = field === '_id' ? KeyRound : (ICONS[columnType ?? type] ?? Type);
  return (
    <th scope="col" className="text-left font-medium">
      <span className="flex items-center gap-1.5 whitespace-nowrap">
        <Icon size={12} aria-hidden className="shrink-0 text-ink-3" />
        <span className="max-w-48 truncate" title={label}>
          {label}
        </span>
      </span>
      {columnType === undefined ? (
        <span className="block text-xs font-normal whitespace-nowrap text-accent-ink">
          {field === '_id' ? 'document id' : type}
        </span>
      ) : (
        <select
          aria-label={`Type of ${label}`}
          value={columnType}
          className="-ml-1 block h-6 pointer-coarse:min-h-8 cursor-pointer rounded bg-transparent text-xs font-normal text-accent-ink hover:bg-hover max-sm:h-10"
          onChange={({ target }) =>
            change({ types: new Map(shown.chosen.types).set(label, target.value as ColumnType) })
          }
        >
          {Object.entries(COLUMN_TYPES).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </th>
  );
}

const Gap = ({ columns }: { columns: number }) => (
  <tr aria-hidden>
    <td
      colSpan={columns}
      className="h-4 border-b border-line bg-sunken text-center text-xs leading-none text-ink-3"
    >
      ···
    </td>
  </tr>
);

const FATE_NOTES: Readonly<Record<Fate, string>> = {
  added: '',
  replaced: 'replaces',
  kept: 'kept',
  skipped: 'skipped',
};

function Row({ row, choices, columns }: { row: PreviewRow; choices: Choices; columns: readonly Column[] }) {
  const fate = fateOfRow(row, choices);
  const isOut = fate === 'skipped' || fate === 'kept';
  const fixed = isOut ? row.doc : (fixedDocument(row, choices) ?? row.doc);
  const whole = row.problems.filter(({ path }) => path === undefined || path.length === 0);
  const line = (
    <td
      {...(whole.length > 0 && withProblems(whole))}
      className={`${CELL} text-right text-xs text-ink-3 ${whole.length > 0 ? BAD : ''}`}
    >
      {FATE_NOTES[fate] !== '' && `${FATE_NOTES[fate]} `}
      {row.line.toLocaleString('en')}
    </td>
  );
  if (row.doc === undefined)
    return (
      <tr>
        {line}
        <td colSpan={columns.length} className={`${CELL} ${BAD}`}>
          <code className="font-mono text-xs">{whole[0]?.text}</code> {whole[0]?.why}
        </td>
      </tr>
    );
  const doc = row.doc;
  return (
    <tr className={isOut ? 'text-ink-3' : ''}>
      {line}
      {columns.map(({ field, label }) => {
        const problems = row.problems.filter(({ path }) => path?.[0] === label || path?.[0] === field);
        return (
          <Cell
            key={field}
            before={Object.hasOwn(doc, field) ? doc[field] : undefined}
            after={fixed !== undefined && Object.hasOwn(fixed, field) ? fixed[field] : undefined}
            {...{ problems, isOut }}
            isId={field === '_id'}
          />
        );
      })}
    </tr>
  );
}

/** Says which problems a cell has, also to screen readers. */
const withProblems = (problems: readonly Problem[]) => ({
  'data-problem': true,
  tabIndex: -1,
  title: problems
    .filter(({ kind }) => kind !== 'exists')
    .map(({ kind }) => TEXTS[kind].title)
    .join(', '),
});

const CELL = 'h-8 max-w-72 tabular-nums border-r border-b border-line px-2.5 align-middle whitespace-nowrap';
const BAD = 'bg-conflict-soft shadow-[inset_0_0_0_1px_var(--conflict-line)]';

interface CellProps {
  readonly before: unknown;
  readonly after: unknown;
  readonly problems: readonly Problem[];
  readonly isOut: boolean;
  readonly isId: boolean;
}

function Cell({ before, after, problems, isOut, isId }: CellProps) {
  const isNumber = typeof before === 'number';
  const isBad = problems.some(({ kind }) => kind !== 'exists');
  const problem = problems.find(({ text }) => text !== undefined);
  // The text of the file, which has digits that the value has lost.
  const old = isBad && problem?.path?.length === 1 ? (problem.text ?? '') : cellText(before);
  const now = after === undefined && isId ? 'new id' : cellText(after);
  const isChanged = isBad && !isOut && old !== now;
  return (
    <td
      {...(isBad && withProblems(problems))}
      className={`${CELL} ${isNumber ? 'text-right' : ''} ${isId ? 'font-mono text-xs' : ''} ${isBad ? BAD : ''}`}
    >
      {isChanged ? (
        <span className="flex items-center gap-1">
          <s className="max-w-40 truncate text-ink-3">{old}</s>
          <ArrowRight size={12} role="img" aria-label="becomes" className="shrink-0 text-ink-3" />
          <span className="truncate font-medium text-accent-ink">{now}</span>
        </span>
      ) : (
        <span className={`block truncate ${isOut ? 'line-through' : ''}`}>{old}</span>
      )}
    </td>
  );
}
