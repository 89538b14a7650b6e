/** A part of a database for a table: ids and previews, never whole documents. */
import { checkCount } from '../base/check-options.ts';
import type { Head } from '../clock/event.ts';
import type { Cid } from '../codec/cid.ts';
import type { Commits } from '../commit/commits-interface.ts';
import type { Readers, Snapshot } from '../commit/snapshot.ts';
import type { LiveDoc } from '../documents/decode-fields.ts';
import { parseDocKey } from '../documents/doc-key.ts';
import { getLinks } from '../trie/get.ts';
import { type CountedTrie, isLiveLink, type Slices } from './counted-trie.ts';
import { type Cell, previewOf } from './preview.ts';
import { type LiveLink, liveLinks, readDocuments } from './read-batch.ts';

/** Maximum rows of one window. */
const WINDOW_MAX = 10_000;
const WINDOW_DEFAULT = 100;

/**
 * Selects rows. The first of `ids`, `after` and `offset` that is set applies; without any, returns
 * the first rows.
 */
export interface WindowOptions {
  /**
   * Selects these documents, in this order, such as the results of a cursor. Deleted documents have
   * no row.
   */
  readonly ids?: readonly string[] | undefined;
  /**
   * Selects the rows after this id, whether or not a document has this id. So rows keep their place
   * while other documents change.
   */
  readonly after?: string | undefined;
  /** Selects the rows from this position on. */
  readonly offset?: number | undefined;
  /** Maximum number of rows: default 100, at most 10,000. */
  readonly limit?: number | undefined;
  /** Sorts by id in descending order; `after` then selects lower ids. */
  readonly descending?: boolean | undefined;
  /** Fields to show. By default, all fields of the documents in the window. */
  readonly fields?: readonly string[] | undefined;
  /** Whether a row shows that no remote has its document yet; default false. */
  readonly unsent?: boolean | undefined;
  /** Cancels the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A document as a row of a table. */
export interface WindowRow {
  readonly id: string;
  /** One cell per field of the window; undefined where the document lacks the field. */
  readonly cells: readonly (Cell | undefined)[];
  /** Set if `unsent` is requested and no remote has this version of the document. */
  readonly isUnsent?: true;
}

/** Rows that all reflect one version. */
export interface RowWindow {
  readonly rows: readonly WindowRow[];
  /** The fields of the cells, in order. Never `_id`. */
  readonly fields: readonly string[];
  /** The position of the first row; undefined for `ids`, and while `total` is undefined. */
  readonly at: number | undefined;
  /** The number of documents; undefined while a database that was just opened is being counted. */
  readonly total: number | undefined;
  /** The head that the window reflects. */
  readonly clock: Head;
}

export interface WindowParts {
  readonly commits: Pick<Commits, 'archiveOf' | 'pendingUploads' | 'readIndexes'>;
  readonly readers: Readers;
  readonly snapshot: Snapshot;
  readonly counted: CountedTrie;
  readonly slices: Slices;
}

/**
 * @throws FixpointError QUERY_INVALID, KEY_INVALID, MISSING_BLOCK, CORRUPT; the reason of the
 * signal
 */
export async function readWindow(parts: WindowParts, options: WindowOptions): Promise<RowWindow> {
  checkCount('offset', options.offset);
  checkCount('limit', options.limit);
  const { readers, snapshot, slices } = parts;
  slices.signal?.throwIfAborted();
  const links = await linksOf(parts, options);
  const docs = await readDocuments(readers, links);
  const unsent = options.unsent === true ? await unsentOf(parts, links) : undefined;
  slices.signal?.throwIfAborted();
  const fields = options.fields ?? fieldsOf(docs);
  const total = snapshot.root === undefined ? 0 : parts.counted.known(snapshot.root);
  const first = docs[0]?._id;
  return {
    rows: docs.map((doc) => ({
      id: doc._id,
      cells: fields.map((field) => cellOf(doc, field)),
      ...(unsent?.has(doc._id) && { isUnsent: true as const }),
    })),
    fields,
    at:
      total === undefined || first === undefined || options.ids !== undefined
        ? undefined
        : await positionIn(parts, first, total, options.descending),
    total,
    clock: snapshot.head,
  };
}

const cellOf = (doc: LiveDoc, field: string): Cell | undefined =>
  Object.hasOwn(doc, field) ? previewOf(doc[field]) : undefined;

const fieldsOf = (docs: readonly LiveDoc[]): readonly string[] =>
  [...new Set(docs.flatMap((doc) => Object.keys(doc)))].filter((field) => field !== '_id');

/** Returns the ids of documents in archives that wait for upload. */
async function unsentOf({ commits }: WindowParts, links: readonly LiveLink[]): Promise<ReadonlySet<string>> {
  const waiting = new Set(await commits.pendingUploads());
  await commits.readIndexes();
  const isWaiting = (link: Cid) => {
    const archive = commits.archiveOf(link);
    return archive !== undefined && waiting.has(archive);
  };
  return new Set(links.flatMap(([id, link]) => (isWaiting(link) ? [id] : [])));
}

async function linksOf(parts: WindowParts, options: WindowOptions): Promise<readonly LiveLink[]> {
  const { readers, snapshot } = parts;
  const limit = Math.min(options.limit ?? WINDOW_DEFAULT, WINDOW_MAX);
  if (options.ids !== undefined) return linksOfIds(parts, options.ids.slice(0, limit));
  const { after, offset = 0, descending = false } = options;
  const first = after ?? (offset === 0 ? '' : await idAtOffset(parts, offset, descending));
  if (first === undefined) return [];
  const range = first === '' ? { descending } : { descending, [descending ? 'to' : 'from']: first };
  const links: LiveLink[] = [];
  if (limit === 0) return links;
  for await (const link of liveLinks(readers, snapshot, range)) {
    if (link[0] === after) continue;
    links.push(link);
    if (links.length === limit) break;
  }
  return links;
}

async function linksOfIds(
  { readers, snapshot: { root } }: WindowParts,
  ids: readonly string[],
): Promise<readonly LiveLink[]> {
  if (root === undefined) return [];
  const links = await getLinks(readers.shard, root, ids.map(parseDocKey));
  return ids.flatMap((id, at) => {
    const link = links[at];
    return isLiveLink(id, link) ? [[id, link] as const] : [];
  });
}

async function idAtOffset(
  { snapshot: { root }, counted, slices }: WindowParts,
  offset: number,
  descending: boolean,
): Promise<string | undefined> {
  if (root === undefined) return undefined;
  const position = descending ? (await counted.count(root, slices)) - 1 - offset : offset;
  return position < 0 ? undefined : counted.idAt(root, position, slices);
}

async function positionIn(
  { snapshot: { root }, counted, slices }: WindowParts,
  id: string,
  total: number,
  descending = false,
): Promise<number | undefined> {
  if (root === undefined) return undefined;
  const position = await counted.positionOf(root, id, slices);
  return descending ? total - 1 - position : position;
}
