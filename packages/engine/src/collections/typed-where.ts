/** The types of conditions and paths for documents whose fields are known. */
import type { SortDirection } from '../find/find-options.ts';
import type { ValueType } from '../find/where.ts';

type Single = null | undefined | boolean | number | string | bigint | Date | Uint8Array;
type IsAny<T> = 0 extends 1 & T ? true : false;

/** Paths are typed up to this number of names; write deeper ones with `as`. */
type Deeper = { 4: 3; 3: 2; 2: 1; 1: 0; 0: never };

/** The names of fields that a type lists, without those of an index signature. */
type NamesOf<T> = keyof { [K in keyof T as string extends K ? never : K extends string ? K : never]: 1 } &
  string;

/** The paths of the fields of a document: `city`, `address.city`, `tags[]`, `lines[].sku`. */
export type PathOf<T, Left extends keyof Deeper | never = 4> =
  IsAny<T> extends true
    ? string
    : [Left] extends [never]
      ? never
      : T extends unknown
        ? { [K in NamesOf<T>]-?: K | PathsBelow<K, NonNullable<T[K]>, Left> }[NamesOf<T>]
        : never;

type PathsBelow<K extends string, V, Left extends keyof Deeper> =
  IsAny<V> extends true
    ? `${K}.${string}`
    : V extends Single
      ? never
      : V extends readonly (infer E)[]
        ?
            | `${K}[]`
            | (NonNullable<E> extends Single | readonly unknown[]
                ? never
                : `${K}[].${PathOf<NonNullable<E>, Deeper[Left]>}`)
        : `${K}.${PathOf<V, Deeper[Left]>}`;

/** The paths that lead to one value, by which documents can be sorted. */
export type SortPathOf<T> = Exclude<PathOf<T>, `${string}[]${string}`>;

/** The type of the value at a path. */
export type ValueAt<T, P extends string> = T extends unknown
  ? P extends keyof T
    ? T[P]
    : P extends `${infer K}[].${infer Rest}`
      ? ValueAt<NonNullable<EntryOf<ValueAt<T, K>>>, Rest>
      : P extends `${infer K}[]`
        ? EntryOf<ValueAt<T, K>>
        : P extends `${infer K}.${infer Rest}`
          ? K extends keyof T
            ? ValueAt<NonNullable<T[K]>, Rest>
            : never
          : never
  : never;

type EntryOf<V> = NonNullable<V> extends readonly (infer E)[] ? E : never;

/** Conditions on a field with values of this type. All of them must hold. */
export type TypedConditions<V> = {
  readonly eq?: V;
  readonly ne?: V;
  readonly in?: readonly V[];
  readonly exists?: boolean;
  readonly type?: ValueType;
} & (NonNullable<V> extends Single | readonly unknown[]
  ? {
      readonly gt?: NonNullable<V>;
      readonly gte?: NonNullable<V>;
      readonly lt?: NonNullable<V>;
      readonly lte?: NonNullable<V>;
    }
  : unknown) &
  (Extract<V, string> extends never
    ? unknown
    : { readonly startsWith?: string; readonly contains?: string; readonly matches?: string }) &
  (NonNullable<V> extends readonly (infer E)[] ? { readonly contains?: E } : unknown);

/** A value to compare with, or conditions. An object is compared by `{ eq: object }`. */
type Wanted<V> = unknown extends V
  ? NonNullable<unknown> | null
  : Exclude<Extract<V, Single | readonly unknown[]>, undefined> | TypedConditions<Exclude<V, undefined>>;

/** Like `Where`, for documents of type `T`: unknown fields and wrong values are type errors. */
export type TypedWhere<T> = {
  readonly [P in PathOf<T & { _id: string }>]?: Wanted<ValueAt<T & { _id: string }, P>>;
} & {
  readonly and?: readonly TypedWhere<T>[];
  readonly or?: readonly TypedWhere<T>[];
  readonly not?: TypedWhere<T>;
};

/** The fields to sort by, the most important one first. See `FindOptions.sort`. */
export type TypedSort<T> = { readonly [P in SortPathOf<T & { _id: string }>]?: SortDirection };
