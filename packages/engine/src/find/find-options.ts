import { FixpointError } from '@fixpoint/protocol';
import { checkLimit } from '../base/check-options.ts';
import { pathOfField, requirePath } from '../documents/field-path.ts';
import { type WantedWord, wantedWords } from '../text/wanted-words.ts';
import { type Place, parseCursor } from './cursor.ts';
import type { SortField, Wanted } from './plan.ts';
import type { References } from './references.ts';
import { parseWhere, type Where } from './where.ts';

/** Ascending or descending. */
export type SortDirection = 'asc' | 'desc';

/** Which documents are found, in which order. */
export interface FindOptions {
  /** Without conditions, all documents match. */
  readonly where?: Where | undefined;
  /**
   * Fields to sort by, the most important one first; documents that are equal in all of them are
   * sorted by id. Without fields, documents are sorted by id. Values sort as the keys of an index
   * do, and a missing field sorts after numbers, texts and arrays. Write a name that is a number,
   * such as `1`, as `\1`, because JavaScript sorts such names before all others.
   */
  readonly sort?: Readonly<Record<string, SortDirection>> | undefined;
  /** Maximum number of documents. */
  readonly limit?: number | undefined;
  /**
   * Finds only documents that contain all words of this text, ignoring case and accents; the last
   * word also finds longer words that begin with it. Without `sort`, the most relevant documents
   * come first. Needs a full-text index: see the option `indexes` of the database.
   */
  readonly search?: string | undefined;
  /** Finds only documents after this place: `next` of an earlier answer with the same `sort`. */
  readonly after?: string | undefined;
  /**
   * References to follow: the answer also contains the documents that these fields refer to, in
   * `refs`. At most 10 levels.
   */
  readonly with?: References | undefined;
}

export interface Search extends Wanted {
  readonly limit: number;
  readonly after: Place | undefined;
  /** Words that documents contain; undefined without `search`. */
  readonly words: readonly WantedWord[] | undefined;
}

const refusal = (detail: string) => new FixpointError('QUERY_INVALID', detail);
const KNOWN: ReadonlySet<string> = new Set(['where', 'sort', 'limit', 'after', 'search', 'with']);

/** @throws FixpointError QUERY_INVALID */
export function parseFind(options: FindOptions): Search {
  checkLimit(options);
  for (const name of Object.keys(options))
    if (!KNOWN.has(name)) throw refusal(`${name} is not an option of find`);
  const { where = {}, sort: given = {}, limit = Number.POSITIVE_INFINITY, after, search } = options;
  if (search !== undefined && typeof search !== 'string') throw refusal('search is not a text');
  const fields = parseSort(given);
  const sort = search !== undefined && fields.length === 0 ? BY_RANK : fields;
  return {
    test: parseWhere(where),
    sort,
    limit,
    isLimited: limit !== Number.POSITIVE_INFINITY,
    after: after === undefined ? undefined : parseCursor(sort, after),
    words: search === undefined ? undefined : wantedWords(search),
  };
}

/** The order of the results of a search without `sort`. */
export const BY_RANK: readonly SortField[] = [{ path: pathOfField('search rank'), isDescending: false }];

function parseSort(sort: unknown): readonly SortField[] {
  if (typeof sort !== 'object' || sort === null) throw refusal('sort is not an object');
  return Object.entries(sort).map(([name, direction]) => {
    if (direction !== 'asc' && direction !== 'desc') throw refusal(`sort.${name} is neither asc nor desc`);
    const path = requirePath(name);
    if (path.isMulti) throw refusal(`sort.${name} has more than one value`);
    return { path, isDescending: direction === 'desc' };
  });
}
