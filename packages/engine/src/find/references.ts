/** References: ids of other documents in the fields of documents. */
import { FixpointError } from '@fixpoint/protocol';
import { type FieldPath, requirePath, valuesAt } from '../documents/field-path.ts';

/**
 * Fields that contain ids of other documents, or arrays of ids. The value is the text that precedes
 * the id in the field, such as `lists/` for a collection `lists`, or empty for whole ids.
 */
export interface References {
  readonly [path: string]: string | Reference;
}

/** A reference, and the references of the documents that it leads to. */
export interface Reference {
  /** The text that precedes the id in the field. */
  readonly prefix: string;
  readonly with?: References | undefined;
}

export interface ParsedReference {
  readonly path: FieldPath;
  readonly prefix: string;
  readonly next: readonly ParsedReference[];
}

/** Maximum number of levels. */
const DEPTH_MAX = 10;

const refusal = (detail: string) => new FixpointError('QUERY_INVALID', detail);

/** @throws FixpointError QUERY_INVALID */
export function parseReferences(given: unknown, depth = 1): readonly ParsedReference[] {
  if (depth > DEPTH_MAX) throw refusal(`with has more than ${DEPTH_MAX} levels`);
  if (typeof given !== 'object' || given === null) throw refusal('with is not an object');
  return Object.entries(given).map(([name, to]) => {
    const { prefix, with: next = {} } = typeof to === 'string' ? { prefix: to } : ((to ?? {}) as Reference);
    if (typeof prefix !== 'string') throw refusal(`with.${name} has no prefix`);
    return { path: requirePath(name), prefix, next: parseReferences(next, depth + 1) };
  });
}

/**
 * Returns the documents that the references lead to, each of them once, sorted by id.
 * @param read returns the documents that exist among those with these ids, which are sorted
 */
export async function referencedDocuments<T extends { readonly _id: string }>(
  docs: readonly T[],
  references: readonly ParsedReference[],
  read: (ids: readonly string[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const found = new Map<string, T | undefined>();
  let level = references.map((reference) => ({ reference, docs }));
  while (level.length > 0) {
    const led = level.map(({ reference, docs: from }) => ({ reference, ids: idsIn(from, reference) }));
    const unread = new Set(led.flatMap(({ ids }) => [...ids].filter((id) => !found.has(id))));
    for (const id of unread) found.set(id, undefined);
    for (const doc of await read([...unread].sort())) found.set(doc._id, doc);
    level = led.flatMap(({ reference, ids }) => {
      const next = [...ids].flatMap((id) => found.get(id) ?? []);
      return reference.next.map((one) => ({ reference: one, docs: next }));
    });
  }
  const all = [...found.values()].filter((doc) => doc !== undefined);
  return all.sort((a, b) => (a._id < b._id ? -1 : 1));
}

function idsIn(docs: readonly object[], { path, prefix }: ParsedReference): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const doc of docs)
    for (const id of valuesAt(path, doc).flat())
      if (typeof id === 'string' && id !== '') ids.add(prefix + id);
  return ids;
}
