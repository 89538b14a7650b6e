import type { BridgedDatabase } from 'fixpoint/bridge';
import type { RowsState } from '../table/live-rows.ts';
import { isFiltering, type TableSearch } from '../table/table-search.ts';
import { SearchCost } from './search-cost.tsx';

export interface StatusBarProps {
  readonly database: BridgedDatabase;
  /** The state of the current search, even while rows of the previous one are shown. */
  readonly state: RowsState;
  readonly search: TableSearch;
}

/** Shows the number of documents below the table, and how they were found. */
export function StatusBar({ database, state, search }: StatusBarProps) {
  const isRunning = state.searching !== undefined || state.phase === 'loading';
  return (
    <div className="flex h-7.5 shrink-0 items-center gap-3 overflow-hidden border-t border-line px-4 text-xs whitespace-nowrap text-ink-3 tabular-nums">
      {/* Screen readers announce only the final count, not each step. */}
      <p role="status" aria-live={isRunning ? 'off' : 'polite'} className="shrink-0">
        {countText(state, search)}
      </p>
      <SearchCost {...{ database, state, search }} />
    </div>
  );
}

function countText({ count, isCounted, searching, looked, phase }: RowsState, search: TableSearch): string {
  if (phase === 'failed') return '';
  const number = count.toLocaleString('en');
  const noun = count === 1 ? 'document' : 'documents';
  const searched = `(${looked.toLocaleString('en')} searched)`;
  if (searching === 'first' && isFiltering(search)) return `${number} ${noun} found so far ${searched}`;
  if (searching === 'first') return `Sorting... ${searched}`;
  if (phase === 'loading') return 'Loading...';
  if (isFiltering(search))
    return `${number} ${noun} found${searching === 'again' ? ', checking changes...' : ''}`;
  return isCounted ? `${number} ${noun}` : `${number}+ ${noun}, counting...`;
}
