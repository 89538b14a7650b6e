import type { Where } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { useEffect, useState } from 'react';
import { createIndexes } from '../../../local/ask.ts';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { useTask } from '../../../ui/overlays/use-task.ts';
import { pathLabel } from '../../filter/filter.ts';
import { helpfulIndexes } from '../../filter/helpful-indexes.ts';
import type { RowsState } from '../table/live-rows.ts';
import { rowsQueryOf, type TableSearch } from '../table/table-search.ts';

/** Searches that take at least this long are worth an index. */
const SLOW_MS = 50;

type Index = readonly string[];

interface Explained {
  /** The indexes that answered the search. */
  readonly used: readonly Index[];
  readonly readsAll: boolean;
}

interface SearchCostProps {
  readonly database: BridgedDatabase;
  readonly state: RowsState;
  readonly search: TableSearch;
}

/** Says how a filter found its documents, and offers an index for a slow one. */
export function SearchCost({ database, state, search }: SearchCostProps) {
  const { searching, tookMs, looked } = state;
  const { where } = rowsQueryOf(search);
  const asked = where === undefined || searching !== undefined ? undefined : JSON.stringify(where);
  const [explained, ask] = useExplained(database, asked);
  const { isBusy, run } = useTask();
  const toast = useToast();
  if (tookMs === undefined || asked === undefined || explained === undefined || search.text !== '')
    return null;
  if (explained.used.length > 0)
    return <p className="min-w-0 truncate">Answered by the index on {indexesText(explained.used)}.</p>;
  if (!explained.readsAll) return null;
  const wanted = helpfulIndexes(search.conditions);
  const create = () =>
    run('Couldn’t create the index', async () => {
      await createIndexes(database, wanted);
      toast(`Created an index on ${indexesText(wanted)}. Filters on it are answered at once.`);
      ask();
    });
  return (
    <p className="flex min-w-0 items-center gap-1.5">
      <span className="truncate max-sm:sr-only">
        Searched {looked.toLocaleString('en')} documents in {Math.round(tookMs).toLocaleString('en')} ms.
      </span>
      {wanted.length > 0 && tookMs >= SLOW_MS && (
        <button
          type="button"
          disabled={isBusy}
          className="min-w-0 cursor-pointer truncate font-medium text-accent-ink hover:underline disabled:cursor-default disabled:opacity-60"
          onClick={() => void create()}
        >
          {isBusy ? 'Creating the index...' : `Create an index on ${indexesText(wanted)}`}
        </button>
      )}
    </p>
  );
}

const indexesText = (indexes: readonly Index[]): string =>
  indexes.map((paths) => paths.map(pathLabel).join(' and ')).join(', and one on ');

/** Explains the search with these conditions. The second value is a function that asks again. */
function useExplained(
  database: BridgedDatabase,
  where: string | undefined,
): readonly [Explained | undefined, () => void] {
  const [explained, setExplained] = useState<(Explained & { readonly where: string }) | undefined>();
  const [asked, setAsked] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` counts the requests to ask again
  useEffect(() => {
    if (where === undefined) return undefined;
    let isOver = false;
    database.explain({ where: JSON.parse(where) as Where }).then(
      ({ indexes, reads }) => !isOver && setExplained({ where, used: indexes, readsAll: reads === 'all' }),
      // The note is optional; the search itself reports its errors.
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [database, where, asked]);
  const current = explained?.where === where ? explained : undefined;
  return [current, () => setAsked((count) => count + 1)];
}
