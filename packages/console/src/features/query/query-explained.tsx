import type { QueryCost } from '../../local/ask.ts';
import { Fact, Facts } from '../../ui/facts.tsx';

export interface QueryExplainedProps {
  readonly cost: QueryCost;
  readonly tookMs: number;
  readonly rows: number;
  /** Whether the query ran on a past version, which has no index. */
  readonly isOfThen: boolean;
}

/** Explains how a query found its rows, and its cost. */
export function QueryExplained({ cost, tookMs, rows, isOfThen }: QueryExplainedProps) {
  const { documents, mapMs } = cost;
  return (
    <div className="relative flex min-h-7.5 shrink-0 items-center gap-3 border-t border-line pr-2 pl-4 text-xs text-ink-3">
      <p className="min-w-0 grow">{costText(documents, isOfThen)}</p>
      <details className="shrink-0">
        <summary className="cursor-pointer list-none rounded px-2 py-1 font-medium text-ink-2 hover:bg-hover hover:text-ink max-sm:py-3 [&::-webkit-details-marker]:hidden">
          Explain
        </summary>
        <div className="absolute right-2 bottom-full z-20 mb-1 w-80 max-w-[calc(100vw-2rem)] rounded-lg border border-line bg-surface px-4 py-3 text-sm text-ink shadow-3">
          <Facts>
            <Fact name="Documents read">{documents.toLocaleString('en')}</Fact>
            <Fact name="Index">{indexText(documents, isOfThen)}</Fact>
            <Fact name="Time in the map function">{msText(mapMs)}</Fact>
            <Fact name="Total time">{msText(tookMs)}</Fact>
            <Fact name="Rows">{rows.toLocaleString('en')}</Fact>
          </Facts>
        </div>
      </details>
    </div>
  );
}

function costText(documents: number, isOfThen: boolean): string {
  const count = `${documents.toLocaleString('en')} ${documents === 1 ? 'document' : 'documents'} read`;
  if (isOfThen) return `${count}. Past versions have no index.`;
  return documents === 0 ? 'The index answered, without reading documents.' : `${count} to update the index.`;
}

const msText = (ms: number): string => `${Math.round(ms).toLocaleString('en')} ms`;

function indexText(documents: number, isOfThen: boolean): string {
  if (isOfThen) return 'built for this query only';
  return documents === 0 ? 'up to date' : 'built or updated by this query';
}
