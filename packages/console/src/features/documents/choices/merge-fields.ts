/**
 * Compares two versions of a document with their common base, to find what each side changed, and
 * merges the two versions.
 */
import { type Fields, sameFields } from '../../../values/document-fields.ts';

export interface Difference {
  /** Field names, outermost first. */
  readonly path: readonly string[];
  /** The value in the common base. In all three, undefined means that the field doesn't exist. */
  readonly was: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
  /** The side that changed the field; the user chooses for `both`. */
  readonly by: 'mine' | 'theirs' | 'both';
  /** The decision from when the user merged earlier versions into `mine`. */
  readonly decided?: Decided;
}

/** The value that a user chose for a field, and the values that they decided against. */
export interface Decided {
  readonly value: unknown;
  readonly rejected: readonly unknown[];
}

export type Side = 'mine' | 'theirs';

export const same = (a: unknown, b: unknown): boolean => sameFields({ value: a }, { value: b });

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
    return [{ path: here, was, mine: own, theirs: other, by }];
  });
}

const valueAt = (fields: Fields, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

/** Identifies a difference among those of one document. */
export const keyOf = ({ path }: Pick<Difference, 'path'>): string => JSON.stringify(path);

/** Returns `theirs` with a chosen value in each difference; undefined removes the field. */
export function merged(
  theirs: Fields,
  differences: readonly Difference[],
  chosenValue: (difference: Difference) => unknown,
): Fields {
  return differences.reduce((fields, difference) => {
    const value = chosenValue(difference);
    return same(value, difference.theirs) ? fields : withValue(fields, difference.path, value);
  }, theirs);
}

/** Returns how many top-level fields have the same value on both sides. */
export const countSame = (mine: Fields, theirs: Fields): number =>
  Object.keys(theirs).filter(
    (name) => name !== '_id' && Object.hasOwn(mine, name) && same(mine[name], theirs[name]),
  ).length;

/** Sets a field, or removes it if the value is undefined. Other fields keep their order. */
export function withValue(fields: Fields, [name = '', ...rest]: readonly string[], value: unknown): Fields {
  const entries = Object.entries(fields).filter(([one]) => one !== name);
  if (rest.length === 0 && value === undefined) return Object.fromEntries(entries);
  const inner = valueAt(fields, name);
  const next = rest.length === 0 ? value : withValue(isPlain(inner) ? inner : {}, rest, value);
  return Object.hasOwn(fields, name)
    ? Object.fromEntries(Object.entries(fields).map(([one, old]) => [one, one === name ? next : old]))
    : Object.fromEntries([...entries, [name, next]]);
}
