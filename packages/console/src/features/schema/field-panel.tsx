import type { BridgedDatabase } from 'fixpoint/bridge';
import { Plus, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { untilStored } from '../../leaving/ask-before-leaving.ts';
import { createIndexes, type FieldSummary } from '../../local/ask.ts';
import { useCanWrite } from '../../local/can-write.ts';
import { documentPath } from '../../local/document-path.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { useTask } from '../../ui/overlays/use-task.ts';
import { conflictsText } from '../../undo/open-conflicts.ts';
import { documentsText } from '../../undo/undo-stack.ts';
import { cellText } from '../../values/cell-text.ts';
import { shownId } from '../../values/shown-id.ts';
import { typedText, typedValue } from '../../values/typed-value.ts';
import { type Filter, pathLabel } from '../filter/filter.ts';
import { searchOfFilter } from '../filter/filter-address.ts';
import { CONVERTED_MAX, convertToNumbers, numberIn } from './convert-texts.ts';
import { TypeIcon, typeLabel } from './field-types.tsx';
import { condition, type Outlier, outliersOf } from './outliers.ts';
import type { FieldIndexes } from './use-field-indexes.ts';

export interface FieldPanelProps {
  readonly database: BridgedDatabase;
  /** The link to a document is this path plus the encoded id. */
  readonly basePath: string;
  readonly field: FieldSummary;
  readonly documents: number;
  readonly indexes: FieldIndexes;
  /** Called after documents were converted. */
  readonly onConverted: () => void;
  readonly onClose: () => void;
}

/** Shows one field: its types, values, numbers and outliers, with links to the documents. */
export function FieldPanel(props: FieldPanelProps) {
  const { database, basePath, field, documents, indexes, onConverted, onClose } = props;
  const { path, types, values, numbers } = field;
  const outliers = outliersOf(field);
  const label = pathLabel(path);
  return (
    <aside
      aria-label={`Field ${label}`}
      className="w-71.5 shrink-0 divide-y divide-line overflow-y-auto border-l border-line bg-sunken text-sm max-lg:max-h-1/2 max-lg:w-full max-lg:border-t max-lg:border-l-0"
    >
      <Part>
        <div className="flex items-start gap-2">
          <h2 className="flex min-w-0 grow items-center gap-1.75 text-base font-semibold">
            <TypeIcon field={field} />
            <span className="min-w-0 wrap-anywhere">{label}</span>
          </h2>
          <IconButton label="Close" className="-my-1 -mr-2" onClick={onClose}>
            <X size={14} aria-hidden />
          </IconButton>
        </div>
        <p className="mb-1.5 text-ink-2">
          In {field.documents.toLocaleString('en')} of {documentsText(documents)}
        </p>
        {types.map(({ type, documents: count }, at) => (
          <Count
            key={type}
            name={typeLabel(type, field)}
            colour={`var(--c${Math.min(6, at + 1)})`}
            count={count}
            filters={[condition(path, 'type', type)]}
          />
        ))}
      </Part>
      {numbers !== undefined && <Spread numbers={numbers} />}
      {outliers.length > 0 && (
        <Part title="Outliers">
          <ul className="flex flex-col gap-3">
            {outliers.map((outlier) => (
              <OutlierItem key={`${outlier.kind} ${outlier.text}`} {...{ outlier, basePath }}>
                {isConvertible(field, outlier) && <ConvertButton {...{ database, field, onConverted }} />}
              </OutlierItem>
            ))}
          </ul>
        </Part>
      )}
      {path !== '_id' && <IndexPart {...{ database, path, label, documents, indexes }} />}
      {indexes.searched.size > 0 && (
        <Part title="Search index">
          <ul className="flex flex-wrap gap-1">
            {[...indexes.searched].map((searched) => (
              <li key={searched} className="rounded-full bg-pressed px-2 py-0.5 text-xs wrap-anywhere">
                {pathLabel(searched)}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {values !== undefined && values.length > 0 && (
        <Part title="Values">
          {values.map(({ value, documents: count }) => (
            <Count
              key={typedText(value)}
              name={cellText(value) === '' ? '(empty text)' : cellText(value)}
              count={count}
              filters={[condition(path, 'equals', value)]}
            />
          ))}
        </Part>
      )}
    </aside>
  );
}

const Part = ({ title, note, children }: { title?: string; note?: string; children: ReactNode }) => (
  <div className="px-4 py-3">
    {title !== undefined && (
      <div className="mb-1 flex gap-1.5 text-xs leading-5">
        <h3 className="font-semibold">{title}</h3>
        {note !== undefined && <span className="text-ink-3">{note}</span>}
      </div>
    )}
    {children}
  </div>
);

interface CountProps {
  readonly name: string;
  readonly count: number;
  readonly filters: readonly Filter[];
  readonly colour?: string;
}

/** Shows a count, as a link to the documents behind it. */
const Count = ({ name, count, filters, colour }: CountProps) => (
  <Link
    to={{ search: searchOfFilter(filters) }}
    className="-mx-1.5 flex min-h-6 sm:pointer-coarse:min-h-8 items-center gap-2 rounded px-1.5 hover:bg-hover max-sm:min-h-10"
  >
    {colour !== undefined && (
      <span
        aria-hidden
        className="size-2.25 shrink-0 rounded-xs forced-color-adjust-none"
        style={{ background: colour }}
      />
    )}
    <span className="min-w-0 truncate">{name}</span>
    <span className="ml-auto text-ink-3 tabular-nums">{count.toLocaleString('en')}</span>
  </Link>
);

/** Returns whether a button can convert these texts to numbers. */
function isConvertible({ steps, types }: FieldSummary, { kind, documents, named }: Outlier): boolean {
  const isOwn = steps.length === 1 && steps[0]?.isEach === false;
  const isOfNumbers = kind === 'type' && types[0]?.type === 'number' && documents <= CONVERTED_MAX;
  return (
    isOwn &&
    isOfNumbers &&
    named.some(({ type, text }) => type === 'string' && numberIn(String(typedValue(text))) !== undefined)
  );
}

/** Converts all texts of the field that are numbers. */
function ConvertButton({
  database,
  field,
  onConverted,
}: Pick<FieldPanelProps, 'database' | 'field' | 'onConverted'>) {
  const canWrite = useCanWrite();
  const { isBusy, run } = useTask();
  const toast = useToast();
  const name = field.steps[0]?.name ?? '';
  const convert = () =>
    run('Couldn’t convert the documents', async () => {
      const converting = convertToNumbers(database, { path: field.path, name });
      const { kept, conflicts } = await untilStored(converting);
      if (conflicts > 0) toast(conflictsText(conflicts));
      if (kept > 0)
        toast(
          `${kept.toLocaleString('en')} ${kept === 1 ? 'text isn’t a number and stays' : 'texts aren’t numbers and stay'}.`,
        );
      onConverted();
    });
  if (!canWrite) return null;
  return (
    <button
      type="button"
      disabled={isBusy}
      className={`${ACTION} cursor-pointer ${AMBER}`}
      onClick={() => void convert()}
    >
      {isBusy ? 'Converting...' : 'Convert to numbers'}
    </button>
  );
}

const ACTION =
  'inline-flex h-6.5 sm:pointer-coarse:min-h-8 items-center rounded-md border px-2.5 font-medium max-sm:h-10';
const AMBER = 'border-conflict-line bg-conflict-soft text-conflict hover:brightness-97 disabled:opacity-50';
const QUIET = 'border-transparent text-ink-2 hover:bg-hover hover:text-ink';

interface OutlierItemProps {
  readonly outlier: Outlier;
  readonly basePath: string;
  /** The action that resolves the difference, if there is one. */
  readonly children: ReactNode;
}

/** Shows what is unusual, the first such documents, and a link to all of them. */
function OutlierItem({ outlier, basePath, children }: OutlierItemProps) {
  const { text, named, filters } = outlier;
  return (
    <li>
      <p className="text-ink-2">{text}</p>
      {named.length > 0 && (
        <ul className="divide-y divide-line">
          {named.map(({ id, title, text: value }) => (
            <li key={id} className="flex min-h-7.5 items-center gap-2 max-sm:min-h-10">
              <Link
                to={documentPath(basePath, id)}
                title={shownId(id)}
                className="min-w-0 truncate font-medium hover:underline"
              >
                {title}
              </Link>
              <span className="ml-auto max-w-32 truncate font-mono text-xs text-conflict" title={value}>
                {value}
              </span>
            </li>
          ))}
        </ul>
      )}
      <div className="mt-1.5 flex flex-wrap gap-1.5">
        {children}
        <Link
          to={{ search: searchOfFilter(filters) }}
          aria-label={`Show in table: ${text}`}
          className={`${ACTION} ${children === false ? AMBER : QUIET}`}
        >
          Show in table
        </Link>
      </div>
    </li>
  );
}

function Spread({ numbers }: { numbers: NonNullable<FieldSummary['numbers']> }) {
  const { min, max, average, ranges, isSample, isLog } = numbers;
  const most = ranges.reduce((highest, { count }) => Math.max(highest, count), 1);
  return (
    <Part title="Spread" note={[isSample && 'of a sample', isLog && 'log scale'].filter(Boolean).join(', ')}>
      <div aria-hidden className="flex h-15.5 items-end gap-0.75 border-b border-line-strong">
        {ranges.map(({ from, to, count }) => (
          <span
            key={from}
            title={`${numberText(from)} to ${numberText(to)}: ${count.toLocaleString('en')}`}
            className="min-w-0 flex-1 rounded-t-xs forced-color-adjust-none"
            style={{
              height: `${count === 0 ? 0 : Math.max(3, (100 * count) / most)}%`,
              background: 'var(--c1)',
            }}
          />
        ))}
      </div>
      <dl className="mt-1 flex justify-between text-xs text-ink-3 tabular-nums">
        {[['least', min] as const, ['average', average] as const, ['greatest', max] as const].map(
          ([name, value]) => (
            <div key={name} className="flex flex-col last:text-right">
              <dt>{name}</dt>
              <dd className="text-ink">{numberText(value)}</dd>
            </div>
          ),
        )}
      </dl>
    </Part>
  );
}

const NUMBER = new Intl.NumberFormat('en', { maximumSignificantDigits: 6 });
const numberText = (value: number): string =>
  Number.isInteger(value) ? value.toLocaleString('en') : NUMBER.format(value);

interface IndexPartProps extends Pick<FieldPanelProps, 'database' | 'documents' | 'indexes'> {
  readonly path: string;
  readonly label: string;
}

/** Says whether an index answers filters on the field, and creates one. */
function IndexPart({ database, path, label, documents, indexes }: IndexPartProps) {
  const { isBusy, run } = useTask();
  const isOver = useRef(false);
  const toast = useToast();
  useEffect(() => {
    isOver.current = false;
    return () => {
      isOver.current = true;
    };
  }, []);
  const create = () =>
    run('Couldn’t create the index', async () => {
      await createIndexes(database, [[path]]);
      toast(`Created an index on ${label}.`);
      if (!isOver.current) indexes.again();
    });
  if (!indexes.isKnown) return null;
  const hasIndex = indexes.indexed.has(path);
  return (
    <Part title="Index">
      <p className="text-ink-2">
        {hasIndex
          ? 'An index answers filters on this field.'
          : `No index on this field. Filters read ${documents === 1 ? '' : 'all '}${documentsText(documents)}.`}
      </p>
      {!hasIndex && (
        <Button className="mt-2" disabled={isBusy} onClick={() => void create()}>
          {isBusy ? (
            'Creating the index...'
          ) : (
            <>
              <Plus size={14} aria-hidden /> Create index
            </>
          )}
        </Button>
      )}
    </Part>
  );
}
