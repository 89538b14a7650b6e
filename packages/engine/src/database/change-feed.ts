import { FixpointError } from '@fixpoint/protocol';
import { checkLimit } from '../base/check-options.ts';
import { OldestChanges, parsePlace, placeText } from '../clock/oldest-changes.ts';
import { GENESIS_KEY } from '../documents/genesis.ts';
import type { Core } from './core.ts';
import type { Database } from './database.ts';
import type { ChangeRow } from './database-results.ts';
import { insideOf } from './inside.ts';
import { currentDocuments } from './read.ts';

/** Changed documents after a position. */
export interface FeedPage {
  /**
   * Changed documents with their current content, oldest change first; deleted ones are
   * `{_id, _deleted: true}`.
   */
  readonly rows: readonly ChangeRow[];
  /** Pass this to the next call. It stays valid when the database is opened again. */
  readonly position: string;
  /** Whether the page includes all changes so far. */
  readonly isLast: boolean;
}

/**
 * Reads all changes of a database, oldest first, in pages. Every change is returned at least once.
 * A document that changed several times may be on several pages.
 */
export interface ChangeFeed {
  /**
   * Returns the changes after a position, or the first ones.
   * @param options.limit maximum number of documents; default 1000
   * @throws FixpointError HEAD_INVALID for a text that isn't a position; QUERY_INVALID;
   * MISSING_BLOCK when this database doesn't have the position, or compaction dropped it;
   * MISSING_CARS, CORRUPT
   */
  page(after?: string, options?: { readonly limit?: number }): Promise<FeedPage>;
  /** Returns the position after all changes so far. */
  position(): Promise<string>;
}

const LIMIT_DEFAULT = 1000;

interface Shared {
  readonly changes: OldestChanges;
  /** The last page, which the next one waits for. */
  last: Promise<unknown>;
}

const feeds = new WeakMap<Core, Shared>();

function sharedOf(core: Core): Shared {
  const shared = feeds.get(core) ?? {
    changes: new OldestChanges(core.commits.readers.event),
    last: Promise.resolve(),
  };
  feeds.set(core, shared);
  return shared;
}

/**
 * Returns the change feed of a handle.
 * @throws FixpointError NOT_IMPLEMENTED for anything but a handle of this engine, such as a handle
 * of a worker
 */
export function changeFeed(database: Database): ChangeFeed {
  const inside = insideOf(database);
  if (inside === undefined) throw new FixpointError('NOT_IMPLEMENTED', 'the change feed of a foreign handle');
  return {
    page: async (after, options = {}) => {
      checkLimit(options);
      const { limit = LIMIT_DEFAULT } = options;
      if (limit < 1) throw new FixpointError('QUERY_INVALID', 'limit is below 1');
      const place = after === undefined ? { head: [] } : parsePlace(after);
      const core = await inside.open();
      const shared = sharedOf(core);
      const { readers } = core.commits;
      const page = shared.last.then(() =>
        core.commits.read(async (at): Promise<FeedPage> => {
          const changed = await shared.changes.page(at.head, place, limit);
          const events = [...changed.keys].filter(([key]) => key !== GENESIS_KEY);
          const docs = await currentDocuments(
            readers,
            at,
            events.map(([key]) => key),
          );
          const rows = events.flatMap(([key, clock], n) => {
            const value = docs[n];
            return value === undefined ? [] : [{ key, value, clock }];
          });
          return { rows, position: placeText(changed.place), isLast: changed.isLast };
        }),
      );
      shared.last = page.catch(() => undefined);
      return page;
    },
    position: async () => placeText({ head: await database.head() }),
  };
}
