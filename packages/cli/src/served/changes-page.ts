import type { ChangeFeed } from 'fixpoint/feed';
import { jsonOf } from './document-json.ts';

/** Changes as JSON, up to a position. */
export interface ChangesPage {
  /** The JSON of each change. */
  readonly changes: readonly string[];
  readonly position: string;
  /** Whether the page includes all changes so far. */
  readonly isLast: boolean;
}

export interface PageLimits {
  /** Maximum number of changes. */
  readonly limit: number;
  /** Number of bytes after which the page ends. */
  readonly bytes: number;
}

/** Number of documents that are read at once: a page of large documents ends early. */
const STEP = 16;

/**
 * Returns changes after a position, oldest first.
 * @throws FixpointError as `ChangeFeed.page`
 */
export async function changesPage(
  feed: ChangeFeed,
  after: string | undefined,
  { limit, bytes }: PageLimits,
): Promise<ChangesPage> {
  const changes: string[] = [];
  let size = 0;
  for (let position = after; ; ) {
    const page = await feed.page(position, { limit: Math.min(STEP, limit - changes.length) });
    for (const { key, value, clock } of page.rows) {
      const isDeleted = '_deleted' in value && value['_deleted'] === true;
      const json = jsonOf({ id: key, event: clock, ...(isDeleted ? { deleted: true } : { doc: value }) });
      changes.push(json);
      size += json.length;
    }
    position = page.position;
    if (page.isLast || changes.length >= limit || size >= bytes)
      return { changes, position, isLast: page.isLast };
  }
}

/** Returns the JSON of a page. */
export const changesJson = ({ changes, position, isLast }: ChangesPage): string =>
  `{"changes":[${changes.join(',')}],"position":${JSON.stringify(position)},"isLast":${isLast}}`;
