/** Groups the rows of a query by their keys, and reduces each group to one value. */
import { createTotal, type Total } from 'fixpoint/rows';
import { toPlain } from '../values/plain-json.ts';

export type ReduceBy = 'count' | 'sum' | 'min' | 'max' | 'average' | 'histogram';

export interface Reduce {
  readonly how: ReduceBy;
  /** Number of first parts of array keys that group the rows; `all`: equal keys; 0: one group. */
  readonly group: number | 'all';
}

export interface ReducibleRow {
  readonly key: unknown;
  readonly value: unknown;
  readonly id: string;
}

/** Number of ranges of a histogram. */
const RANGES = 20;
/** Rows between two looks at the clock. */
const SLICE = 20_000;

/**
 * Returns one row for each group, in the order of the rows. Rows without a number count only for
 * `count`; a group without a number has the value null.
 * @param rest lets other work run
 */
export async function reducedRows(
  rows: readonly ReducibleRow[],
  { how, group }: Reduce,
  rest: () => Promise<void>,
): Promise<readonly ReducibleRow[]> {
  if (how === 'histogram') return histogramRows(rows);
  const numberOf = numbersIn(rows);
  const groups = new Map<string, Group>();
  for (const [at, row] of rows.entries()) {
    if (at % SLICE === SLICE - 1) await rest();
    const key = groupKey(row.key, group);
    const name = JSON.stringify(toPlain(key)) ?? '';
    const known = groups.get(name) ?? newGroup(key);
    groups.set(name, known);
    add(known, numberOf(row));
  }
  return [...groups.values()].map((one) => ({ key: one.key, value: reducedValue(one, how), id: '' }));
}

interface Group {
  readonly key: unknown;
  rows: number;
  numbers: number;
  readonly total: Total;
  min: number;
  max: number;
}

const newGroup = (key: unknown): Group => ({
  key,
  rows: 0,
  numbers: 0,
  total: createTotal(),
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
});

function add(group: Group, number: number | undefined): void {
  group.rows += 1;
  if (number === undefined) return;
  group.numbers += 1;
  group.total.add(number);
  group.min = Math.min(group.min, number);
  group.max = Math.max(group.max, number);
}

function reducedValue({ rows, numbers, total, min, max }: Group, how: ReduceBy): number | null {
  if (how === 'count') return rows;
  if (how === 'sum') return shownTotal(total);
  if (numbers === 0) return null;
  if (how === 'average') return total.sum() / numbers;
  return how === 'min' ? min : max;
}

/** Binary fractions can't hold 0.1 and 0.2, so their sum ends in a 4 after 15 zeros. */
const TOTAL_DIGITS = 15;

function shownTotal(total: Total): number {
  const sum = total.sum();
  return Number.isInteger(sum) ? sum : Number(sum.toPrecision(TOTAL_DIGITS));
}

function groupKey(key: unknown, group: number | 'all'): unknown {
  if (group === 'all') return key;
  if (group === 0) return null;
  if (!Array.isArray(key)) return key;
  return key.slice(0, group);
}

type Row = Pick<ReducibleRow, 'key' | 'value'>;

/**
 * Returns a function for the number that a row stands for: its value, or its key if no row has a
 * value.
 */
export function numbersIn(rows: readonly Row[]): (row: Row) => number | undefined {
  const areKeys = rows.every(({ value }) => value === null);
  return ({ key, value }) => {
    const number = areKeys ? key : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
  };
}

function histogramRows(rows: readonly ReducibleRow[]): readonly ReducibleRow[] {
  const numberOf = numbersIn(rows);
  const ranges = histogramOf(rows.flatMap((row) => numberOf(row) ?? []));
  return ranges.map(({ from, to, count }) => ({ key: [from, to], value: count, id: '' }));
}

/** How many numbers are at least `from` and less than `to`. */
export interface NumberRange {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Returns how many numbers are in each of equal ranges. */
export function histogramOf(numbers: readonly number[]): readonly NumberRange[] {
  if (numbers.length === 0) return [];
  const { first, step, count } = rangesOf(numbers);
  const counts = new Array<number>(count).fill(0);
  for (const number of numbers) {
    const at = Math.min(count - 1, Math.max(0, Math.floor((number - first) / step)));
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts.map((own, at) => ({
    from: rounded(first + at * step),
    to: rounded(first + (at + 1) * step),
    count: own,
  }));
}

/** Returns ranges with round limits that contain all numbers. */
function rangesOf(numbers: readonly number[]): { first: number; step: number; count: number } {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const number of numbers) {
    if (number < least) least = number;
    if (number > greatest) greatest = number;
  }
  if (least === greatest) return { first: least, step: 1, count: 1 };
  const raw = greatest / RANGES - least / RANGES;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= raw) ?? 10);
  const first = Math.floor(least / step) * step;
  return { first, step, count: Math.floor((greatest - first) / step) + 1 };
}

const DIGITS = 12;
const rounded = (value: number): number => Number(value.toPrecision(DIGITS));
