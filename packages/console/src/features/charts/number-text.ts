const WHOLE = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { maximumSignificantDigits: 6 });

/** Returns a number with thousands grouped, and at most six digits of a fraction. */
export const numberText = (value: number): string =>
  Number.isInteger(value) ? WHOLE.format(value) : SHORT.format(value);

/** Groups the thousands of a whole number that is written as JSON. Returns other texts unchanged. */
export const groupedText = (text: string): string =>
  /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? WHOLE.format(Number(text)) : text;
