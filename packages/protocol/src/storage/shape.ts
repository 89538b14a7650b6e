/**
 * Shapes of JSON values, for the messages of sync. The protocol has few kinds of values, so this
 * takes half of the bytes of a schema library. Objects may have further fields.
 */

/** Describes values of type `T`. */
export interface Shape<T> {
  readonly type: 'string' | 'number' | 'boolean' | 'literal' | 'array' | 'object' | 'optional';
  /** The only value of a literal. */
  readonly literal?: string;
  /** The shape of the items of an array, or of an optional value that is present. */
  readonly item?: Shape<unknown>;
  readonly entries?: Entries;
  /** Only for the compiler. */
  readonly of?: T;
}

type Entries = Readonly<Record<string, Shape<unknown>>>;

/** Describes values of type `T`, or a missing value. */
export interface OptionalShape<T> extends Shape<T> {
  readonly type: 'optional';
}

/** The type of the values of a shape. */
export type InferOutput<S> = S extends Shape<infer T> ? T : never;

type OptionalIn<E> = { [K in keyof E]: E[K] extends OptionalShape<unknown> ? K : never }[keyof E];

type ObjectOf<E> = { [K in Exclude<keyof E, OptionalIn<E>>]: InferOutput<E[K]> } & {
  [K in OptionalIn<E>]?: InferOutput<E[K]> | undefined;
} & { [name: string]: unknown };

// The annotations let bundlers leave out shapes that a client doesn't use.

/* @__NO_SIDE_EFFECTS__ */
export function string(): Shape<string> {
  return { type: 'string' };
}

/* @__NO_SIDE_EFFECTS__ */
export function number(): Shape<number> {
  return { type: 'number' };
}

/* @__NO_SIDE_EFFECTS__ */
export function boolean(): Shape<boolean> {
  return { type: 'boolean' };
}

/* @__NO_SIDE_EFFECTS__ */
export function literal<const T extends string>(value: T): Shape<T> {
  return { type: 'literal', literal: value };
}

/* @__NO_SIDE_EFFECTS__ */
export function array<T>(item: Shape<T>): Shape<T[]> {
  return { type: 'array', item };
}

/* @__NO_SIDE_EFFECTS__ */
export function optional<T>(item: Shape<T>): OptionalShape<T> {
  return { type: 'optional', item };
}

/* @__NO_SIDE_EFFECTS__ */
export function looseObject<E extends Entries>(entries: E): Shape<ObjectOf<E>> {
  return { type: 'object', entries };
}

/** Why a value doesn't have a shape. */
export interface Mismatch {
  readonly path: readonly string[];
  /** The type of the shape, or the JSON of a literal. */
  readonly wanted: string;
  readonly isMissing: boolean;
}

/** Returns the first mismatch; undefined if the value has the shape. */
export function mismatchOf(
  { type, literal: only, item, entries }: Shape<unknown>,
  value: unknown,
  path: readonly string[] = [],
): Mismatch | undefined {
  if (type === 'optional' && item) return value === undefined ? undefined : mismatchOf(item, value, path);
  const isList = type === 'array' && Array.isArray(value);
  const found = isList ? type : value === null || Number.isNaN(value) ? 'null' : typeof value;
  if (only === undefined ? found !== type : value !== only)
    return { path, wanted: only === undefined ? type : JSON.stringify(only), isMissing: value === undefined };
  const inside =
    isList && item ? value.map((_, at) => [String(at), item] as const) : Object.entries(entries ?? {});
  for (const [name, shape] of inside) {
    const field = Object.hasOwn(value as object, name) ? (value as Entries)[name] : undefined;
    const mismatch = mismatchOf(shape, field, [...path, name]);
    if (mismatch) return mismatch;
  }
  return undefined;
}
