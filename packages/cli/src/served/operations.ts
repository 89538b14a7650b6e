/** The operations that the HTTP API and the tools for AI assistants offer. */
import { FixpointError } from '@fixpoint/protocol';
import type { Database, FindOptions, Where } from 'fixpoint';
import type { ChangeFeed } from 'fixpoint/feed';
import { changesJson, changesPage } from './changes-page.ts';
import { allowOnly, type Fields, fieldOf, fieldsOf, limitOf } from './checked-input.ts';
import { jsonOf, storedForm, tagOf } from './document-json.ts';

/** Number of bytes of documents after which a page ends. */
const PAGE_BYTES = 8_000_000;
/** Number of documents that are read at once. */
const STEP = 50;
/** Sorts after every id: ids have at most 4096 bytes. */
const AFTER_ALL = '\uffff'.repeat(1366);
/** The position that means: only changes from now on. */
export const NOW = 'now';

/** A state of the current document that a write requires. */
export interface Condition {
  /** Tags of which the document must have one; `*` for any document. */
  readonly ifMatch?: readonly string[] | undefined;
  /** Whether no document may exist. */
  readonly ifAbsent?: boolean | undefined;
}

interface Page {
  readonly limit?: unknown;
  readonly after?: string | undefined;
}

export interface Operations {
  /** @throws FixpointError NOT_FOUND */
  get(id: string): Promise<{ readonly json: string; readonly tag: string }>;
  /** Creates a document with a new id, unless it has one. Returns the JSON of its id. */
  create(doc: unknown): Promise<{ readonly id: string }>;
  /**
   * Creates or replaces a document.
   * @throws FixpointError CONFLICT if the condition isn't met
   */
  put(id: string, doc: unknown, condition?: Condition): Promise<{ readonly tag: string }>;
  /** @throws FixpointError CONFLICT if the condition isn't met */
  del(id: string, condition?: Condition): Promise<void>;
  /** Returns documents sorted by id, as JSON. */
  list(page: Page & { readonly prefix?: string | undefined }): Promise<string>;
  find(options: unknown): Promise<string>;
  count(body: unknown): Promise<string>;
  changes(page: { readonly limit?: unknown; readonly since?: string | undefined }): Promise<string>;
  conflicts(page: Page): Promise<string>;
  history(id: string, page: Page): Promise<string>;
}

export function operationsOn(db: Database, feed: ChangeFeed): Operations {
  return {
    get: async (id) => {
      const doc = await db.get(id);
      return { json: jsonOf(doc), tag: tagOf(doc) };
    },
    create: async (given) => {
      const doc = documentIn(given);
      return { id: (await db.put(doc)).id };
    },
    put: (id, doc, condition = {}) => put(db, id, documentIn(doc, id), condition),
    del: async (id, condition = {}) => {
      if (condition.ifMatch === undefined) await db.del(id);
      else
        await db.update(id, (current) => {
          check(condition, current);
          return current && { _id: id, _deleted: true };
        });
    },
    list: (page) => listed(db, page),
    find: async (given) => {
      const options = fieldsOf(given, 'the search');
      const found = await db.find({
        ...(storedForm(options) as FindOptions),
        limit: limitOf(fieldOf(options, 'limit')),
      });
      return jsonOf(found);
    },
    count: async (given) => {
      const body = fieldsOf(given, 'the search');
      allowOnly(body, ['where'], 'a count');
      return jsonOf({ count: await db.count(storedForm(fieldOf(body, 'where')) as Where | undefined) });
    },
    changes: async ({ limit, since }) => {
      const after = since === NOW ? await feed.position() : since;
      return changesJson(await changesPage(feed, after, { limit: limitOf(limit), bytes: PAGE_BYTES }));
    },
    conflicts: async ({ limit, after }) => {
      const most = limitOf(limit);
      const { conflicts, unread } = await db.conflicts({ partial: true });
      const all = conflicts.filter(({ id }) => after === undefined || id > after);
      const shown = all.slice(0, most);
      const next = all.length > most ? { next: shown.at(-1)?.id } : {};
      return jsonOf({ conflicts: shown, ...(unread.length > 0 && { unread }), ...next });
    },
    history: async (id, { limit, after }) => {
      const most = limitOf(limit);
      const versions = await db.history(id, { limit: most, after });
      const next = versions.length === most ? { next: versions.at(-1)?.event } : {};
      return jsonOf({ versions, ...next });
    },
  };
}

/**
 * Returns a document that a client sent, in the form that the engine stores.
 * @throws FixpointError REQUEST_INVALID
 */
function documentIn(given: unknown, id?: string): Fields {
  const doc = fieldsOf(storedForm(fieldsOf(given, 'the document')), 'the document');
  const own = fieldOf(doc, '_id');
  if (fieldOf(doc, '_deleted') === true)
    throw new FixpointError('REQUEST_INVALID', 'a document with _deleted: delete the document instead');
  if (own !== undefined && (typeof own !== 'string' || (id !== undefined && own !== id)))
    throw new FixpointError('REQUEST_INVALID', 'the _id of the document is not the id of the request');
  return id === undefined ? doc : { ...doc, _id: id };
}

async function put(db: Database, id: string, doc: Fields, condition: Condition): Promise<{ tag: string }> {
  if (condition.ifMatch === undefined && condition.ifAbsent !== true) await db.put(doc);
  else
    await db.update(id, (current) => {
      check(condition, current);
      return doc;
    });
  // Not the tag of the current document: another writer may have replaced this one already.
  return { tag: tagOf(doc) };
}

/** @throws FixpointError CONFLICT */
function check({ ifMatch, ifAbsent }: Condition, current: object | undefined): void {
  const tag = current && tagOf(current);
  const isMet =
    (ifAbsent !== true || tag === undefined) &&
    (ifMatch === undefined || (tag !== undefined && (ifMatch.includes('*') || ifMatch.includes(tag))));
  if (!isMet) throw new FixpointError('CONFLICT', 'the document is not in the expected state');
}

async function listed(
  db: Database,
  { limit, after, prefix }: Page & { readonly prefix?: string | undefined },
): Promise<string> {
  const most = limitOf(limit);
  const docs: string[] = [];
  let [last, size, isMore] = [after, 0, true];
  while (isMore && docs.length < most && size < PAGE_BYTES) {
    const wanted = Math.min(STEP, most - docs.length);
    const { rows } = await db.allDocs({
      limit: wanted,
      ...(prefix !== undefined && { prefix }),
      ...(last !== undefined && { range: [`${last}\u0000`, AFTER_ALL] as const }),
    });
    for (const { value } of rows) {
      const json = jsonOf(value);
      docs.push(json);
      size += json.length;
    }
    last = rows.at(-1)?.key ?? last;
    isMore = rows.length === wanted;
  }
  const next = isMore && last !== undefined ? `,"next":${JSON.stringify(last)}` : '';
  return `{"docs":[${docs.join(',')}]${next}}`;
}
