/** Finds the type of each CSV column from all of its cells, and reads cells by it. */
import { fromPlain } from '../../../values/plain-json.ts';
import type { Dialect } from './csv-rows.ts';
import { isDeeper, LEVELS_MAX, numberFault } from './json-value.ts';
import type { Problem } from './problems.ts';

/**
 * The types of columns. A `comma` is a number with a decimal comma. People must choose this type if
 * each number with a comma may also be a thousand, as `1,234`. A `date` stays text. In an
 * `exported` column, each cell that is JSON is a value, and any other cell is text, as in this
 * product's own export.
 */
export type ColumnType = 'text' | 'number' | 'comma' | 'boolean' | 'date' | 'json' | 'exported';

export const COLUMN_TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  number: 'number',
  comma: 'number with comma',
  boolean: 'boolean',
  date: 'date, as text',
  json: 'JSON',
  exported: 'mixed, as exported',
};

/** Numbers without leading zeros, which codes have and numbers lose. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Dots may group the digits before the comma. */
const COMMA = /^-?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$/;
/** Digits after a comma that can't be thousands. */
const FRACTION = /,(?!\d{3}$)/;
const CODE = /^-?0\d/;
const BOOLEAN = /^(?:true|false)$/i;
/** Only these are booleans in an own export, where `True` is text. */
const JSON_BOOLEAN = /^(?:true|false)$/;
const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** The levels of a document, without its own. */
const CELL_LEVELS_MAX = LEVELS_MAX - 1;

/** How many cells of a column match each type. */
export interface CellCounts {
  cells: number;
  numbers: number;
  /** Numbers with a decimal comma, and integers. */
  commas: number;
  /** Numbers with a comma that can't be a thousands separator. */
  fractions: number;
  /** Digits after zeros, as in postal codes. */
  codes: number;
  booleans: number;
  /** Booleans that are JSON. */
  jsonBooleans: number;
  dates: number;
  objects: number;
  /** Cells that are JSON of any type. */
  json: number;
}

export const noCells = (): CellCounts => ({
  cells: 0,
  numbers: 0,
  commas: 0,
  fractions: 0,
  codes: 0,
  booleans: 0,
  jsonBooleans: 0,
  dates: 0,
  objects: 0,
  json: 0,
});

export function countCell(counts: CellCounts, cell: string): void {
  if (cell === '') return;
  counts.cells += 1;
  // A dot alone may be a decimal point.
  if (COMMA.test(cell) && (cell.includes(',') || !cell.includes('.'))) {
    counts.commas += 1;
    if (FRACTION.test(cell)) counts.fractions += 1;
  }
  if (NUMBER.test(cell)) counts.numbers += 1;
  else if (BOOLEAN.test(cell)) {
    counts.booleans += 1;
    if (JSON_BOOLEAN.test(cell)) counts.jsonBooleans += 1;
  } else if (DATE.test(cell)) counts.dates += 1;
  else if (objectIn(cell) !== undefined) counts.objects += 1;
  else if (CODE.test(cell)) counts.codes += 1;
  else if (cell === 'null' || (cell.startsWith('"') && parsed(cell) !== undefined)) counts.json += 1;
}

/** Number of cells that may contain one text. The import lists it as a problem. */
const CELLS_PER_MISFIT = 50;

/**
 * Returns the type of a column. One cell of another type makes it text, unless almost all cells are
 * numbers.
 */
export function typeOf(
  counts: CellCounts,
  { isExported, delimiter }: Pick<Dialect, 'isExported' | 'delimiter'>,
): ColumnType {
  const { cells, numbers, dates, objects, json } = counts;
  const booleans = isExported ? counts.jsonBooleans : counts.booleans;
  if (cells === 0) return 'text';
  if (numbers === cells) return 'number';
  if (booleans === cells) return 'boolean';
  if (dates === cells) return 'date';
  if (isExported && numbers + booleans + objects + json > 0) return 'exported';
  const areAlmostAll = (count: number) => (cells - count) * CELLS_PER_MISFIT <= cells;
  // Numbers would lose the zeros of codes.
  if (!isExported && counts.codes === 0) {
    if (areAlmostAll(numbers)) return 'number';
    // Other files may have lists such as `1,5`.
    if (delimiter === ';' && counts.fractions > 0 && areAlmostAll(counts.commas)) return 'comma';
  }
  return objects === cells ? 'json' : 'text';
}

export interface ReadCell {
  readonly value: unknown;
  readonly problem?: Omit<Problem, 'path'>;
}

/** Reads a cell that isn't empty. A cell that doesn't match its column stays text. */
export function readCell(cell: string, type: ColumnType): ReadCell {
  switch (type) {
    case 'number':
      return NUMBER.test(cell) ? readNumber(cell) : misfit(cell, 'a number');
    case 'comma':
      return COMMA.test(cell)
        ? readNumber(cell.replaceAll('.', '').replace(',', '.'), cell)
        : misfit(cell, 'a number with a comma');
    case 'boolean':
      return BOOLEAN.test(cell) ? { value: cell.toLowerCase() === 'true' } : misfit(cell, 'true or false');
    case 'json': {
      const value = parsed(cell);
      return value === undefined ? misfit(cell, 'JSON') : { value };
    }
    case 'exported': {
      if (NUMBER.test(cell)) return readNumber(cell);
      const value = parsed(cell);
      return { value: value === undefined ? cell : value };
    }
    case 'text': {
      const isObject = /^\s*[{[]/.test(cell) && objectIn(cell) !== undefined;
      return { value: cell, ...(isObject && { problem: { kind: 'json', text: cell } }) };
    }
    default:
      return { value: cell };
  }
}

function readNumber(digits: string, cell = digits): ReadCell {
  const fault = numberFault(digits);
  if (fault === undefined) return { value: Number(digits) };
  return { value: cell, problem: { kind: fault, text: cell } };
}

const misfit = (cell: string, expected: string): ReadCell => ({
  value: cell,
  problem: { kind: 'cell', text: cell, why: `Expected ${expected}.` },
});

/** Returns the object or list that a cell contains as JSON. */
export function objectIn(cell: string): unknown {
  if (!/^\s*[{[]/.test(cell)) return undefined;
  return parsed(cell);
}

function parsed(cell: string): unknown {
  try {
    const value: unknown = JSON.parse(cell);
    return isDeeper(value, CELL_LEVELS_MAX) ? undefined : fromPlain(value);
  } catch {
    return undefined;
  }
}
