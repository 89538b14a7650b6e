/** Lists the possible problems of a row of a file, and the choices that people have for each. */
import { LIMITS } from '@fixpoint/protocol';
import type { Place } from './json-items.ts';

export type Fields = Readonly<Record<string, unknown>>;
export type Path = readonly (string | number)[];

/** In the order of the list that people see. `twice` and `exists` depend on other documents. */
export const KINDS = [
  'syntax',
  'shape',
  'id',
  'twice',
  'again',
  'long',
  'zero',
  'depth',
  'half',
  'columns',
  'cell',
  'json',
  'quote',
  'unreadable',
  'deleted',
  'file',
  'exists',
] as const;
export type Kind = (typeof KINDS)[number];

export interface Problem extends Partial<Place> {
  readonly kind: Kind;
  /** The field, or the path to a nested field; absent for the whole row. */
  readonly path?: Path;
  /** The value as the file has it. */
  readonly text?: string;
  /** Why, if the kind of the problem doesn't say it. */
  readonly why?: string;
}

export interface ImportRow {
  /** Position among the rows of the file, from 0. */
  readonly at: number;
  readonly line: number;
  /** The document before any fix; undefined if the row isn't one. */
  readonly doc: Fields | undefined;
  readonly problems: readonly Problem[];
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

interface KindTexts {
  readonly title: string;
  /** Follows the value and the field of an example. */
  readonly note: string;
  /** The suggestion is the first choice. Without `skip`, a row is never skipped for this reason. */
  readonly choices: readonly Choice[];
}

export const SKIP = 'skip';
const skip: Choice = { value: SKIP, label: 'Skip' };
const choices = (...pairs: readonly (readonly [value: string, label: string])[]): readonly Choice[] => [
  ...pairs.map(([value, label]) => ({ value, label })),
  skip,
];

/** Document ids of the engine's own first document, which no document can have. */
const RESERVED = 'baembeiarootfireproofgenesisblockaaaafireproofgenesisblocka';

export const TEXTS: Readonly<Record<Kind, KindTexts>> = {
  syntax: { title: 'Not valid JSON', note: '', choices: [skip] },
  shape: { title: 'Not a document', note: 'A document is a JSON object.', choices: [skip] },
  id: {
    title: 'Id is not valid',
    note: `Ids are printable ASCII characters, at most ${LIMITS.docKeyBytesMax.toLocaleString('en')}.`,
    choices: choices(['ascii', 'Convert to ASCII'], ['new', 'New id']),
  },
  twice: {
    title: 'Same id twice',
    note: 'Only one of these documents can have this id.',
    choices: [
      { value: 'first', label: 'Keep first' },
      { value: 'last', label: 'Keep last' },
      { value: 'new', label: 'New ids' },
    ],
  },
  again: {
    title: 'Same field twice',
    note: 'A document can keep only one of these values.',
    choices: choices(['last', 'Keep last']),
  },
  long: {
    title: 'Number too large',
    note: 'Numbers lose digits above 2⁵³.',
    choices: choices(['text', 'Keep as text']),
  },
  zero: {
    title: 'Negative zero',
    note: 'It would be stored as 0.',
    choices: choices(['zero', 'Use 0'], ['text', 'Text']),
  },
  depth: {
    title: 'Nested too deep',
    note: 'Documents have at most 200 levels.',
    choices: choices(['text', 'Keep as JSON text']),
  },
  half: {
    title: 'Half a character',
    note: 'This text contains half of a character that has two parts.',
    choices: choices(['replace', 'Replace with �']),
  },
  columns: {
    title: 'Wrong number of cells',
    note: '',
    choices: choices(['fit', 'Keep']),
  },
  cell: {
    title: 'Another type than its column',
    note: '',
    choices: choices(['text', 'Keep as text'], ['empty', 'Leave empty']),
  },
  json: {
    title: 'JSON inside a cell',
    note: '',
    choices: choices(['object', 'Read as object'], ['text', 'Text']),
  },
  quote: {
    title: 'Quotes don’t match',
    note: 'Check that the cells of this row are complete.',
    choices: choices(['keep', 'Keep as read']),
  },
  unreadable: {
    title: 'Unreadable characters',
    note: 'The file may have another encoding.',
    choices: choices(['keep', 'Keep as �']),
  },
  deleted: {
    title: 'Marked as deleted',
    note: 'A document with “_deleted” would delete the one with its id.',
    choices: [skip, { value: 'keep', label: 'Remove the mark' }],
  },
  file: {
    title: 'Files without content',
    note: 'The export contains the names of these files, but not their content.',
    choices: choices(['without', 'Import without files']),
  },
  exists: {
    title: 'Already in the database',
    note: '',
    choices: [
      { value: 'keep', label: 'Keep mine' },
      { value: 'replace', label: 'Replace' },
      { value: 'new', label: 'Add with new ids' },
    ],
  },
};

export type Choices = Readonly<Record<Kind, string>>;

const choicesOf = (value: (texts: KindTexts) => Choice | undefined): Choices =>
  Object.fromEntries(KINDS.map((kind) => [kind, value(TEXTS[kind])?.value ?? SKIP])) as Record<Kind, string>;

/** The suggestion for each kind of problem. */
export const SUGGESTED: Choices = choicesOf((texts) => texts.choices[0]);
const canSkip = ({ choices: all }: KindTexts) => all.find(({ value }) => value === SKIP);
/** Skips all rows with problems; of documents with the same id, keeps the first. */
export const SKIPPED: Choices = choicesOf((texts) => canSkip(texts) ?? texts.choices[0]);
/** Fixes all rows that can be fixed. */
export const FIXED: Choices = choicesOf(
  (texts) => texts.choices.find(({ value }) => value !== SKIP) ?? texts.choices[0],
);

/** Returns the fault of an id; undefined for a valid id. */
export function idFault(id: unknown): string | undefined {
  if (typeof id !== 'string') return 'An id must be text.';
  if (id === '') return 'An id has at least one character.';
  if (!/^[\x20-\x7E]*$/.test(id)) return 'Ids use printable ASCII: letters without accents, digits, symbols.';
  if (id.length > LIMITS.docKeyBytesMax)
    return `An id has at most ${LIMITS.docKeyBytesMax.toLocaleString('en')} characters.`;
  return id === RESERVED ? 'Fixpoint uses this id itself.' : undefined;
}

const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  Æ: 'AE',
  æ: 'ae',
  Œ: 'OE',
  œ: 'oe',
  Ø: 'O',
  ø: 'o',
  Đ: 'D',
  đ: 'd',
  Ł: 'L',
  ł: 'l',
  Þ: 'Th',
  þ: 'th',
  ð: 'd',
  ı: 'i',
};

/**
 * Returns a valid id for an invalid one: letters lose their accents, and other characters are
 * encoded as in URLs. Returns undefined if only a new id would do.
 */
export function asciiId(id: unknown): string | undefined {
  if (typeof id === 'number' || typeof id === 'boolean') return String(id);
  // Exports of MongoDB write ids as {"$oid": "..."}.
  if (typeof id === 'object' && id !== null && Object.hasOwn(id, '$oid'))
    return asciiId((id as { $oid: unknown }).$oid);
  if (typeof id !== 'string') return undefined;
  const bare = id.normalize('NFKD').replace(/\p{M}/gu, '');
  const ascii = bare.replace(/[^\x20-\x7E]/gu, (char) => LETTERS[char] ?? encoded(char));
  return idFault(ascii) === undefined ? ascii : undefined;
}

const encoded = (char: string): string => encodeURIComponent(wellFormedText(char));

/** Half of a surrogate pair without the other half, which has no form in UTF-8. */
const HALF = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
/** Replaces halves of characters, which the database would reject. */
export const wellFormedText = (text: string): string => text.replace(HALF, '\uFFFD');

/** One bit for each kind of problem of a row. */
export type Mask = number;
const BITS = new Map<Kind, Mask>(KINDS.map((kind, at) => [kind, 1 << at]));
/** Whether a later row has the same id. For `twice`, an earlier row has it. */
export const BEFORE_ANOTHER: Mask = 1 << KINDS.length;
export const bitOf = (kind: Kind): Mask => BITS.get(kind) ?? 0;
export const maskOf = (problems: readonly { readonly kind: Kind }[]): Mask =>
  problems.reduce((mask, { kind }) => mask | bitOf(kind), 0);

export type Fate = 'added' | 'replaced' | 'kept' | 'skipped';

/** Returns whether a row with these problems isn't imported. */
export const isSkipped = (mask: Mask, chosen: Choices): boolean =>
  mask !== 0 && KINDS.some((kind) => chosen[kind] === SKIP && (mask & bitOf(kind)) !== 0);

/**
 * Returns what happens to a row with these problems.
 * @param isOther whether another row of the files keeps the id of this one
 */
export function fateOf(mask: Mask, chosen: Choices, isOther = false): Fate {
  if (isSkipped(mask, chosen)) return 'skipped';
  if (isOther) return chosen.twice === 'new' ? 'added' : 'skipped';
  const has = (kind: Kind) => (mask & bitOf(kind)) !== 0;
  if (!has('exists') || chosen.exists === 'new' || (has('id') && chosen.id === 'new')) return 'added';
  return chosen.exists === 'replace' ? 'replaced' : 'kept';
}
