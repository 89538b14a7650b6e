import type { BridgedDatabase } from 'fixpoint/bridge';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { documentPath } from '../../../local/document-path.ts';
import { IconLink } from '../../../ui/button.tsx';
import { usePageAction } from '../../../ui/page-actions.ts';
import { parseSearch, rowsQueryOf } from '../table/table-search.ts';
import { type Neighbours, neighboursOf } from './neighbours.ts';
import { readView } from './table-view.ts';

export interface NeighbourLinksProps {
  readonly database: BridgedDatabase;
  readonly id: string;
  readonly basePath: string;
}

/** Leads to the previous and the next document of the table, also by the keys K and J. */
export function NeighbourLinks({ database, id, basePath }: NeighbourLinksProps) {
  const found = useNeighbours(database, id);
  const navigate = useNavigate();
  const open = (to: string | undefined) => {
    if (to !== undefined) void navigate(documentPath(basePath, to));
    return to !== undefined;
  };
  usePageAction('nextDocument', () => open(found?.next));
  usePageAction('previousDocument', () => open(found?.previous));
  if (found === undefined) return null;
  const { previous, next, at, count } = found;
  return (
    <nav aria-label="Documents of the table" className="flex items-center">
      {previous !== undefined && (
        <IconLink to={documentPath(basePath, previous)} label="Previous document (K)">
          <ChevronUp size={16} aria-hidden />
        </IconLink>
      )}
      {next !== undefined && (
        <IconLink to={documentPath(basePath, next)} label="Next document (J)">
          <ChevronDown size={16} aria-hidden />
        </IconLink>
      )}
      {at !== undefined && count !== undefined && (
        <span className="px-1 text-xs whitespace-nowrap text-ink-3 tabular-nums max-2xl:sr-only">
          {at.toLocaleString('en')} of {count.toLocaleString('en')}
        </span>
      )}
    </nav>
  );
}

/** Returns the neighbours in the order of the table as it was left, and again after changes. */
function useNeighbours(database: BridgedDatabase, id: string): Neighbours | undefined {
  const [found, setFound] = useState<Neighbours & { readonly of: string }>();
  useEffect(() => {
    let ending = new AbortController();
    const search = new URLSearchParams(readView(database.name)?.search ?? '');
    const query = rowsQueryOf(parseSearch(search));
    const look = async () => {
      ending.abort();
      ending = new AbortController();
      const { signal } = ending;
      try {
        const next = await neighboursOf(database.rows, query, id, signal);
        if (!signal.aborted) setFound(next && { ...next, of: id });
      } catch {
        // Without an answer, there are no links.
      }
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = database.subscribe(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void look();
      }, PAUSE_MS);
    });
    void look();
    return () => {
      ending.abort();
      clearTimeout(timer);
      stop();
    };
  }, [database, id]);
  return found?.of === id ? found : undefined;
}

const PAUSE_MS = 500;
