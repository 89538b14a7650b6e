/** Conditions on the documents of a collection, as conditions on the stored documents. */
import { FixpointError } from '@fixpoint/protocol';
import type { Where } from '../database/database-results.ts';

/** Returns the conditions on stored documents, whose ids start with `prefix`. */
export function whereIn(prefix: string, where: Where = {}): Where {
  return { and: [{ _id: { startsWith: prefix } }, withStoredIds(prefix, where)] };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Conditions that are wrong are left as they are, because the database rejects them. */
function withStoredIds(prefix: string, where: Where): Where {
  if (!isObject(where)) return where;
  const mapped = Object.entries(where).map(([name, value]): [string, unknown] => {
    if (name === '_id') return [name, idConditions(prefix, value)];
    if (name === 'not') return [name, withStoredIds(prefix, value as Where)];
    if ((name === 'and' || name === 'or') && Array.isArray(value))
      return [name, value.map((one) => withStoredIds(prefix, one as Where))];
    return [name, value];
  });
  return Object.fromEntries(mapped) as Where;
}

function idConditions(prefix: string, value: unknown): unknown {
  const stored = (id: unknown) => (typeof id === 'string' ? prefix + id : id);
  if (!isObject(value)) return stored(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, operand]): [string, unknown] => {
      if (name === 'contains' || name === 'matches')
        throw new FixpointError('QUERY_INVALID', `_id.${name} in a collection`);
      if (name === 'exists' || name === 'type') return [name, operand];
      return [name, Array.isArray(operand) ? operand.map(stored) : stored(operand)];
    }),
  );
}
