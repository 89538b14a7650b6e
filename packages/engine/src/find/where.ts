/** Conditions on documents, as data: they can be saved, sent to a worker or a server, and shown. */
import { FixpointError } from '@fixpoint/protocol';
import { append } from '../base/append.ts';
import { isLink } from '../codec/link.ts';
import { type FieldPath, requirePath, valuesAt } from '../documents/field-path.ts';
import { afterAll, type Bounds, boundsOfTextPrefix, encodeField, encodeKey } from '../index/key-order.ts';
import {
  ALL_KEYS,
  complement,
  contains,
  intersection,
  type KeyRanges,
  only,
  union,
} from '../index/key-ranges.ts';
import { patternOf } from './text-pattern.ts';

/** A value that fields are compared with. A date is compared as its ISO text. */
export type Comparable = null | boolean | number | string | bigint | Date | Uint8Array | readonly unknown[];

/**
 * Conditions on one field, which must all hold. `gt`, `gte`, `lt` and `lte` hold only for values of
 * the same kind: numbers, texts, booleans, arrays or bytes.
 */
export interface FieldConditions {
  /** The field has this value. An object equals an object with the same fields. */
  readonly eq?: unknown;
  /** The field has another value, or doesn't exist. */
  readonly ne?: unknown;
  readonly gt?: Comparable | undefined;
  readonly gte?: Comparable | undefined;
  readonly lt?: Comparable | undefined;
  readonly lte?: Comparable | undefined;
  /** The field has one of these values. */
  readonly in?: readonly unknown[] | undefined;
  /** The field is a text with this prefix. */
  readonly startsWith?: string | undefined;
  /** The field is an array with this entry, or a text that contains this text, ignoring case. */
  readonly contains?: unknown;
  /** Whether the field exists. */
  readonly exists?: boolean | undefined;
  /** The field has a value of this type. */
  readonly type?: ValueType | undefined;
  /**
   * The field is a text that contains a match of this regular expression. Write `(?i)` at the start
   * to ignore case. Backreferences and look-around are not supported.
   */
  readonly matches?: string | undefined;
}

/** The type of a value. A link to a document is an object. */
export type ValueType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' | 'bytes';

/**
 * Conditions on a document, which must all hold. A name is a path: `city`, `address.city`, or
 * `tags[]` for any entry of an array; `a\.b` is the field whose own name is `a.b`. All conditions
 * on `tags[]` in one object must hold for the same entry. `\and` is a field named `and`.
 */
export type Where = { readonly [path: string]: Comparable | FieldConditions | readonly Where[] | Where } & {
  readonly and?: readonly Where[];
  readonly or?: readonly Where[];
  readonly not?: Where;
};

/** A condition on the values at one path. */
export interface PathTest {
  readonly kind: 'path';
  readonly path: FieldPath;
  /** Keys of the values that match, or may match. */
  readonly keys: KeyRanges;
  /** Further checks of a value whose key is in `keys`. */
  readonly checks: readonly ((value: unknown) => boolean)[];
  /** All keys in `keys`, in ascending order, if they are few single keys instead of ranges. */
  readonly points: readonly string[] | undefined;
  /** The key of an entry that arrays at this path must contain. */
  readonly entry: string | undefined;
  /** The text that values must start with. */
  readonly prefix: string | undefined;
}

/** A search for a text in the values of a field, or of all fields and the id. */
interface TextTest {
  readonly kind: 'text';
  readonly text: string;
  readonly field: string | undefined;
}

/** Where, in a form that can be planned and run. */
export type Test =
  | PathTest
  | TextTest
  | { readonly kind: 'all' | 'any'; readonly of: readonly Test[] }
  | { readonly kind: 'not'; readonly of: Test };

/** Maximum nesting; deeper conditions could overflow the stack. */
const DEPTH_MAX = 100;

const refusal = (detail: string, cause?: unknown) => new FixpointError('QUERY_INVALID', detail, { cause });

/** @throws FixpointError QUERY_INVALID */
export function parseWhere(where: unknown, depth = 0): Test {
  if (depth > DEPTH_MAX) throw refusal(`where is nested deeper than ${DEPTH_MAX}`);
  if (!isPlainObject(where)) throw refusal('where is not an object');
  const of = Object.entries(where).map(([name, value]) => {
    if (value === undefined) throw refusal(`where.${name} is undefined`);
    if (name === 'and') return { kind: 'all' as const, of: parseList(name, value, depth) };
    if (name === 'or') return { kind: 'any' as const, of: parseList(name, value, depth) };
    if (name === 'not') return { kind: 'not' as const, of: parseWhere(value, depth + 1) };
    return parseField(requirePath(name), value);
  });
  return of.length === 1 ? (of[0] as Test) : { kind: 'all', of };
}

function parseList(name: string, list: unknown, depth: number): readonly Test[] {
  if (!Array.isArray(list)) throw refusal(`${name} is not an array`);
  return list.map((one) => parseWhere(one, depth + 1));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || prototype.constructor?.name === 'Object';
}

interface Part {
  readonly keys: KeyRanges;
  readonly check?: (value: unknown) => boolean;
  readonly points?: readonly string[];
  readonly entry?: string;
  readonly prefix?: string;
}

function parseField(path: FieldPath, value: unknown): PathTest {
  const conditions = isPlainObject(value) ? Object.entries(value) : [['eq', value] as const];
  if (conditions.length === 0) throw refusal(`${path.text} has no condition`);
  const parts = conditions.map(([name, operand]): Part => {
    const condition = Object.hasOwn(CONDITIONS, name) ? CONDITIONS[name as keyof FieldConditions] : undefined;
    if (condition === undefined)
      throw refusal(`${path.text}.${name} is not a condition; write {eq: ...} to compare with an object`);
    if (operand === undefined) throw refusal(`${path.text}.${name} is undefined`);
    return condition(operand, path);
  });
  const keys = parts.reduce(
    (common, part) => intersection(common, part.keys),
    path.isMulti ? EXISTING : ALL_KEYS,
  );
  return {
    kind: 'path',
    path,
    keys,
    checks: parts.flatMap(({ check }) => check ?? []),
    points: parts.find(({ points }) => points)?.points?.filter((key) => contains(keys, key)),
    entry: parts.find(({ entry }) => entry)?.entry,
    prefix: parts.find(({ prefix }) => prefix)?.prefix,
  };
}

/** The key of a missing field is the one letter `L`. */
const MISSING: KeyRanges = [{ from: 'L', to: 'M' }];
const EXISTING = complement(MISSING);

const within = (keys: KeyRanges): Part => ({ keys });
const between = (first: string, to: string | undefined): Part => within([{ from: first, to }]);
const oneOf = (keys: readonly string[]): Part => {
  const points = [...new Set(keys)].sort();
  return { points, keys: union(points.map(only)) };
};

const CONDITIONS: Readonly<Record<keyof FieldConditions, (operand: unknown, path: FieldPath) => Part>> = {
  eq: (value) => oneOf([keyOf(value)]),
  ne: (value) => within(complement([only(keyOf(value))])),
  gt: (value) => between(afterAll(keyOf(value)) ?? '', kindOf(value).to),
  gte: (value) => between(keyOf(value), kindOf(value).to),
  lt: (value) => between(kindOf(value).from, keyOf(value)),
  lte: (value) => between(kindOf(value).from, afterAll(keyOf(value))),
  in: (values, { text }) => {
    if (!Array.isArray(values)) throw refusal(`${text}.in is not an array`);
    return oneOf(values.map(keyOf));
  },
  startsWith: (prefix, { text }) => {
    if (typeof prefix !== 'string') throw refusal(`${text}.startsWith is not a text`);
    return { ...within([boundsOfTextPrefix(prefix)]), prefix };
  },
  contains: (part) => containing(part),
  exists: (exists, path) => {
    if (typeof exists !== 'boolean') throw refusal(`${path.text}.exists is neither true nor false`);
    if (!exists && path.isMulti)
      throw refusal(
        `${path.text}.exists is false; write {not: {${JSON.stringify(path.text)}: {exists: true}}}`,
      );
    return within(exists ? EXISTING : MISSING);
  },
  type: (type, { text }) => {
    const kind = typeof type === 'string' ? TYPES.get(type) : undefined;
    if (kind === undefined) throw refusal(`${text}.type is none of ${[...TYPES.keys()].join(', ')}`);
    return within([kind]);
  },
  matches: (pattern, { text }) => {
    if (typeof pattern !== 'string') throw refusal(`${text}.matches is not a text`);
    const fits = patternOf(pattern);
    return { keys: [TEXTS], check: (value) => fits(value as string) };
  },
};

const TEXTS: Bounds = { from: 'J', to: 'K' };
const ARRAYS: Bounds = { from: 'K', to: 'L' };

function containing(part: unknown): Part {
  const key = keyOf(part);
  const holdsEntry = (value: unknown) =>
    Array.isArray(value) && value.some((entry) => encodeField(entry) === key);
  if (typeof part !== 'string') return { keys: [ARRAYS], check: holdsEntry, entry: key };
  const text = part.toLowerCase();
  const holds = (value: unknown) =>
    typeof value === 'string' ? value.toLowerCase().includes(text) : holdsEntry(value);
  return { keys: [{ from: TEXTS.from, to: ARRAYS.to }], check: holds, entry: key };
}

function keyOf(value: unknown): string {
  try {
    return encodeKey(value);
  } catch (cause) {
    throw refusal('a value in where has no order', cause);
  }
}

/** Types of values, by the first letters of their keys. */
const TYPES: ReadonlyMap<string, Bounds> = new Map<ValueType, Bounds>([
  ['null', { from: 'A', to: 'B' }],
  ['boolean', { from: 'B', to: 'D' }],
  ['number', { from: 'D', to: 'G' }],
  ['string', TEXTS],
  ['array', ARRAYS],
  ['object', { from: 'M', to: 'N' }],
  ['bytes', { from: 'N', to: undefined }],
]);

/** Returns the range of all values of the same kind. */
function kindOf(value: unknown): Bounds {
  const key = keyOf(value);
  const kind = [...TYPES.values()].find(({ from, to }) => from <= key && (to === undefined || key < to));
  if (kind === undefined) throw refusal('a value in where has no order');
  return kind;
}

/** Returns a function that checks whether a document matches. */
export function matcherOf(test: Test): (doc: object) => boolean {
  switch (test.kind) {
    case 'path': {
      const { path, keys, checks } = test;
      const fits = (value: unknown) =>
        contains(keys, encodeField(value)) && checks.every((check) => check(value));
      return (doc) => valuesAt(path, doc).some(fits);
    }
    case 'text':
      return containingText(test);
    case 'not': {
      const matches = matcherOf(test.of);
      return (doc) => !matches(doc);
    }
    case 'all': {
      const all = test.of.map(matcherOf);
      return (doc) => all.every((matches) => matches(doc));
    }
    case 'any': {
      const all = test.of.map(matcherOf);
      return (doc) => all.some((matches) => matches(doc));
    }
  }
}

function containingText({ text, field }: TextTest): (doc: object) => boolean {
  const wanted = text.toLowerCase();
  if (field === undefined) return (doc) => Object.values(doc).some((value) => holdsText(value, wanted));
  return (doc) =>
    Object.hasOwn(doc, field) && holdsText((doc as Readonly<Record<string, unknown>>)[field], wanted);
}

function holdsText(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(text);
  if (typeof value !== 'object' || value === null) return String(value).includes(text);
  if (value instanceof Uint8Array) return false;
  if (isLink(value)) return String(value).includes(text);
  if (Array.isArray(value)) return value.some((part) => holdsText(part, text));
  return Object.entries(value).some(
    ([name, part]) => name.toLowerCase().includes(text) || holdsText(part, text),
  );
}

/** Returns the top-level fields that a test reads; undefined if it reads all fields. */
export function fieldsOf(test: Test): readonly string[] | undefined {
  if (test.kind === 'path') return [test.path.root];
  if (test.kind === 'text') return test.field === undefined ? undefined : [test.field];
  if (test.kind === 'not') return fieldsOf(test.of);
  const fields: string[] = [];
  for (const one of test.of) {
    const own = fieldsOf(one);
    if (own === undefined) return undefined;
    append(fields, own);
  }
  return fields;
}
