/** Selects the numbers of query rows that a chart shows. */
import { cellText } from '../values/cell-text.ts';
import { numbersIn, type ReducibleRow } from './reduce-rows.ts';

interface ChartSeries {
  readonly name: string;
  readonly total: number;
  /** One value for each label; null without a value. */
  readonly values: readonly (number | null)[];
}

export interface ChartData {
  readonly labels: readonly string[];
  /** The largest series first. */
  readonly series: readonly ChartSeries[];
  /** Whether the chart shows only the first rows. */
  readonly isCut: boolean;
}

const LABELS_MAX = 400;
/** There are six colours. The last one is for all further series. */
const SERIES_MAX = 6;
const LABEL_CHARS_MAX = 40;
const OTHERS = 'Other';

export interface ChartedRows {
  readonly rows: readonly ReducibleRow[];
  /** Whether the rows are groups. Then only their values are numbers to show. */
  readonly isReduced: boolean;
  /** Whether the values of several keys add up, so that bars can consist of parts. */
  readonly canStack: boolean;
}

/**
 * Returns the data of a chart. If keys are arrays and `canStack`, the last part of a key is the
 * name of a series.
 */
export function chartOf({ rows, isReduced, canStack }: ChartedRows): ChartData {
  const labels = new Map<string, number>();
  const series = new Map<string, Map<number, number>>();
  let isCut = false;
  const numberOf = numbersIn(rows);
  for (const row of rows) {
    const value = isReduced && typeof row.value !== 'number' ? undefined : numberOf(row);
    if (value === undefined) continue;
    const { label, name } = placeOf(row.key, canStack);
    let at = labels.get(label);
    if (at === undefined) {
      if (labels.size === LABELS_MAX) {
        isCut = true;
        break;
      }
      at = labels.size;
      labels.set(label, at);
    }
    const own = series.get(name) ?? new Map<number, number>();
    series.set(name, own);
    own.set(at, canStack ? (own.get(at) ?? 0) + value : value);
  }
  return { labels: [...labels.keys()], series: largest(series, labels.size), isCut };
}

function placeOf(key: unknown, canStack: boolean): { readonly label: string; readonly name: string } {
  if (!Array.isArray(key)) return { label: shortText(key), name: '' };
  if (!canStack || key.length < 2) return { label: key.map(shortText).join(', '), name: '' };
  return { label: key.slice(0, -1).map(shortText).join(', '), name: shortText(key.at(-1)) };
}

const shortText = (value: unknown): string => {
  const text = cellText(value);
  return text.length > LABEL_CHARS_MAX ? `${text.slice(0, LABEL_CHARS_MAX)}…` : text;
};

function largest(series: ReadonlyMap<string, ReadonlyMap<number, number>>, count: number): ChartSeries[] {
  const all = [...series].map(([name, values]): ChartSeries => {
    const list = Array.from({ length: count }, (_, at) => values.get(at) ?? null);
    return { name, total: sumOf(list), values: list };
  });
  all.sort((a, b) => b.total - a.total);
  if (all.length <= SERIES_MAX) return all;
  const others = all.slice(SERIES_MAX - 1);
  const values = Array.from({ length: count }, (_, at) => sumOf(others.map((one) => one.values[at] ?? null)));
  return [...all.slice(0, SERIES_MAX - 1), { name: OTHERS, total: sumOf(values), values }];
}

const sumOf = (values: readonly (number | null)[]): number =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
