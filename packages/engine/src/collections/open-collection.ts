/** Reads and writes the documents of a collection through a handle of a database. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { Database, Transaction } from '../database/database.ts';
import type { FindOptions, Where, Written } from '../database/database-results.ts';
import { insideOf } from '../database/inside.ts';
import type {
  Collection,
  CollectionFindOptions,
  CollectionFound,
  CollectionInTransaction,
  NewDocument,
} from './collection-types.ts';
import { broken, fromStored, type InvalidDocument, type Read, type Shape, toStored } from './stored-form.ts';
import { whereIn } from './where-in.ts';

/** Documents that `invalid` and `migrateAll` read together. */
const SWEEP = 200;

export function openCollection<In extends object, Out extends object>(
  shape: Shape,
  database: Database,
): Collection<In, Out> {
  const { name, prefix } = shape;
  const within = (transaction: Transaction) => {
    const waits = () => undefined;
    return collectionInTransaction<In, Out>(shape, database, transaction, waits);
  };
  const ids = (all: readonly string[]) => all.map((id) => id.slice(prefix.length));
  return {
    name,
    database,
    put: async (doc) => ({ id: ownId(shape, await database.put(await stored(shape, database, doc))) }),
    get: async (id) => readOne<Out>(shape, await database.get(idIn(shape, id))),
    del: async (id) => ({ id: ownId(shape, await database.del(idIn(shape, id))) }),
    bulk: async (docs, { del = [] } = {}) => {
      // All are checked at once, before the caller can change the objects.
      const all = await Promise.all(docs.map((doc) => stored(shape, database, doc)));
      const written = await database.bulk(all, { del: del.map((id) => idIn(shape, id)) });
      return { ids: ids(written.ids) };
    },
    update: (id, change) => database.transact((transaction) => within(transaction).update(id, change)),
    find: (options) => found<Out>(shape, database, options),
    search: (words, options) => found<Out>(shape, database, options, words),
    count: (where) => database.count(whereIn(prefix, where as Where)),
    explain: (options = {}) => database.explain(optionsIn(shape, options)),
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

/**
 * Returns the calls of a collection in a transaction.
 * @param waits called with writes that the transaction must wait for
 */
export function collectionInTransaction<In extends object, Out extends object>(
  shape: Shape,
  database: Database,
  transaction: Transaction,
  waits: (work: Promise<unknown>) => void,
): CollectionInTransaction<In, Out> {
  const waited = <R>(work: Promise<R>): Promise<R> => {
    waits(work);
    return work;
  };
  const put = async (doc: NewDocument<In>): Promise<Written> => {
    const made = stored(shape, database, doc);
    // Without an await if possible, so that writes keep the order of the calls.
    const written = transaction.put(made instanceof Promise ? await made : made);
    return { id: ownId(shape, written) };
  };
  const get = async (id: string) => readOne<Out>(shape, await transaction.get(idIn(shape, id)));
  return {
    get,
    put: (doc) => waited(put(doc)),
    del: (id) => waited(Promise.resolve({ id: ownId(shape, transaction.del(idIn(shape, id))) })),
    update: (id, change) =>
      waited(
        (async () => {
          if (typeof change !== 'function') throw new FixpointError('DOC_INVALID', 'update takes a function');
          const before = await get(id).catch((cause) => {
            if (isFixpointError(cause, 'NOT_FOUND')) return undefined;
            throw cause;
          });
          const after = change(before);
          if (after !== undefined) await put({ ...after, _id: id });
          return { id };
        })(),
      ),
  };
}

function stored(shape: Shape, database: Database, doc: object): object | Promise<object> {
  const { _id } = (doc ?? {}) as { readonly _id?: unknown };
  const id = _id === undefined || _id === '' ? newIdIn(database) : _id;
  if (typeof id !== 'string') throw new FixpointError('KEY_INVALID', 'an id must be a string');
  return toStored(shape, id, doc);
}

function newIdIn(database: Database): string {
  const inside = insideOf(database);
  if (inside === undefined) throw new FixpointError('DOC_ID_REQUIRED');
  return inside.newId();
}

function idIn({ prefix }: Shape, id: unknown): string {
  if (id === '' || id === undefined || id === null) throw new FixpointError('DOC_ID_REQUIRED');
  if (typeof id !== 'string') throw new FixpointError('KEY_INVALID', 'an id must be a string');
  return prefix + id;
}

const ownId = ({ prefix }: Shape, { id }: Written): string => id.slice(prefix.length);

async function readOne<T extends object>(shape: Shape, doc: object): Promise<T & { _id: string }> {
  const read = await fromStored<T>(shape, doc);
  if ('invalid' in read) throw broken(shape, read.invalid.issues, read.invalid);
  return read.doc;
}

async function found<T extends object>(
  shape: Shape,
  database: Database,
  options: CollectionFindOptions<T> = {},
  search?: string,
): Promise<CollectionFound<T>> {
  const wanted = optionsIn(shape, options);
  const { docs, next } = await database.find(search === undefined ? wanted : { ...wanted, search });
  const reads = await Promise.all(docs.map((doc) => fromStored<T>(shape, doc)));
  return {
    docs: reads.flatMap((read) => ('doc' in read ? read.doc : [])),
    invalid: reads.flatMap((read) => ('invalid' in read ? read.invalid : [])),
    ...(next !== undefined && { next }),
  };
}

const optionsIn = <T extends object>(
  { prefix }: Shape,
  { where, ...others }: CollectionFindOptions<T>,
): FindOptions => ({ ...(others as FindOptions), where: whereIn(prefix, where as Where | undefined) });

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
      return doc as unknown as NewDocument<In>;
    });
  return count;
}
