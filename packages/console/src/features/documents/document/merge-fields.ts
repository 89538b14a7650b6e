/**
 * Compares two versions of a document with their common base, to find what each side changed, and
 * merges the two versions.
 */
import { type Fields, sameFields } from '../../../values/document-fields.ts';

export interface Difference {
  /** Field names, outermost first. */
  readonly path: readonly string[];
  /** Undefined: the field doesn't exist. */
  readonly mine: unknown;
  readonly theirs: unknown;
  /** The side that changed the field; the user chooses for `both`. */
  readonly by: 'mine' | 'theirs' | 'both';
}

export type Side = 'mine' | 'theirs';

const same = (a: unknown, b: unknown): boolean => sameFields({ value: a }, { value: b });

function isPlain(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Returns where two versions differ, down to single fields of objects. Lists are compared as a
 * whole.
 */
export function differencesOf(
  base: Fields,
  mine: Fields,
  theirs: Fields,
  path: readonly string[] = [],
): Difference[] {
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])].filter(
    (name) => path.length > 0 || name !== '_id',
  );
  return names.flatMap((name): Difference[] => {
    const [was, own, other] = [base, mine, theirs].map((fields) => valueAt(fields, name));
    if (same(own, other)) return [];
    const here = [...path, name];
    if (isPlain(own) && isPlain(other)) return differencesOf(isPlain(was) ? was : {}, own, other, here);
    const by = same(own, was) ? 'theirs' : same(other, was) ? 'mine' : 'both';
    return [{ path: here, mine: own, theirs: other, by }];
  });
}

const valueAt = (fields: Fields, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

/** Returns `theirs` with the values of `mine` in each difference where `mine` was chosen. */
export function merged(
  theirs: Fields,
  differences: readonly Difference[],
  choice: (difference: Difference) => Side,
): Fields {
  return differences
    .filter((difference) => choice(difference) === 'mine')
    .reduce((fields, { path, mine }) => withValue(fields, path, mine), theirs);
}

function withValue(fields: Fields, [name = '', ...rest]: readonly string[], value: unknown): Fields {
  const entries = Object.entries(fields).filter(([one]) => one !== name);
  if (rest.length === 0 && value === undefined) return Object.fromEntries(entries);
  const inner = valueAt(fields, name);
  const next = rest.length === 0 ? value : withValue(isPlain(inner) ? inner : {}, rest, value);
  return Object.hasOwn(fields, name)
    ? Object.fromEntries(Object.entries(fields).map(([one, old]) => [one, one === name ? next : old]))
    : Object.fromEntries([...entries, [name, next]]);
}
