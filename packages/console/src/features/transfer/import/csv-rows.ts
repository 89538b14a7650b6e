/** Reads CSV and TSV: detects their dialect, and splits them into rows of cells piece by piece. */
import Papa from 'papaparse';
import type { Head } from './read-text.ts';

export interface Dialect {
  readonly delimiter: string;
  readonly newline: '\n' | '\r\n' | '\r';
  /** Whether a quote at the start of a cell quotes the cell. Some TSV files have plain quotes. */
  readonly hasQuotes: boolean;
  readonly hasHeader: boolean;
  /** Whether the file looks like this product's own export, in which cells contain JSON. */
  readonly isExported: boolean;
}

export const DELIMITERS: readonly (readonly [delimiter: string, label: string])[] = [
  [',', 'Comma'],
  [';', 'Semicolon'],
  ['\t', 'Tab'],
  ['|', 'Vertical bar'],
];

/** A dialect from which an own export is recognised: RFC 4180 in UTF-8 without a mark. */
const OWN = { delimiter: ',', newline: '\r\n', firstField: '_id' } as const;

/** Detects how a file separates its cells and rows. Parts of `known` aren't detected. */
export function dialectOf({ text, encoding }: Head, known: Partial<Dialect>): Dialect {
  const newline = known.newline ?? newlineOf(text);
  const delimiter = known.delimiter ?? delimiterOf(text, newline);
  const hasQuotes = known.hasQuotes ?? (delimiter !== '\t' || areQuotesPaired(text, newline));
  const first = csvParser({ delimiter, newline, hasQuotes }).parse(text, 0, false).data[0] ?? [];
  const hasHeader = known.hasHeader ?? isHeader(first);
  const isExported =
    known.isExported ??
    (hasHeader &&
      encoding === 'utf-8' &&
      delimiter === OWN.delimiter &&
      newline === OWN.newline &&
      first[0] === OWN.firstField);
  return { delimiter, newline, hasQuotes, hasHeader, isExported };
}

/** Ignores line ends in quoted cells, of which the last one may not be complete. */
function newlineOf(text: string): Dialect['newline'] {
  const [outside = ''] = text.replace(/"[^"]*"/g, '').split('"');
  const ends = outside.match(/\r\n|\r|\n/g) ?? [];
  const count = (end: string) => ends.filter((one) => one === end).length;
  if (count('\r\n') > 0 && count('\n') === 0) return '\r\n';
  return count('\n') > 0 || count('\r\n') > 0 || ends.length === 0 ? '\n' : '\r';
}

const DETECTED_CHARS = 64 * 1024;

const DETECTED_ROWS = 50;

function delimiterOf(text: string, newline: string): string {
  if (text.startsWith(`${OWN.firstField}${OWN.delimiter}`)) return OWN.delimiter;
  // The same number of tabs in each line means TSV, whatever its quotes mean.
  const lines = text.slice(0, DETECTED_CHARS).split(newline).slice(0, DETECTED_ROWS);
  const tabs = lines.filter((line, at) => line !== '' && (at === 0 || at < lines.length - 1)).map(tabsIn);
  if ((tabs[0] ?? 0) > 0 && tabs.every((count) => count === tabs[0])) return '\t';
  const { meta } = Papa.parse<string[]>(text.slice(0, DETECTED_CHARS), {
    newline: newline as '\n',
    preview: DETECTED_ROWS,
    skipEmptyLines: true,
    delimitersToGuess: DELIMITERS.map(([delimiter]) => delimiter),
  });
  return meta.delimiter;
}

const tabsIn = (line: string): number => line.split('\t').length - 1;

/** Returns whether each cell that begins with a quote also ends with one in its line. */
const areQuotesPaired = (text: string, newline: string): boolean =>
  text
    .split(newline)
    .slice(0, -1)
    .every((line) =>
      line.split('\t').every((cell) => !cell.startsWith('"') || (cell.length > 1 && cell.endsWith('"'))),
    );

/** The first row names the fields if its cells are all different, and none is empty or a value. */
function isHeader(cells: readonly string[]): boolean {
  if (cells[0] === OWN.firstField) return true;
  if (cells.length === 0 || new Set(cells).size !== cells.length) return false;
  return cells.every((cell) => cell.trim() !== '' && !/^(?:-?[\d.]|true$|false$|[{[])/i.test(cell.trim()));
}

function csvParser({ delimiter, newline, hasQuotes }: Pick<Dialect, 'delimiter' | 'newline' | 'hasQuotes'>) {
  // In its fast mode, the parser reads quotes as any other character.
  return new Papa.Parser({ delimiter, newline, ...(!hasQuotes && { fastMode: true }) }) as unknown as {
    parse(
      text: string,
      base: number,
      ignoresLast: boolean,
    ): {
      readonly data: string[][];
      readonly errors: readonly { readonly row?: number }[];
      readonly meta: { readonly cursor: number };
    };
  };
}

export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
  /** Whether a quote of this row has no partner. */
  readonly isTorn: boolean;
}

/** Splits text that arrives in pieces. Skips empty lines, and lines whose cells are all empty. */
export class CsvRows {
  readonly #dialect: Dialect;
  #rest = '';
  #line = 1;
  /** Text that must arrive before a long cell is read again, so that it isn't read too often. */
  #due = 0;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** Returns the rows that this text completes. */
  push(text: string): CsvRow[] {
    this.#rest += text;
    if (this.#rest.length < this.#due) return [];
    const { data, errors, meta } = csvParser(this.#dialect).parse(this.#rest, 0, true);
    this.#rest = this.#rest.slice(meta.cursor);
    this.#due = this.#rest.length * 2;
    return this.#rows(data, errors);
  }

  /** Returns the last rows. */
  end(): CsvRow[] {
    if (this.#rest === '') return [];
    const { data, errors } = csvParser(this.#dialect).parse(this.#rest, 0, false);
    this.#rest = '';
    return this.#rows(data, errors);
  }

  #rows(data: readonly string[][], errors: readonly { readonly row?: number }[]): CsvRow[] {
    const torn = new Set(errors.map(({ row }) => row));
    const rows: CsvRow[] = [];
    for (const [at, cells] of data.entries()) {
      const line = this.#line;
      this.#line += 1;
      for (const cell of cells) this.#line += lineEnds(cell);
      // A file with two kinds of line ends is split at the shorter one.
      const last = cells.length - 1;
      if (this.#dialect.newline === '\n') cells[last] = (cells[last] ?? '').replace(/\r$/, '');
      if (cells.some((cell) => cell !== '')) rows.push({ line, cells, isTorn: torn.has(at) });
    }
    return rows;
  }
}

function lineEnds(cell: string): number {
  let count = 0;
  for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Returns names for all columns: unique, and `column3` where the file has no name. */
export function fieldNames(first: readonly string[], { hasHeader, isExported }: Dialect): readonly string[] {
  // Fields of documents can have any name, also an empty one.
  if (isExported) return first;
  const used = new Set<string>();
  return first.map((cell, at) => {
    const wanted = hasHeader && cell.trim() !== '' ? cell : `column${at + 1}`;
    let name = wanted;
    for (let more = 2; used.has(name); more += 1) name = `${wanted}_${more}`;
    used.add(name);
    return name;
  });
}
