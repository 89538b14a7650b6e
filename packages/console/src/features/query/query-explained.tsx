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
    <details className="max-w-lg rounded-lg border border-line bg-surface text-sm">
      <summary className="cursor-pointer px-4 py-2 font-medium">Explain</summary>
      <div className="border-t border-line px-4 py-3">
        <Facts>
          <Fact name="Documents read">{documents.toLocaleString('en')}</Fact>
          <Fact name="Index">{indexText(documents, isOfThen)}</Fact>
          <Fact name="Time in the map function">{msText(mapMs)}</Fact>
          <Fact name="Total time">{msText(tookMs)}</Fact>
          <Fact name="Rows">{rows.toLocaleString('en')}</Fact>
        </Facts>
      </div>
    </details>
  );
}

const msText = (ms: number): string => `${Math.round(ms).toLocaleString('en')} ms`;

function indexText(documents: number, isOfThen: boolean): string {
  if (isOfThen) return 'built for this query only';
  return documents === 0 ? 'up to date' : 'built or updated by this query';
}
