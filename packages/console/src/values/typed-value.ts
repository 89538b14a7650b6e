/** Values that users type: JSON, or text without quotes. */
import { lostNumberIn, lostText } from './json-losses.ts';
import { toPlain } from './plain-json.ts';

/** Parses numbers, true, false, null and JSON; everything else is text. Quotes force text. */
export function typedValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns why {@link typedValue} would change a number in this text; undefined if it doesn't. */
export function typedProblem(text: string): string | undefined {
  const lost = lostNumberIn(text);
  if (lost === undefined || typeof typedValue(text) === 'string') return undefined;
  return lost.kept === undefined
    ? 'This number is too large.'
    : lostText(lost, 'To compare it as text, put it in quotes.');
}

/**
 * Returns the text that {@link typedValue} reads as this value. Contains all digits of a long
 * integer, which that function would round.
 */
export function typedText(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'string') return JSON.stringify(toPlain(value)) ?? '';
  return typedValue(value) === value ? value : JSON.stringify(value);
}
