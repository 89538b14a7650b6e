/** Reads a file as rows: JSON, NDJSON, CSV and TSV, by what people chose for it. */
import { hasSafeApostrophe, withoutSafeApostrophe } from '../csv.ts';
import { type CellCounts, type ColumnType, countCell, noCells, readCell, typeOf } from './column-types.ts';
import { type CsvRow, CsvRows, type Dialect, dialectOf, fieldNames } from './csv-rows.ts';
import { type ItemsIn, type JsonItem, JsonItems } from './json-items.ts';
import { readValue } from './json-value.ts';
import type { Fields, ImportRow, Problem } from './problems.ts';
import { type Encoding, type Head, pauses, readHead, textOf } from './read-text.ts';

export interface JsonFacts {
  readonly kind: 'json';
  readonly itemsIn: ItemsIn;
  /**
   * Lists, and objects that contain only objects, in fields of the outermost object. Their items
   * could also be the rows.
   */
  readonly lists: readonly { readonly field: string; readonly items: number; readonly isMap?: true }[];
}

export interface CsvFacts extends Dialect {
  readonly kind: 'csv';
  readonly fields: readonly string[];
  readonly types: readonly ColumnType[];
  /** Cells with an apostrophe like those that an export safe for spreadsheets adds. */
  readonly safeCells: number;
}

/** How a file is read. */
export type FileFacts = { readonly encoding: Encoding } & (
  | JsonFacts
  | { readonly kind: 'ndjson' }
  | CsvFacts
);

/** The choices that people made for a file. Everything else is detected. */
export interface FileChoices extends Partial<Dialect> {
  readonly encoding?: Encoding;
  readonly itemsIn?: ItemsIn;
  readonly types?: ReadonlyMap<string, ColumnType>;
  /** Whether to keep apostrophes before cells that a spreadsheet would run. */
  readonly keepsApostrophes?: boolean;
  /** The field that becomes the id; null for new ids. */
  readonly idField?: string | null;
}

export interface Reading {
  readonly signal: AbortSignal;
  /** Called with the bytes of the file that were read. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * Detects the format of a file. JSON objects and CSV files are read to the end, because the types
 * of columns depend on all cells.
 * @throws the reason of the signal
 */
export async function inspectFile(file: File, chosen: FileChoices, reading: Reading): Promise<FileFacts> {
  const head = await readHead(file, chosen.encoding);
  const { encoding } = head;
  const kind = kindOf(file.name, head);
  if (kind === 'ndjson') return { kind, encoding };
  if (kind === 'json') return { encoding, ...(await inspectJson(file, head, chosen, reading)) };
  const dialect = dialectOf(head, { ...(/\.(tsv|tab)$/i.test(file.name) && { delimiter: '\t' }), ...chosen });
  return { encoding, ...(await inspectCsv(file, encoding, { dialect, chosen, reading })) };
}

function kindOf(name: string, { text }: Head): 'json' | 'ndjson' | 'csv' {
  const end = /\.([a-z\d]+)$/i.exec(name)?.[1]?.toLowerCase();
  if (end === 'ndjson' || end === 'jsonl') return 'ndjson';
  if (end === 'csv' || end === 'tsv' || end === 'tab') return 'csv';
  return end === 'json' || /^\s*[{[]/.test(text) ? 'json' : 'csv';
}

async function inspectJson(
  file: File,
  { text, encoding }: Head,
  { itemsIn }: FileChoices,
  { signal, onBytes }: Reading,
): Promise<JsonFacts | { readonly kind: 'ndjson' }> {
  if (/^\s*\[/.test(text)) return { kind: 'json', itemsIn: 'list', lists: [] };
  const outline = new JsonItems({ field: '' });
  const pause = pauses();
  for await (const piece of textOf(file, encoding, signal)) {
    outline.push(piece.text);
    onBytes?.(piece.bytes);
    await pause();
  }
  // Files with one value per line are often named .json, too.
  if (outline.isSequence) return { kind: 'ndjson' };
  const lists = outline.lists.filter(({ hasObjects }) => hasObjects);
  const [only] = outline.lists.length === 1 ? lists : [];
  const maps = outline.maps.filter(({ items, objects }) => items > 0 && objects === items);
  return {
    kind: 'json',
    itemsIn: itemsIn ?? (only === undefined ? 'whole' : { field: only.field }),
    // People choose an object, because it may as well be a field of one document.
    lists: [...lists, ...maps.map(({ field, items }) => ({ field, items, isMap: true as const }))],
  };
}

async function inspectCsv(
  file: File,
  encoding: Encoding,
  { dialect, chosen, reading }: { dialect: Dialect; chosen: FileChoices; reading: Reading },
): Promise<CsvFacts> {
  let fields: readonly string[] | undefined;
  const counts: CellCounts[] = [];
  let safeCells = 0;
  for await (const rows of csvRowsOf(file, encoding, dialect, reading)) {
    for (const { cells } of rows) {
      safeCells += cells.filter(hasSafeApostrophe).length;
      const read = chosen.keepsApostrophes ? cells : cells.map(withoutSafeApostrophe);
      if (fields === undefined) {
        fields = fieldNames(read, dialect);
        if (dialect.hasHeader) continue;
      }
      for (let at = 0; at < fields.length; at += 1) {
        const count = counts[at] ?? noCells();
        counts[at] = count;
        countCell(count, read[at] ?? '');
      }
    }
  }
  fields ??= [];
  const types = fields.map((field, at): ColumnType => {
    const found = typeOf(counts[at] ?? noCells(), dialect);
    return chosen.types?.get(field) ?? found;
  });
  return { kind: 'csv', ...dialect, fields, types, safeCells };
}

async function* csvRowsOf(
  file: File,
  encoding: Encoding,
  dialect: Dialect,
  { signal, onBytes }: Reading,
): AsyncGenerator<readonly CsvRow[], void> {
  const rows = new CsvRows(dialect);
  const pause = pauses();
  for await (const { text, bytes } of textOf(file, encoding, signal)) {
    yield rows.push(text);
    onBytes?.(bytes);
    await pause();
  }
  yield rows.end();
}

/** Yields the rows of a file in its order. @throws the reason of the signal */
export async function* rowsOf(
  file: File,
  facts: FileFacts,
  chosen: FileChoices,
  reading: Reading,
): AsyncGenerator<readonly ImportRow[], void> {
  let at = 0;
  const number = <R extends Omit<ImportRow, 'at'>>(row: R): R & ImportRow => ({ ...row, at: at++ });
  if (facts.kind === 'csv') {
    let isFirst = facts.hasHeader;
    for await (const rows of csvRowsOf(file, facts.encoding, facts, reading)) {
      const read = isFirst ? rows.slice(1) : rows;
      if (rows.length > 0) isFirst = false;
      yield read.map((row) => number(csvDocument(row, facts, chosen)));
    }
  } else
    for await (const items of jsonItemsOf(file, facts, reading))
      yield items.map((item) => number('problem' in item ? faultyRow(item.problem) : jsonDocument(item)));
}

type Faulty = { readonly problem: Problem };

const faultyRow = (problem: Problem): Omit<ImportRow, 'at'> => ({
  line: problem.line ?? 1,
  doc: undefined,
  problems: [problem],
});

async function* jsonItemsOf(
  file: File,
  facts: Exclude<FileFacts, CsvFacts>,
  { signal, onBytes }: Reading,
): AsyncGenerator<readonly (JsonItem | Faulty)[], void> {
  const items = facts.kind === 'json' ? new JsonItems(facts.itemsIn) : new Lines();
  let told = 0;
  const faults = () => {
    const fresh = items.faults.slice(told);
    told = items.faults.length;
    return fresh.map((fault): Faulty => ({ problem: { kind: 'syntax', ...fault } }));
  };
  const pause = pauses();
  for await (const { text, bytes } of textOf(file, facts.encoding, signal)) {
    yield [...items.push(text), ...faults()];
    onBytes?.(bytes);
    await pause();
  }
  yield [...items.end(), ...faults()];
}

/** Splits NDJSON. A line that isn't valid JSON leaves the others readable. */
class Lines {
  readonly faults: readonly never[] = [];
  #before = '';
  #line = 0;

  push(text: string): JsonItem[] {
    const lines = (this.#before + text).split('\n');
    this.#before = lines.pop() ?? '';
    return lines.flatMap((line) => this.#item(line));
  }

  end(): JsonItem[] {
    return this.#item(this.#before);
  }

  #item(text: string): JsonItem[] {
    this.#line += 1;
    return text.trim() === '' ? [] : [{ text, line: this.#line, column: 1 }];
  }
}

function jsonDocument(item: JsonItem): Omit<ImportRow, 'at'> {
  const { value, problems } = readValue(item);
  const { line, column, text, key } = item;
  const isDocument =
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
  const found = text.includes('\uFFFD') ? [...problems, UNREADABLE] : problems;
  if (isDocument) return { line, doc: named(value as Fields, key), problems: found };
  const shape: Problem = { kind: 'shape', line, column, text: text.slice(0, 40) };
  return { line, doc: undefined, problems: problems.length > 0 ? problems : [shape] };
}

/** The name of an item becomes its id, unless it has one. */
const named = (doc: Fields, key: string | undefined): Fields =>
  key === undefined || Object.hasOwn(doc, '_id')
    ? doc
    : Object.fromEntries([['_id', key], ...Object.entries(doc)]);

const UNREADABLE: Problem = { kind: 'unreadable' };

function csvDocument(row: CsvRow, facts: CsvFacts, chosen: FileChoices): Omit<ImportRow, 'at'> {
  const { line, cells, isTorn } = row;
  const { fields, types } = facts;
  const problems: Problem[] = isTorn ? [{ kind: 'quote' }] : [];
  const idField = chosen.idField === undefined ? '_id' : chosen.idField;
  const entries: [string, unknown][] = [];
  for (let at = 0; at < cells.length; at += 1) {
    const raw = cells[at] ?? '';
    const cell = chosen.keepsApostrophes ? raw : withoutSafeApostrophe(raw);
    if (cell === '') continue;
    const field = fields[at] ?? `column${at + 1}`;
    if (cell.includes('\uFFFD')) problems.push({ ...UNREADABLE, path: [field] });
    const type = types[at] ?? 'text';
    if (field === idField) {
      const { value } = readCell(cell, type === 'exported' ? type : 'date');
      // A text of its own. A part of the file's text would keep all of that text in memory.
      entries.push([field, JSON.parse(JSON.stringify(typeof value === 'string' ? value : cell))]);
      continue;
    }
    const { value, problem } = readCell(cell, type);
    entries.push([field, value]);
    if (problem !== undefined) problems.push({ ...problem, path: [field] });
  }
  // Some programs write a delimiter behind the last cell, too.
  const isLonger = cells.slice(fields.length).some((cell) => cell !== '');
  if (isLonger || cells.length < fields.length) problems.push(columnsProblem(cells.length, fields.length));
  return { line, doc: Object.fromEntries(entries), problems };
}

function columnsProblem(found: number, expected: number): Problem {
  const text = `${found} ${found === 1 ? 'cell' : 'cells'} instead of ${expected}`;
  const why =
    found < expected
      ? 'If you keep the row, its last fields are absent.'
      : `If you keep the row, more cells become fields such as column${expected + 1}.`;
  return { kind: 'columns', text, why };
}
