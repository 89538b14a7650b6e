import type { ChartData } from '../../local/ask.ts';

const WHOLE = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { maximumSignificantDigits: 6 });

/** Returns a number with thousands grouped, and at most six digits of a fraction. */
export const numberText = (value: number): string =>
  Number.isInteger(value) ? WHOLE.format(value) : SHORT.format(value);

/** Groups the thousands of a whole number in JSON. Returns other texts unchanged. */
export const groupedText = (text: string): string =>
  /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? WHOLE.format(Number(text)) : text;

/** Steps between the numbers of a chart of whole numbers, which has no halves. */
export const WHOLE_STEPS: number[] = Array.from({ length: 15 }, (_, n) =>
  [1, 2, 5].map((digit) => digit * 10 ** n),
).flat();

/** Returns whether all values are whole numbers, such as counts and bytes. */
export const isWhole = ({ series }: ChartData): boolean =>
  series.every(({ values }) => values.every((value) => value === null || Number.isInteger(value)));

/** Formats the numbers of an axis. Omits a text that rounding makes equal to another. */
export function axisTexts(values: readonly number[], textOf: (value: number) => string): string[] {
  const texts = values.map(textOf);
  return texts.map((text, at) => (at > 0 && text === texts[at - 1] ? '' : text));
}
