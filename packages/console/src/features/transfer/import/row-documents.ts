/** Turns rows of a file into documents: their id, their attached files, and the chosen fixes. */
import { objectIn } from './column-types.ts';
import {
  asciiId,
  type Choices,
  type Fields,
  type ImportRow,
  idFault,
  type Path,
  type Problem,
  wellFormedText,
} from './problems.ts';

const FILE_FIELDS = ['_files', '_publicFiles'];

type FieldsOf = Readonly<Record<string, unknown>>;
const isMap = (value: unknown): value is FieldsOf =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
const fieldOf = (doc: Fields, field: string): unknown => (Object.hasOwn(doc, field) ? doc[field] : undefined);
/** Builds from entries, so that a field named `__proto__` is an ordinary one. */
const without = (doc: Fields, field: string): Fields =>
  Object.fromEntries(Object.entries(doc).filter(([name]) => name !== field));
const withField = (doc: Fields, field: string, value: unknown): Fields =>
  Object.fromEntries([...Object.entries(doc).filter(([name]) => name !== field), [field, value]]);

/**
 * Returns the row with its id under `_id`, and finds what the database would reject or misread.
 * @param idField the field that becomes the id; null for new ids
 */
export function identified(row: ImportRow, idField: string | null): ImportRow {
  if (row.doc === undefined) return row;
  const problems = [...row.problems];
  let doc = withId(row.doc, idField);
  if (Object.hasOwn(doc, '_id')) {
    const why = idFault(doc['_id']);
    if (why !== undefined)
      problems.push({ kind: 'id', path: [idField ?? '_id'], text: shownValue(doc['_id']), why });
  }
  if (fieldOf(doc, '_deleted') === true) problems.push({ kind: 'deleted', path: ['_deleted'] });
  for (const field of FILE_FIELDS) {
    const files = fieldOf(doc, field);
    if (!isMap(files)) continue;
    const read = Object.entries(files).map(([name, file]) => [name, contentOf(file)] as const);
    const missing = read.filter(([, file]) => file === undefined).map(([name]) => name);
    if (missing.length > 0) problems.push({ kind: 'file', path: [field], text: missing.join(', ') });
    doc = withField(doc, field, Object.fromEntries(read));
  }
  return { ...row, doc, problems };
}

function withId(doc: Fields, idField: string | null): Fields {
  if (idField === '_id') return doc;
  const bare = Object.hasOwn(doc, '_id') ? without(doc, '_id') : doc;
  const id = idField === null ? undefined : fieldOf(bare, idField);
  if (idField === null || id === undefined) return bare;
  const rest = Object.entries(without(bare, idField));
  return Object.fromEntries([['_id', typeof id === 'number' ? String(id) : id], ...rest]);
}

/** Returns the file of an entry that `fixpoint export` wrote; undefined without content. */
function contentOf(entry: unknown): object | undefined {
  if (!isMap(entry) || typeof entry['base64'] !== 'string') return undefined;
  const { type, lastModified } = entry;
  try {
    const bytes = Uint8Array.from(atob(entry['base64']), (char) => char.charCodeAt(0));
    return {
      bytes,
      ...(typeof type === 'string' && { type }),
      ...(typeof lastModified === 'number' && { lastModified }),
    };
  } catch {
    return undefined;
  }
}

/** Returns the document with all chosen fixes; undefined if the row isn't a document. */
export function fixedDocument({ doc, problems }: ImportRow, chosen: Choices): Fields | undefined {
  if (doc === undefined) return undefined;
  let fixed = doc;
  for (const problem of problems) fixed = withFix(fixed, problem, chosen);
  return fixed;
}

function withFix(doc: Fields, problem: Problem, chosen: Choices): Fields {
  const { kind, path = [], text = '' } = problem;
  const choice = chosen[kind];
  switch (kind) {
    case 'id': {
      const id = choice === 'ascii' ? asciiId(doc['_id']) : undefined;
      return id === undefined ? without(doc, '_id') : withField(doc, '_id', id);
    }
    case 'zero':
      return changedAt(doc, path, () => (choice === 'zero' ? 0 : text)) as Fields;
    case 'long':
      return changedAt(doc, path, () => text) as Fields;
    case 'depth':
      return changedAt(doc, path, (value) => JSON.stringify(value)) as Fields;
    case 'half':
      return wellFormed(doc) as Fields;
    case 'json':
      return choice === 'object' ? (changedAt(doc, path, () => objectIn(text)) as Fields) : doc;
    case 'cell':
      return choice === 'empty' ? without(doc, String(path[0])) : doc;
    case 'deleted':
      return without(doc, '_deleted');
    case 'file': {
      const field = String(path[0]);
      const kept = Object.entries(doc[field] as FieldsOf).filter(([, file]) => file !== undefined);
      return kept.length === 0 ? without(doc, field) : withField(doc, field, Object.fromEntries(kept));
    }
    default:
      return doc;
  }
}

/** Returns a copy in which the value at a path is changed. A missing value stays missing. */
function changedAt(value: unknown, path: Path, change: (value: unknown) => unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return change(value);
  if (Array.isArray(value))
    return value.map((part: unknown, at) => (at === first ? changedAt(part, rest, change) : part));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      name === first ? changedAt(part, rest, change) : part,
    ]),
  );
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return wellFormedText(value);
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [wellFormedText(name), wellFormed(part)]),
  );
}

/** Returns a value as short text for a list of problems. */
export function shownValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}
