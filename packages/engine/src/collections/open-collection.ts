/** Reads and writes the documents of a collection through a handle of a database. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { Database, Transaction } from '../database/database.ts';
import type { Fields, FindOptions, MergeRule, Where, Written } from '../database/database-results.ts';
import { insideOf } from '../database/inside.ts';
import type {
  Collection,
  CollectionFindOptions,
  CollectionFound,
  CollectionGroup,
  CollectionGroupOptions,
  CollectionInTransaction,
  CollectionReferences,
  ReadDocument,
} from './collection-types.ts';
import { mergeRuleOf } from './merge-rule.ts';
import { referencesIn, type Wanted, withReferences } from './references.ts';
import {
  after,
  broken,
  fromStored,
  type InvalidDocument,
  type Read,
  type Shape,
  toStored,
} from './stored-form.ts';
import { whereIn } from './where-in.ts';

/** Documents that `invalid` and `migrateAll` read together. */
const SWEEP = 200;

/** The shape of a collection, and the collections to which its fields refer. */
type Referring = Shape & { readonly refs: CollectionReferences };

export function openCollection<In extends object, Out extends object, R>(
  shape: Referring,
  database: Database,
): Collection<In, Out, R> {
  const { name, prefix } = shape;
  const rule = mergeRuleOf(shape);
  // If the database can't be opened, every other call rejects with the reason.
  if (rule !== undefined) beginMerging(database, prefix, rule).catch(() => undefined);
  const within = (transaction: Transaction) =>
    collectionInTransaction<In, Out>(shape, database, transaction, () => undefined);
  const ids = (all: readonly string[]) => all.map((id) => id.slice(prefix.length));
  return {
    name,
    database,
    // Without an await if possible, so that writes keep the order of the calls.
    put: async (doc) => ownId(shape, await after(stored(shape, database, doc), (made) => database.put(made))),
    get: async (id) => readOne<Out>(shape, await database.get(idIn(shape, id))),
    del: async (id) => ownId(shape, await database.del(idIn(shape, id))),
    bulk: async (docs, { del = [], ...options } = {}) => {
      if (!Array.isArray(docs)) throw new FixpointError('DOC_INVALID', 'bulk takes an array');
      const all = docs.map((doc) => stored(shape, database, doc));
      const gone = del.map((id) => idIn(shape, id));
      const isAsync = all.some((one) => one instanceof Promise);
      const made = isAsync ? Promise.all(all) : (all as readonly object[]);
      const written = await after(made, (ready) => database.bulk(ready, { ...options, del: gone }));
      return { ids: ids(written.ids), ...(written.kept && { kept: ids(written.kept) }) };
    },
    update: async (id, change) => {
      requireFunction(change);
      let isAsync = false;
      await database.update(idIn(shape, id), (before) => {
        const made = changed(shape, id, before, change);
        if (!(made instanceof Promise)) return made;
        // `Database.update` can't wait for an asynchronous schema, and a transaction can.
        made.catch(() => undefined);
        isAsync = true;
        return undefined;
      });
      if (isAsync) await database.transact((transaction) => within(transaction).update(id, change));
      return { id };
    },
    find: async (options) => found<Out>(shape, database, options as object) as Promise<never>,
    search: async (words, options) => {
      if (!shape.isSearched)
        throw new FixpointError('QUERY_INVALID', `the collection ${name} has no option search`);
      return found<Out>(shape, database, options, words);
    },
    count: async (where) => database.count(whereIn(prefix, where as Where)),
    groupBy: async (fields, options) => grouped(shape, database, fields, options),
    explain: async (options = {}) => database.explain(optionsIn(shape, options)),
    invalid: async () => {
      const all: InvalidDocument[] = [];
      for await (const reads of sweep(shape, database))
        for (const read of reads) if ('invalid' in read) all.push(read.invalid);
      return all;
    },
    migrateAll: async () => {
      let migrated = 0;
      const invalid: InvalidDocument[] = [];
      for await (const reads of sweep<Out>(shape, database)) {
        const old: string[] = [];
        for (const read of reads)
          if ('invalid' in read) invalid.push(read.invalid);
          else if (read.isOld) old.push(read.doc._id);
        if (old.length === 0) continue;
        migrated += await database.transact((transaction) => rewritten(within(transaction), old));
      }
      return { migrated, invalid };
    },
    subscribe: (listener) => {
      if (typeof listener !== 'function') throw new FixpointError('REQUEST_INVALID', 'no function');
      return database.subscribe((docs) => {
        const own = docs.map(({ _id }) => _id).filter((id) => id.startsWith(prefix));
        return own.length === 0 ? undefined : listener(ids(own));
      }, true);
    },
  };
}

/** Sets a rule once the database opens. A rule alone must not open it. */
async function beginMerging(database: Database, prefix: string, rule: MergeRule): Promise<void> {
  const begins = insideOf(database)?.begins;
  if (begins !== undefined) await begins;
  await database.mergeWith(prefix, rule);
}

/**
 * Returns the calls of a collection in a transaction. They run one after another, so that a read
 * sees the writes that were called before, also if the caller didn't await them.
 * @param waits called with writes that the transaction must wait for
 */
export function collectionInTransaction<In extends object, Out extends object>(
  shape: Shape,
  database: Database,
  transaction: Transaction,
  waits: (work: Promise<unknown>) => void,
): CollectionInTransaction<In, Out> {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <R>(work: () => Promise<R>): Promise<R> => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
  const write = (work: () => Promise<Written>): Promise<Written> => {
    const written = inTurn(work);
    waits(written);
    return written;
  };
  const current = (key: string) =>
    transaction.get(key).catch((cause) => {
      if (isFixpointError(cause, 'NOT_FOUND')) return undefined;
      throw cause;
    });
  return {
    get: (id) => inTurn(async () => readOne<Out>(shape, await transaction.get(idIn(shape, id)))),
    put: (doc) => {
      // Checked now, because the caller may change the object later. `write` reports a failure.
      const made = (async () => stored(shape, database, doc))();
      made.catch(() => undefined);
      return write(async () => ownId(shape, transaction.put(await made)));
    },
    del: (id) => write(async () => ownId(shape, transaction.del(idIn(shape, id)))),
    update: (id, change) =>
      write(async () => {
        requireFunction(change);
        const made = await changed(shape, id, await current(idIn(shape, id)), change);
        if (made !== undefined) transaction.put(made);
        return { id };
      }),
  };
}

function requireFunction(change: unknown): void {
  if (typeof change !== 'function') throw new FixpointError('DOC_INVALID', 'update takes a function');
}

/**
 * Returns the stored form of the document that `change` returns; undefined if it returns none.
 * @throws FixpointError DOC_INVALID
 */
function changed<In extends object, Out extends object>(
  shape: Shape,
  id: string,
  before: object | undefined,
  change: Parameters<Collection<In, Out>['update']>[1],
): object | undefined | Promise<object | undefined> {
  return after(before && fromStored<Out>(shape, before), (read) => {
    if (read !== undefined && 'invalid' in read) throw broken(shape, read.invalid.issues, read.invalid);
    const next: unknown = change(read?.doc);
    return next === undefined ? undefined : toStored(shape, id, next);
  });
}

function stored(shape: Shape, database: Database, doc: object): object | Promise<object> {
  const { _id } = (doc ?? {}) as { readonly _id?: unknown };
  const id = _id === undefined || _id === '' ? (insideOf(database)?.newId() ?? shape.newId()) : _id;
  if (typeof id !== 'string') throw new FixpointError('KEY_INVALID', 'an id must be a string');
  return toStored(shape, id, doc);
}

function idIn({ prefix }: Shape, id: unknown): string {
  if (id === '' || id === undefined || id === null) throw new FixpointError('DOC_ID_REQUIRED');
  if (typeof id !== 'string') throw new FixpointError('KEY_INVALID', 'an id must be a string');
  return prefix + id;
}

const ownId = ({ prefix }: Shape, { id }: Written): Written => ({ id: id.slice(prefix.length) });

async function readOne<T extends object>(shape: Shape, doc: object): Promise<ReadDocument<T>> {
  const read = await fromStored<T>(shape, doc);
  if ('invalid' in read) throw broken(shape, read.invalid.issues, read.invalid);
  return read.doc;
}

async function found<T extends object>(
  shape: Referring,
  database: Database,
  options: CollectionFindOptions<T> & { readonly with?: Wanted | undefined } = {},
  search?: string,
): Promise<CollectionFound<T>> {
  const wanted = optionsIn(shape, options);
  const { docs, next, refs } = await database.find(search === undefined ? wanted : { ...wanted, search });
  const stored = new Map(refs?.map((doc) => [doc._id, doc]));
  const reads = await Promise.all(
    docs.map(async (doc): Promise<Read<T>> => {
      const read = await fromStored<T>(shape, doc);
      if (options.with === undefined || 'invalid' in read) return read;
      const whole = await withReferences(shape.refs, options.with, read.doc, stored);
      return { ...read, doc: whole as ReadDocument<T> };
    }),
  );
  return {
    docs: reads.flatMap((read) => ('doc' in read ? read.doc : [])),
    invalid: reads.flatMap((read) => ('invalid' in read ? read.invalid : [])),
    ...(next !== undefined && { next }),
  };
}

async function grouped<T extends object, By extends string, V extends string>(
  { prefix }: Shape,
  database: Database,
  fields: Fields<By>,
  { where, ...options }: CollectionGroupOptions<T, V> = {},
): Promise<readonly CollectionGroup<T, By, V>[]> {
  if ([fields, ...Object.values(options)].flat().includes('_id' as never))
    throw new FixpointError('QUERY_INVALID', 'groupBy of a collection has no _id');
  const wanted = { ...options, where: whereIn(prefix, where as Where | undefined) };
  return (await database.groupBy(fields, wanted)) as readonly CollectionGroup<T, never, never>[];
}

const optionsIn = <T extends object>(
  { prefix, refs }: Referring,
  { where, with: wanted, ...others }: CollectionFindOptions<T> & { readonly with?: Wanted | undefined },
): FindOptions => ({
  ...(others as FindOptions),
  where: whereIn(prefix, where as Where | undefined),
  ...(wanted !== undefined && { with: referencesIn(refs, wanted) }),
});

/** Yields all documents of the collection. */
async function* sweep<T extends object>(
  shape: Shape,
  database: Database,
): AsyncGenerator<readonly Read<T>[]> {
  let after: string | undefined;
  do {
    const { docs, next } = await database.find({ where: whereIn(shape.prefix), limit: SWEEP, after });
    yield await Promise.all(docs.map((doc) => fromStored<T>(shape, doc)));
    after = next;
  } while (after !== undefined);
}

/** Writes documents again, in the current version. Returns how many there still were. */
async function rewritten<In extends object, Out extends object>(
  collection: CollectionInTransaction<In, Out>,
  ids: readonly string[],
): Promise<number> {
  let count = 0;
  for (const id of ids)
    await collection.update(id, (doc) => {
      if (doc !== undefined) count += 1;
      return doc as never;
    });
  return count;
}
