/** What a query costs: how much of it an index knew, and what had to be read. */
import type { DatabaseView, QueryResult } from 'fixpoint';
import { onMapWork } from '../engine/open.ts';

export interface QueryCost {
  /** Documents that went through the map function, for the index; none: it was up to date. */
  readonly documents: number;
  /** How long they took there. */
  readonly mapMs: number;
}

/** What previews the rows of a map function: it has another text than the one whose cost is counted. */
export const previewOf = (source: string) => ({ source: `${source}\n` });

/** Asks for the rows of a map function, and counts what that reads. @throws FixpointError MAP_FAILED */
export async function costedQuery(
  database: Pick<DatabaseView, 'query'>,
  source: string,
): Promise<QueryCost & Pick<QueryResult, 'rows'>> {
  let [documents, mapMs] = [0, 0];
  const stop = onMapWork((work) => {
    if (work.source !== source) return;
    documents += work.documents;
    mapMs += work.tookMs;
  });
  try {
    const { rows } = await database.query({ source }, { includeDocs: false });
    return { rows, documents, mapMs };
  } finally {
    stop();
  }
}
