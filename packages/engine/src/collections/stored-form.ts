/**
 * The stored form of a collection's documents. In the database, the id has the collection's name in
 * front, and `_schema` contains the schema's version if it is above 1.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { Doc } from '../documents/encode.ts';
import { FILE_MAPS } from '../documents/file-entry.ts';
import type { SchemaFailure, SchemaResult, StandardSchema } from './standard-schema.ts';

export interface Shape {
  readonly name: string;
  /** The text with which the stored ids of all documents start. */
  readonly prefix: string;
  readonly schema: StandardSchema<unknown, unknown>;
  readonly version: number;
  readonly migrate: Readonly<Record<number, (old: Doc) => object>>;
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

/**
 * Returns the stored form of a document, checked by the schema: at once, or as a promise if the
 * schema is asynchronous.
 * @throws FixpointError DOC_INVALID with the path of the field
 */
export function toStored(shape: Shape, id: string, given: object): object | Promise<object> {
  if (typeof given !== 'object' || given === null) throw new FixpointError('DOC_INVALID', 'no object');
  const { own, fields } = split(given as Fields);
  const finish = (result: SchemaResult<unknown>): object => {
    if (result.issues) throw broken(shape, issuesOf(result));
    const { _id: _, [VERSION_FIELD]: __, ...files } = own;
    const version = shape.version > 1 && { [VERSION_FIELD]: shape.version };
    return { ...(result.value as object), ...files, ...version, _id: shape.prefix + id };
  };
  const result = shape.schema['~standard'].validate(fields);
  return result instanceof Promise ? result.then(finish) : finish(result);
}

export const broken = (shape: Shape, issues: readonly SchemaIssue[], cause?: unknown): FixpointError => {
  const [first] = issues;
  const place = first?.path ? `${shape.name}: ${first.path}` : shape.name;
  return new FixpointError('DOC_INVALID', `${place}: ${first?.message}`, { cause: cause ?? issues });
};

/** Reads a stored document: migrates it to the current version and checks it. */
export async function fromStored<T extends object>(shape: Shape, stored: object): Promise<Read<T>> {
  const { own, fields } = split(stored as Fields);
  const { _id: storedId, [VERSION_FIELD]: given = 1, ...files } = own;
  const _id = String(storedId).slice(shape.prefix.length);
  const invalid = (issues: readonly SchemaIssue[]): Read<T> => ({
    invalid: { _id, doc: { ...(stored as Doc), _id }, issues },
  });
  if (!Number.isInteger(given) || (given as number) < 1)
    return invalid([{ path: VERSION_FIELD, message: 'is not the number of a version' }]);
  const version = given as number;
  if (version > shape.version)
    return invalid([{ path: VERSION_FIELD, message: `was written by version ${version} of the schema` }]);
  try {
    const result = await shape.schema['~standard'].validate(migrated(shape, fields as Doc, version));
    if (result.issues) return invalid(issuesOf(result));
    return { doc: { ...(result.value as T), ...files, _id }, isOld: version < shape.version };
  } catch (cause) {
    return invalid([{ path: '', message: `the migration failed: ${messageOf(cause)}` }]);
  }
}

function migrated({ migrate, version }: Shape, fields: Doc, from: number): object {
  let current: object = fields;
  for (let next = from + 1; next <= version; next++) current = migrate[next]?.(current as Doc) ?? current;
  return current;
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

const issuesOf = ({ issues }: SchemaFailure): readonly SchemaIssue[] =>
  issues.map(({ message, path = [] }) => ({
    path: path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.'),
    message,
  }));
