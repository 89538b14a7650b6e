import type { BridgedDatabase } from 'fixpoint/bridge';
import { X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { createIndexes, type FieldSummary } from '../../local/ask.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { useTask } from '../../ui/overlays/use-task.ts';
import { cellText } from '../../values/cell-text.ts';
import { typedText } from '../../values/typed-value.ts';
import { type Filter, pathLabel, TYPE_LABELS } from '../filter/filter.ts';
import { searchOfFilter } from '../filter/filter-address.ts';
import { condition, outliersOf } from './outliers.ts';

export interface FieldPanelProps {
  readonly database: BridgedDatabase;
  readonly field: FieldSummary;
  readonly documents: number;
  readonly onClose: () => void;
}

/** Shows one field: its types, values, numbers and outliers, with links to the documents. */
export function FieldPanel({ database, field, documents, onClose }: FieldPanelProps) {
  const { path, types, values, numbers } = field;
  const outliers = outliersOf(field);
  const label = pathLabel(path);
  return (
    <aside
      aria-label={`Field ${label}`}
      className="w-72 shrink-0 overflow-y-auto border-l border-line text-sm max-lg:max-h-1/2 max-lg:w-full max-lg:border-t max-lg:border-l-0"
    >
      <Part>
        <div className="flex items-start gap-2">
          <h2 className="min-w-0 grow text-base font-semibold wrap-anywhere">{label}</h2>
          <IconButton label="Close" onClick={onClose}>
            <X size={14} aria-hidden />
          </IconButton>
        </div>
        <p className="mb-2 text-ink-2">
          In {field.documents.toLocaleString('en')} of {documents.toLocaleString('en')} documents
        </p>
        {types.map(({ type, documents: count }, at) => (
          <Count
            key={type}
            name={TYPE_LABELS[type]}
            colour={`var(--c${Math.min(6, at + 1)})`}
            count={count}
            filters={[condition(path, 'type', type)]}
          />
        ))}
      </Part>
      {outliers.length > 0 && (
        <Part title="Outliers">
          <ul className="flex flex-col gap-1.5">
            {outliers.map(({ kind, text, filters }) => (
              <li key={`${kind} ${text}`}>
                <Link to={{ search: searchOfFilter(filters) }} className="text-conflict hover:underline">
                  {text}
                </Link>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {numbers !== undefined && <Spread numbers={numbers} />}
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
      {path !== '_id' && <IndexPart database={database} path={path} label={label} />}
    </aside>
  );
}

const Part = ({ title, children }: { title?: string; children: ReactNode }) => (
  <div className="border-b border-line px-4 py-3">
    {title !== undefined && <h3 className="mb-1.5 text-xs font-semibold">{title}</h3>}
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
    className="flex min-h-6 items-center gap-2 rounded hover:bg-hover max-sm:min-h-10"
  >
    {colour !== undefined && (
      <span
        aria-hidden
        className="size-2.5 shrink-0 rounded-sm forced-color-adjust-none"
        style={{ background: colour }}
      />
    )}
    <span className="min-w-0 truncate">{name}</span>
    <span className="ml-auto text-ink-3 tabular-nums">{count.toLocaleString('en')}</span>
  </Link>
);

function Spread({ numbers }: { numbers: NonNullable<FieldSummary['numbers']> }) {
  const { min, max, average, ranges, isSample } = numbers;
  const most = ranges.reduce((highest, { count }) => Math.max(highest, count), 1);
  return (
    <Part title={isSample ? 'Spread of a sample' : 'Spread'}>
      <div aria-hidden className="flex h-16 items-end gap-px">
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
      <dl className="mt-1.5 flex justify-between text-xs text-ink-3 tabular-nums">
        {[['least', min] as const, ['average', average] as const, ['greatest', max] as const].map(
          ([name, value]) => (
            <div key={name} className="flex flex-col">
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

/** Says whether an index answers filters on the field, and creates one. */
function IndexPart(props: { database: BridgedDatabase; path: string; label: string }) {
  const { database, path, label } = props;
  const [hasIndex, setIndex] = useState<boolean | undefined>();
  const { isBusy, run } = useTask();
  const isOver = useRef(false);
  const toast = useToast();
  useEffect(() => {
    isOver.current = false;
    const look = async () => {
      const { indexes } = await database.explain({ where: { [path]: { gte: '' } } });
      if (!isOver.current) setIndex(indexes.length > 0);
    };
    // Without an answer, the part isn't shown.
    look().catch(() => undefined);
    return () => {
      isOver.current = true;
    };
  }, [database, path]);
  const create = () =>
    run('Couldn’t create the index', async () => {
      await createIndexes(database, [[path]]);
      toast(`Created an index on ${label}.`);
      if (!isOver.current) setIndex(true);
    });
  if (hasIndex === undefined) return null;
  return (
    <Part title="Index">
      <p className="text-ink-2">
        {hasIndex
          ? 'An index answers filters on this field.'
          : 'No index on this field. Filters read all documents.'}
      </p>
      {!hasIndex && (
        <Button className="mt-2" disabled={isBusy} onClick={() => void create()}>
          {isBusy ? 'Creating the index...' : 'Create index'}
        </Button>
      )}
    </Part>
  );
}
