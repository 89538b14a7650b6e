/**
 * Reads and writes CSV as in RFC 4180: comma-separated fields, quoted when they contain a comma, a
 * quote or a line end. An empty cell means that the document lacks the field. A cell that is valid
 * JSON means the JSON value, and any other cell means its text. So a text that is valid JSON, such
 * as 7 or true, is written as a JSON string, with quotes.
 */
import { fromPlain, toPlain } from '../../values/plain-json.ts';

type Fields = Readonly<Record<string, unknown>>;

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

export const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`;

const quoted = (cell: string): string => (NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export function cellOf(doc: Fields, field: string): string {
  if (!Object.hasOwn(doc, field)) return '';
  const value = doc[field];
  if (typeof value !== 'string') return JSON.stringify(toPlain(value)) ?? '';
  return value === '' || isJson(value) ? JSON.stringify(value) : value;
}

/**
 * Matches cells that a spreadsheet may run as a formula, because they begin with = + - or @, also
 * in full-width form. Tabs and line ends match because some programs drop them first. Cells with
 * apostrophes before such a character match too, so that removing one apostrophe restores every
 * cell.
 */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
const NEGATIVE_NUMBER = /^-\d+(\.\d+)?(e[+-]?\d+)?$/i;

/**
 * Puts an apostrophe before a cell that a spreadsheet would run. Negative numbers stay unchanged.
 */
export const spreadsheetSafe = (cell: string): string =>
  FORMULA.test(cell) && !NEGATIVE_NUMBER.test(cell) ? `'${cell}` : cell;

/** Whether {@link spreadsheetSafe} may have put an apostrophe before the cell. */
export const hasSafeApostrophe = (cell: string): boolean => cell.startsWith("'") && FORMULA.test(cell);

/** Undoes {@link spreadsheetSafe}. */
export const withoutSafeApostrophe = (cell: string): string =>
  hasSafeApostrophe(cell) ? cell.slice(1) : cell;

/** Returns the document of a line. */
export function docOfCells(fields: readonly string[], cells: readonly string[]): Fields {
  const entries = fields.flatMap((field, at): [string, unknown][] => {
    const cell = cells[at] ?? '';
    return cell === '' ? [] : [[field, field === '_id' ? idOf(cell) : typedCell(cell)]];
  });
  return Object.fromEntries(entries);
}

/** Returns the id in a cell. An id is always text, even if it looks like JSON. */
function idOf(cell: string): string {
  const value = typedCell(cell);
  return typeof value === 'string' ? value : cell;
}

function typedCell(cell: string): unknown {
  try {
    return fromPlain(JSON.parse(cell));
  } catch {
    return cell;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export interface CsvReader {
  /** Returns the lines that this text completes. */
  push(text: string): string[][];
  /** Returns the last line, if it has no line end. */
  end(): string[][];
}

/** Reads CSV in pieces. Line ends within quotes belong to the cell. */
export function csvReader(): CsvReader {
  let line: string[] = [];
  let cell = '';
  let isQuoted = false;
  let wasQuote = false;
  let isFirst = true;

  const endCell = () => {
    line.push(cell);
    cell = '';
  };
  const endLine = (lines: string[][]) => {
    endCell();
    if (line.length > 1 || line[0] !== '') lines.push(line);
    line = [];
  };
  const take = (char: string, lines: string[][]) => {
    if (isQuoted) {
      if (wasQuote) {
        wasQuote = false;
        if (char === '"') cell += char;
        else {
          isQuoted = false;
          take(char, lines);
        }
      } else if (char === '"') wasQuote = true;
      else cell += char;
    } else if (char === '"' && cell === '') isQuoted = true;
    else if (char === ',') endCell();
    else if (char === '\n') endLine(lines);
    else if (char !== '\r') cell += char;
  };
  return {
    push: (text) => {
      const lines: string[][] = [];
      const piece = isFirst ? text.replace(/^\uFEFF/, '') : text;
      isFirst = false;
      for (const char of piece) take(char, lines);
      return lines;
    },
    end: () => {
      const lines: string[][] = [];
      if (cell !== '' || line.length > 0 || isQuoted) endLine(lines);
      return lines;
    },
  };
}
