/** Parts that the lists of operator pages share. */
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { EmptyState, ErrorPanel, Skeleton } from '../../ui/pages/feedback.tsx';
import { failureText } from '../../ui/text/failure-text.ts';

/** How long to wait for more typing before the server searches. */
const TYPING_MS = 300;

/** Returns the typed text, and the text to search for once the typing has paused. */
export function useSearch() {
  const [typed, setTyped] = useState('');
  const [search, setSearch] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return { typed, setTyped, search };
}

export interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

export function SearchField({ label, value, onChange }: SearchFieldProps) {
  return (
    <label className="relative block w-64 max-sm:w-full">
      <Search
        size={14}
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-ink-3"
      />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        autoComplete="off"
        className="h-(--control) w-full rounded-md border border-control-line bg-surface pr-2 pl-8 text-sm -outline-offset-1 placeholder:text-ink-3 hover:border-ink max-sm:text-[1rem]"
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  );
}

export interface PagedListProps<P> {
  readonly query: UseInfiniteQueryResult<{ readonly pages: readonly P[] }>;
  /** Shown when the list has no items. */
  readonly empty: string;
  readonly isEmpty: (pages: readonly P[]) => boolean;
  readonly children: (pages: readonly P[]) => ReactNode;
}

/** Shows the loaded pages of a list, and a button that loads the next one. */
export function PagedList<P>({ query, empty, isEmpty, children }: PagedListProps<P>) {
  const { data, error, hasNextPage, isFetchingNextPage, isFetchNextPageError } = query;
  const again = () => void (isFetchNextPageError ? query.fetchNextPage() : query.refetch());
  return (
    <>
      {data === undefined && error === null && <Skeleton shape="rows" />}
      {data !== undefined && (isEmpty(data.pages) ? <EmptyState text={empty} /> : children(data.pages))}
      {error !== null && (
        <ErrorPanel message={failureText(error)}>
          <Button onClick={again}>Try again</Button>
        </ErrorPanel>
      )}
      {hasNextPage && error === null && (
        <Button
          className="mt-3 self-start"
          disabled={isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </>
  );
}

/** Renders a table that scrolls sideways if it is wider than the page. */
export function Table({ label, head, children }: { label: string; head: ReactNode; children: ReactNode }) {
  return (
    <div className="-mx-4 min-w-0 overflow-x-auto border-y border-line">
      <table aria-label={label} className="w-full border-collapse text-sm">
        <thead className="text-xs text-ink-3">
          <tr className="h-8 border-b border-line text-left whitespace-nowrap *:px-2.5 *:font-medium *:first:pl-4 *:last:pr-4">
            {head}
          </tr>
        </thead>
        <tbody className="divide-y divide-line [&_td]:px-2.5 [&_td]:py-1.5 [&_td:first-child]:pl-4 [&_td:last-child]:pr-4">
          {children}
        </tbody>
      </table>
    </div>
  );
}

/** Renders a name with a detail below it. */
export function TwoLines({ name, detail }: { name: ReactNode; detail: ReactNode }) {
  return (
    <>
      <span className="block max-w-72 truncate font-medium">{name}</span>
      <span className="block max-w-72 truncate text-xs text-ink-3">{detail}</span>
    </>
  );
}
