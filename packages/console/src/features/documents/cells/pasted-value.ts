/** Decides which value a pasted text means in its column. */

/** The common kind of all values of a column. `mixed`: the text alone decides. */
export type ColumnKind = 'text' | 'number' | 'boolean' | 'mixed';

/** Returns the kind that all given values have; null and missing values don't count. */
export function kindOfColumn(kinds: Iterable<string | undefined>): ColumnKind {
  const found = new Set<string>();
  for (const kind of kinds) if (kind !== undefined && kind !== 'null') found.add(kind);
  const [only] = found;
  if (found.size !== 1) return 'mixed';
  return only === 'text' || only === 'number' || only === 'boolean' ? only : 'mixed';
}

/** Returns the value of a pasted cell; undefined removes the field. */
export function pastedValue(text: string, kind: ColumnKind): unknown {
  if (text === '') return undefined;
  if (kind === 'text') return text;
  if (kind === 'number') return numberIn(text) ?? plainValue(text);
  return plainValue(text);
}

/** Matches numbers with thousands separators, which spreadsheets copy as they show them. */
const GROUPED = /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Returns the number in a column of numbers, where even 007 and 1,000 are numbers. Undefined if a
 * number can't keep all digits, as for a long account number.
 */
function numberIn(text: string): number | undefined {
  const trimmed = text.trim();
  const plain = GROUPED.test(trimmed) ? trimmed.replaceAll(',', '') : trimmed;
  const number = NUMBER.test(plain) ? Number(plain) : Number.NaN;
  const isExact = Number.isFinite(number) && digitsOf(String(number)) === digitsOf(plain);
  return isExact && !Object.is(number, -0) ? number : undefined;
}

/** Returns the digits without the sign, the point, the exponent, and zeros at both ends. */
const digitsOf = (number: string): string =>
  number.replace(/e.*/i, '').replaceAll(/[^\d]/g, '').replace(/^0+/, '').replace(/0+$/, '');

/** Returns the value of a text that is exactly how this value is written; otherwise the text. */
function plainValue(text: string): unknown {
  if (text === 'true' || text === 'TRUE') return true;
  if (text === 'false' || text === 'FALSE') return false;
  if (text === 'null') return null;
  // Texts like 007, 1e3 or a long account number would change as a number.
  if (String(Number(text)) === text && Number.isFinite(Number(text))) return Number(text);
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
