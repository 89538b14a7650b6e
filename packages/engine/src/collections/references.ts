/** References between the documents of collections. */
import { FixpointError } from '@fixpoint/protocol';
import type { References } from '../find/references.ts';
import type { CollectionDefinition, CollectionReferences } from './collection-types.ts';

/** The references of a collection to follow, at run time. See `With`. */
export interface Wanted {
  readonly [field: string]: true | Wanted | undefined;
}

const refusal = (detail: string) => new FixpointError('QUERY_INVALID', detail);

/** Returns the wanted references as data. @throws FixpointError QUERY_INVALID */
export function referencesIn(refs: CollectionReferences, wanted: Wanted): References {
  return Object.fromEntries(
    followed(refs, wanted).map(([field, to, next]) => [
      field,
      { prefix: `${to.name}/`, with: referencesIn(to.refs, next) },
    ]),
  );
}

/**
 * Returns a document with referenced documents in place of their ids, and undefined in place of
 * those that don't exist or break their schema.
 * @param stored the referenced documents by their stored ids
 */
export async function withReferences(
  refs: CollectionReferences,
  wanted: Wanted,
  doc: object,
  stored: ReadonlyMap<string, object>,
): Promise<object> {
  const fields: Record<string, unknown> = { ...doc };
  for (const [field, to, next] of followed(refs, wanted)) {
    const resolve = async (id: unknown): Promise<object | undefined> => {
      const found = typeof id === 'string' ? stored.get(`${to.name}/${id}`) : undefined;
      const read = found && (await to.read(found));
      return read && withReferences(to.refs, next, read, stored);
    };
    const value = fields[field];
    fields[field] = Array.isArray(value) ? await Promise.all(value.map(resolve)) : await resolve(value);
  }
  return fields;
}

/** @throws FixpointError QUERY_INVALID */
function followed(
  refs: CollectionReferences,
  wanted: Wanted,
): readonly (readonly [field: string, to: CollectionDefinition, next: Wanted])[] {
  if (typeof wanted !== 'object' || wanted === null) throw refusal('with is not an object');
  return Object.entries(wanted).flatMap(([field, next]) => {
    if (next === undefined) return [];
    const to = Object.hasOwn(refs, field) ? refs[field] : undefined;
    if (to === undefined) throw refusal(`with.${field} is not a reference of the collection`);
    return [[field, to, next === true ? {} : next] as const];
  });
}
