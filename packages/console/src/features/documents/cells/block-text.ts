/**
 * Reads and writes blocks of cells as text. Spreadsheets exchange cells as tab-separated values: a
 * cell that contains a tab, a line end or a quote is in quotes, and quotes in it are doubled.
 */
import { toPlain } from '../../../values/plain-json.ts';

/** Values by row and column; undefined where the document doesn't have the field. */
export type Values = readonly (readonly unknown[])[];

export type CopyFormat = 'tsv' | 'json' | 'markdown';

export const COPY_FORMATS: Readonly<Record<CopyFormat, string>> = {
  tsv: 'TSV',
  json: 'JSON',
  markdown: 'Markdown',
};

const NEEDS_QUOTES = /[\t\r\n"]/;

/** Returns a value as the text of one cell. Numbers have no thousands separators. */
function cellAsText(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'string' ? value : (JSON.stringify(toPlain(value)) ?? '');
}

const quoted = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export const asTsv = (values: Values): string =>
  values.map((row) => row.map((value) => quoted(cellAsText(value))).join('\t')).join('\n');

/** Returns a table in Markdown, whose first line contains the names of the columns. */
export function asMarkdown(columns: readonly string[], values: Values): string {
  const line = (cells: readonly string[]) => `| ${cells.map(inMarkdown).join(' | ')} |`;
  return [
    line(columns),
    line(columns.map(() => '---')),
    ...values.map((row) => line(row.map(cellAsText))),
  ].join('\n');
}

/** A cell of a table is one line, and a bar would end it. */
const inMarkdown = (text: string): string =>
  text
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .replaceAll(/\r?\n|\r/g, '<br>');

/** Returns a list of objects, in which missing fields are absent. */
export const asJson = (columns: readonly string[], values: Values): string =>
  JSON.stringify(
    values.map((row) =>
      Object.fromEntries(
        columns.flatMap((column, at): [string, unknown][] =>
          row[at] === undefined ? [] : [[column, toPlain(row[at])]],
        ),
      ),
    ),
    undefined,
    2,
  );

/** Returns the cells of tab-separated text. Ignores line ends at the end. */
export function readTsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at <= text.length) {
    const [cell, end] =
      text[at] === '"' ? (quotedCell(text, at) ?? plainCell(text, at)) : plainCell(text, at);
    row.push(cell);
    if (text[end] !== '\t') {
      rows.push(row);
      row = [];
    }
    at = end + (text.startsWith('\r\n', end) ? 2 : 1);
  }
  while (rows.length > 1 && rows.at(-1)?.join('') === '' && rows.at(-1)?.length === 1) rows.pop();
  return rows;
}

type CellEnd = readonly [cell: string, end: number];

function plainCell(text: string, from: number): CellEnd {
  let end = from;
  while (end < text.length && !'\t\r\n'.includes(text.charAt(end))) end += 1;
  return [text.slice(from, end), end];
}

/** Returns undefined for a quote that doesn't enclose the whole cell. */
function quotedCell(text: string, from: number): CellEnd | undefined {
  let cell = '';
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] !== '"') cell += text[at];
    else if (text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else {
      const isEnd = at + 1 === text.length || '\t\r\n'.includes(text.charAt(at + 1));
      return isEnd ? [cell, at + 1] : undefined;
    }
  }
  return undefined;
}
