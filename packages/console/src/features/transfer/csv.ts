/**
 * Writes CSV as in RFC 4180: comma-separated fields, quoted when they contain a comma, a
 * quote or a line end. An empty cell means that the document lacks the field. A cell that is valid
 * JSON means the JSON value, and any other cell means its text. So a text that is valid JSON, such
 * as 7 or true, is written as a JSON string, with quotes.
 */
import { toPlain } from '../../values/plain-json.ts';

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

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
