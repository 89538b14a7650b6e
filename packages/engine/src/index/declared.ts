/**
 * Declared indexes: each has one row for each document, whose key consists of the keys of the
 * declared fields, one after the other. A field that a document lacks has the key of undefined. An
 * index over entries of an array has one row for each different entry; a document without entries
 * has one row, with the key of undefined.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { Doc } from '../documents/encode.ts';
import { type FieldPath, parsePath, valueAt, valuesAt } from '../documents/field-path.ts';
import { textEdits } from '../text/text-edits.ts';
import { encodeField, encodeKey, endOfKey } from './key-order.ts';
import { mapIndexRun } from './map-edits.ts';
import type { MappedRow } from './run-map.ts';
import type { IndexRun } from './update.ts';

/**
 * A field, or several fields in the order by which the index sorts. Each is a path: `city`,
 * `address.city`, or `tags[]` for the entries of an array.
 *
 * `{ text: [fields] }` is a full-text index of the words in these fields, for the option `search`
 * of `find`. With `prefix`, an index contains only documents whose id starts with this text. It
 * answers when `where` has `{ _id: { startsWith } }` with this text, or a longer one.
 */
export type IndexDeclaration =
  | string
  | readonly string[]
  | { readonly fields: readonly string[]; readonly prefix?: string | undefined }
  | { readonly text: readonly string[]; readonly prefix?: string | undefined };

export interface DeclaredIndex {
  /** The text that identifies the stored index. */
  readonly definition: string;
  readonly fields: readonly FieldPath[];
  /** Position of the field that leads through entries of arrays; -1 if there is none. */
  readonly multiAt: number;
  /** The text with which the ids of the documents start; empty for all documents. */
  readonly prefix: string;
}

/** A full-text index. */
export interface TextIndex {
  readonly definition: string;
  readonly isText: true;
  readonly fields: readonly FieldPath[];
  readonly prefix: string;
}

export const isTextIndex = (index: DeclaredIndex | TextIndex): index is TextIndex => 'isText' in index;

const DECLARED_MAX = 40;
const FIELDS_MAX = 8;
/** The key of a missing value. */
export const MISSING_KEY = encodeKey(undefined);

const refusal = (detail: string) => new FixpointError('CONFIG_INVALID', detail);

/** @throws FixpointError CONFIG_INVALID */
export function parseDeclarations(declarations: unknown): readonly (DeclaredIndex | TextIndex)[] {
  if (!Array.isArray(declarations)) throw refusal('indexes is not an array');
  if (declarations.length > DECLARED_MAX) throw refusal(`indexes has more than ${DECLARED_MAX} entries`);
  return declarations.map(parseDeclaration);
}

const PREFIX = 'declared:';

/**
 * Returns the declared indexes among definitions of stored indexes. Ignores definitions that a
 * newer version wrote and this one can't read: they must not keep a tool from opening the database.
 */
export function declaredAmong(definitions: readonly string[]): readonly (DeclaredIndex | TextIndex)[] {
  return definitions
    .filter((definition) => definition.startsWith(PREFIX))
    .flatMap((definition) => readDefinition(definition) ?? [])
    .slice(0, DECLARED_MAX);
}

function readDefinition(definition: string): DeclaredIndex | TextIndex | undefined {
  try {
    const stored = JSON.parse(definition.slice(PREFIX.length));
    const { version: _, ...declaration } = stored;
    const index = parseDeclaration(Array.isArray(stored) ? stored : declaration);
    return index.definition === definition ? index : undefined;
  } catch {
    return undefined;
  }
}

/** Stored indexes that another version of the word rules built are rebuilt. */
const TEXT_VERSION = 1;

function parseDeclaration(declaration: unknown): DeclaredIndex | TextIndex {
  if (typeof declaration !== 'object' || declaration === null || Array.isArray(declaration))
    return indexOf(Array.isArray(declaration) ? declaration : [declaration], '');
  const { text, fields, prefix = '', ...others } = declaration as Readonly<Record<string, unknown>>;
  const [other] = Object.keys(others);
  if (other !== undefined) throw refusal(`${other} is not an option of an index`);
  if (typeof prefix !== 'string') throw refusal('the prefix of an index is not a text');
  if (text === undefined) return indexOf(listOf('fields', fields), prefix);
  if (fields !== undefined) throw refusal('an index has both text and fields');
  return textIndexOf(listOf('text', text), prefix);
}

function listOf(name: string, fields: unknown): readonly unknown[] {
  if (!Array.isArray(fields)) throw refusal(`the ${name} of an index is not an array of fields`);
  return fields;
}

function indexOf(texts: readonly unknown[], prefix: string): DeclaredIndex {
  const fields = parseFields(texts);
  const multi = fields.filter(({ isMulti }) => isMulti);
  if (multi.length > 1) throw refusal('an index has more than one field with []');
  const names = fields.map(({ text }) => text);
  return {
    definition: PREFIX + JSON.stringify(prefix === '' ? names : { fields: names, prefix }),
    fields,
    multiAt: multi[0] === undefined ? -1 : fields.indexOf(multi[0]),
    prefix,
  };
}

function textIndexOf(texts: readonly unknown[], prefix: string): TextIndex {
  const fields = parseFields(texts);
  const text = fields.map((path) => path.text);
  const limited = prefix === '' ? {} : { prefix };
  return {
    definition: PREFIX + JSON.stringify({ text, version: TEXT_VERSION, ...limited }),
    isText: true,
    fields,
    prefix,
  };
}

function parseFields(texts: readonly unknown[]): readonly FieldPath[] {
  if (texts.length === 0 || texts.length > FIELDS_MAX)
    throw refusal(`an index has from 1 to ${FIELDS_MAX} fields`);
  const fields = texts.map((text) => {
    const path = typeof text === 'string' ? parsePath(text) : undefined;
    if (path === undefined) throw refusal(`${JSON.stringify(text)} is not a field of an index`);
    return path;
  });
  const names = fields.map(({ text }) => text);
  if (new Set(names).size < names.length) throw refusal('an index has the same field twice');
  return fields;
}

export function runOf(index: DeclaredIndex | TextIndex): IndexRun {
  const fields = [...new Set(index.fields.map(({ root }) => root))];
  const close = () => undefined;
  const { prefix } = index;
  if (isTextIndex(index))
    return {
      ...{ fields, prefix },
      begin: ({ byKey, byId }, read, pace) => textEdits(index.fields, { read, byKey, byId }, pace),
      close,
    };
  const run = async (documents: readonly Doc[]) => documents.flatMap((doc, at) => rowsOf(index, doc, at));
  return { ...mapIndexRun({ fields, run, close }), prefix };
}

function rowsOf({ fields, multiAt }: DeclaredIndex, doc: Doc, at: number): readonly MappedRow[] {
  const keys = fields.map((path) => (path.isMulti ? '' : encodeField(valueAt(path, doc))));
  const multi = fields[multiAt];
  if (multi === undefined) return [{ at, key: keys.join(''), value: null }];
  const entries = new Set(valuesAt(multi, doc).map(encodeField));
  if (entries.size === 0) entries.add(MISSING_KEY);
  return [...entries].map((entry) => ({ at, key: keys.with(multiAt, entry).join(''), value: null }));
}

/** Returns the keys of the fields in a key of the tree, and the position after them. */
export function keysOfFields(
  { fields }: DeclaredIndex,
  treeKey: string,
): { readonly keys: readonly string[]; readonly end: number } {
  let end = 0;
  const keys = fields.map(() => {
    const start = end;
    end = endOfKey(treeKey, start);
    return treeKey.slice(start, end);
  });
  return { keys, end };
}
