/**
 * The stored form of a collection's documents. In the database, the id has the collection's name in
 * front, and `_schema` contains the schema's version if it is above 1.
 */
import { FixpointError } from '@fixpoint/protocol';
import { equalBytes } from '../base/bytes.ts';
import { encode } from '../codec/dag-cbor.ts';
import type { Doc } from '../documents/encode.ts';
import { FILE_MAPS } from '../documents/file-entry.ts';
import { isPlain, sanitise } from '../documents/sanitise.ts';
import type { SchemaFailure, SchemaResult, StandardSchema } from './standard-schema.ts';

/** Merges two concurrent versions. See `CollectionOptions.merge`. */
type MergeFunction = (base: Doc | undefined, ours: Doc, theirs: Doc) => unknown;

export interface Shape {
  readonly name: string;
  /** The text with which the stored ids of all documents start. */
  readonly prefix: string;
  readonly schema: StandardSchema<unknown, unknown>;
  readonly version: number;
  /** How concurrent versions of a document are merged. See `CollectionOptions.merge`. */
  readonly merge: 'last' | 'fields' | MergeFunction;
  /** Whether the collection has a full-text index. */
  readonly isSearched: boolean;
  readonly migrate: Readonly<Record<number, (old: Doc) => object>>;
  /** Returns a new id. Used for handles that create none, such as those of another worker. */
  readonly newId: () => string;
}

/** A fault of a document. */
export interface SchemaIssue {
  /** The path of the field, such as `lines.0.sku`; empty for the whole document. */
  readonly path: string;
  readonly message: string;
}

/** A document that breaks the schema, such as one that another application wrote. */
export interface InvalidDocument {
  readonly _id: string;
  /** The document as it is stored, with the id of the collection. */
  readonly doc: Doc;
  readonly issues: readonly SchemaIssue[];
}

/** A document as a collection reads it. */
export type Read<T extends object> =
  | { readonly doc: T & { _id: string }; readonly isOld: boolean }
  | { readonly invalid: InvalidDocument };

const VERSION_FIELD = '_schema';

type Fields = Readonly<Record<string, unknown>>;

/** Separates the fields that the schema doesn't know from the fields that it checks. */
function split(doc: Fields): { readonly own: Fields; readonly fields: Fields } {
  const own: Record<string, unknown> = {};
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(doc))
    if (name === '_id' || name === VERSION_FIELD || FILE_MAPS.some((map) => map === name)) own[name] = value;
    else Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true });
  return { own, fields };
}

type MaybePromise<T> = T | Promise<T>;

/** Continues at once if the value isn't a promise, so that calls keep their order. */
export const after = <A, B>(value: MaybePromise<A>, next: (value: A) => MaybePromise<B>): MaybePromise<B> =>
  value instanceof Promise ? value.then(next) : next(value);

const validate = ({ schema }: Shape, fields: object): MaybePromise<SchemaResult<unknown>> =>
  schema['~standard'].validate(fields);

/**
 * Returns the stored form of a document, checked by the schema: at once, or as a promise if the
 * schema is asynchronous. Reads check the stored form again, so the schema must accept its own
 * result, and return it unchanged.
 * @throws FixpointError DOC_INVALID with the path of the field
 */
export function toStored(shape: Shape, id: string, given: unknown): MaybePromise<object> {
  const { own, fields } = split(requirePlain(shape, given));
  const { _id: _, [VERSION_FIELD]: __, ...files } = own;
  const version = shape.version > 1 && { [VERSION_FIELD]: shape.version };
  return after(validate(shape, fields), (result) => {
    if (result.issues) throw broken(shape, issuesOf(result));
    const stored = sanitise(requirePlain(shape, result.value));
    return after(validate(shape, stored), (again) => {
      if (again.issues || !isSame(stored, sanitise(requirePlain(shape, again.value))))
        throw new FixpointError('DOC_INVALID', `${shape.name}: the schema changes or rejects its own result`);
      return { ...stored, ...files, ...version, _id: shape.prefix + id };
    });
  });
}

const isSame = (a: object, b: object): boolean => equalBytes(encode(a), encode(b));

/** @throws FixpointError DOC_INVALID for anything but an object with fields */
function requirePlain({ name }: Shape, value: unknown): Fields {
  if (typeof value !== 'object' || value === null || !isPlain(value))
    throw new FixpointError('DOC_INVALID', `${name}: not an object with fields`);
  return value as Fields;
}

export const broken = (shape: Shape, issues: readonly SchemaIssue[], cause?: unknown): FixpointError => {
  const [first] = issues;
  const place = first?.path ? `${shape.name}: ${first.path}` : shape.name;
  return new FixpointError('DOC_INVALID', `${place}: ${first?.message}`, { cause: cause ?? issues });
};

/** Returns whether a document has all fields of another one, with the same values. */
export function keepsFields(fields: object, doc: object): boolean {
  const wanted = sanitise(fields as Fields);
  const found = Object.entries(sanitise(doc as Fields)).filter(([name]) => Object.hasOwn(wanted, name));
  const { _id: _, ...before } = wanted;
  const { _id: __, ...after } = Object.fromEntries(found);
  return isSame(before, after);
}

/**
 * Reads a stored document: migrates it to the current version and checks it.
 * @param keepsAll whether a document is invalid if the schema drops or changes a field
 */
export function fromStored<T extends object>(
  shape: Shape,
  stored: object,
  keepsAll = false,
): MaybePromise<Read<T>> {
  const { own, fields } = split(stored as Fields);
  const { _id: storedId, [VERSION_FIELD]: given = 1, ...files } = own;
  const _id = String(storedId).slice(shape.prefix.length);
  const invalid = (path: string, message: string): Read<T> => ({
    invalid: { _id, doc: { ...(stored as Doc), _id }, issues: [{ path, message }] },
  });
  if (_id === '') return invalid('_id', 'is empty');
  if (!Number.isInteger(given) || (given as number) < 1)
    return invalid(VERSION_FIELD, 'is not the number of a version');
  const version = given as number;
  if (version > shape.version)
    return invalid(VERSION_FIELD, `was written by version ${version} of the schema`);
  let current: object;
  try {
    current = migrated(shape, fields, version);
  } catch (cause) {
    return invalid('', `the migration failed: ${messageOf(cause)}`);
  }
  return after(validate(shape, current), (result): Read<T> => {
    if (result.issues)
      return { invalid: { _id, doc: { ...(stored as Doc), _id }, issues: issuesOf(result) } };
    if (keepsAll && !keepsFields(current, result.value as object))
      return invalid('', 'the schema drops or changes a field');
    return { doc: { ...(result.value as T), ...files, _id }, isOld: version < shape.version };
  });
}

function migrated(shape: Shape, fields: Fields, from: number): object {
  let current: object = fields;
  for (let next = from + 1; next <= shape.version; next++)
    current = requirePlain(shape, shape.migrate[next]?.(current as Doc) ?? current);
  return current;
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

const issuesOf = ({ issues }: SchemaFailure): readonly SchemaIssue[] =>
  issues.map(({ message, path = [] }) => ({
    path: path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.'),
    message,
  }));
