/** Defines collections. An application that defines none doesn't load their code. */
import { FixpointError } from '@fixpoint/protocol';
import type { Doc } from '../documents/encode.ts';
import type { CollectionDefinition, CollectionReferences, NoReferences } from './collection-types.ts';
import { collectionInTransaction, openCollection } from './open-collection.ts';
import type { InputOf, OutputOf, StandardSchema } from './standard-schema.ts';
import { fromStored, type Shape } from './stored-form.ts';
import type { PathOf } from './typed-where.ts';
import { openWithCollections } from './with-collections.ts';

/** Options of `collection`. */
export interface CollectionOptions<S extends StandardSchema, R = NoReferences> {
  /**
   * The schema of the documents, without `_id`: any schema that implements Standard Schema, such as
   * those of Zod, Valibot and ArkType. Writes store what it returns, so it may set defaults.
   */
  readonly schema: S;
  /** Indexes of these documents, as in the option `indexes` of the database. */
  readonly indexes?: readonly (PathOf<OutputOf<S>> | readonly PathOf<OutputOf<S>>[])[];
  /** Fields whose words {@link Collection.search} finds. */
  readonly search?: readonly PathOf<OutputOf<S>>[];
  /**
   * Fields that contain the id of a document of another collection, or an array of ids, each with
   * the definition of that collection. The option `with` of {@link Collection.find} follows them.
   */
  readonly refs?: R & { readonly [K in Exclude<keyof R, keyof OutputOf<S>>]: never };
  /**
   * How concurrent versions of a document become one, for example after two devices were offline.
   *
   * - `last` (default): one version becomes current on all devices. `conflicts` lists the others.
   * - `fields`: the result has the changes of both versions since `base`, the last version before
   *   both. If both changed the same field, one of them wins, the same on all devices. A field is a
   *   whole value, also if it is an object or an array.
   * - A function returns the merged document. It must depend only on its arguments, and return the
   *   same on each device. It may be called more than once. `base` is undefined if both versions
   *   created the document. If it throws, the error is reported, and `last` applies.
   *
   * Attached files are merged by name. An edit wins over a deletion. If a version or the result
   * breaks the schema, or has fields that the schema drops, `last` applies. Devices that may only
   * read don't merge.
   */
  readonly merge?:
    | 'last'
    | 'fields'
    | ((
        base: (OutputOf<S> & { _id: string }) | undefined,
        ours: OutputOf<S> & { _id: string },
        theirs: OutputOf<S> & { _id: string },
      ) => InputOf<S>);
  /**
   * The version of the schema, from 1; default 1. Raise it whenever documents get a new field, or
   * older documents need a change.
   */
  readonly version?: number;
  /**
   * Functions that change a document of the version before into the given version. They must depend
   * only on the document. A version without a function needs no change.
   */
  readonly migrate?: Readonly<Record<number, (old: Doc) => object>>;
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

const refusal = (detail: string) => new FixpointError('CONFIG_INVALID', detail);

/**
 * @param newId returns a new id, for handles that create none, such as those of another worker
 * @throws FixpointError CONFIG_INVALID
 */
export function defineCollection<S extends StandardSchema, R extends CollectionReferences>(
  name: string,
  options: CollectionOptions<S, R>,
  newId: () => string,
): CollectionDefinition<InputOf<S> & object, OutputOf<S> & object, R> {
  if (typeof name !== 'string' || !NAME.test(name))
    throw refusal('the name of a collection consists of letters, digits, _ and -');
  const { schema, indexes = [], search = [], version = 1, migrate = {}, merge = 'last' } = options;
  if (typeof schema?.['~standard']?.validate !== 'function')
    throw refusal(`the schema of ${name} does not implement Standard Schema`);
  if (!Number.isInteger(version) || version < 1) throw refusal(`the version of ${name} is not 1 or more`);
  for (const to of Object.keys(migrate))
    if (!Number.isInteger(Number(to)) || Number(to) < 2 || Number(to) > version)
      throw refusal(`${name} migrates to ${to}, but its version is ${version}`);
  if (merge !== 'last' && merge !== 'fields' && typeof merge !== 'function')
    throw refusal(`merge of ${name} is neither last nor fields nor a function`);
  const prefix = `${name}/`;
  const refs = (options.refs ?? {}) as R;
  for (const [field, to] of Object.entries(refs))
    if (typeof to?.read !== 'function') throw refusal(`refs.${field} of ${name} is not a collection`);
  const shape: Shape = {
    ...{ name, prefix, schema, version, migrate, newId },
    merge: merge as Shape['merge'],
    isSearched: search.length > 0,
  };
  const fieldsOf = (one: string | readonly string[]) => (typeof one === 'string' ? [one] : one);
  return {
    ...{ name, refs },
    read: async (stored) => {
      const read = await fromStored<OutputOf<S> & object>(shape, stored);
      return 'doc' in read ? read.doc : undefined;
    },
    indexes: [
      ...indexes.map((one) => ({ fields: fieldsOf(one), prefix })),
      ...(search.length > 0 ? [{ text: search, prefix }] : []),
    ],
    openAll: openWithCollections,
    open: (database) =>
      openCollection<InputOf<S> & object, OutputOf<S> & object, R>({ ...shape, refs }, database),
    within: (database, transaction, waits) => collectionInTransaction(shape, database, transaction, waits),
  };
}
