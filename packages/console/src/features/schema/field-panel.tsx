import type { BridgedDatabase } from 'fixpoint/bridge';
import { Plus, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { createIndexes, type FieldSummary } from '../../local/ask.ts';
import { documentPath } from '../../local/document-path.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { useTask } from '../../ui/overlays/use-task.ts';
import { cellText } from '../../values/cell-text.ts';
import { shownId } from '../../values/shown-id.ts';
import { typedText } from '../../values/typed-value.ts';
import { type Filter, pathLabel } from '../filter/filter.ts';
import { searchOfFilter } from '../filter/filter-address.ts';
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
  readonly onClose: () => void;
}

/** Shows one field: its types, values, numbers and outliers, with links to the documents. */
export function FieldPanel({ database, basePath, field, documents, indexes, onClose }: FieldPanelProps) {
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
          In {field.documents.toLocaleString('en')} of {documents.toLocaleString('en')} documents
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
              <OutlierItem key={`${outlier.kind} ${outlier.text}`} {...{ outlier, basePath }} />
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
    className="-mx-1.5 flex min-h-6 items-center gap-2 rounded px-1.5 hover:bg-hover max-sm:min-h-10"
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

const LINK =
  'mt-1.5 inline-flex h-6.5 items-center rounded-md border border-conflict-line bg-conflict-soft px-2.5 font-medium text-conflict hover:brightness-97 max-sm:h-10';

/** Shows what is unusual, the first such documents, and a link to all of them. */
function OutlierItem({ outlier, basePath }: { outlier: Outlier; basePath: string }) {
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
      <Link to={{ search: searchOfFilter(filters) }} aria-label={`Show in table: ${text}`} className={LINK}>
        Show in table
      </Link>
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
          : `No index on this field. Filters read all ${documents.toLocaleString('en')} documents.`}
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
