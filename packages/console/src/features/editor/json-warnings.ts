/** Finds what the editor marks in JSON: errors, and values that would be stored differently. */
import { visit } from 'jsonc-parser';

export interface JsonWarning {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/** Returns the places of valid JSON where the stored value would differ from the text. */
export function jsonWarnings(text: string): JsonWarning[] {
  const warnings: JsonWarning[] = [];
  const warn = (from: number, length: number, message: string) =>
    warnings.push({ from, to: from + length, message });
  const fieldsByLevel: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void fieldsByLevel.push(new Set()),
    onObjectEnd: () => void fieldsByLevel.pop(),
    onObjectProperty: (field, offset, length) => {
      const fields = fieldsByLevel.at(-1);
      if (fields?.has(field)) warn(offset, length, 'This field appears twice. Only the last value is saved.');
      fields?.add(field);
    },
    onLiteralValue: (value: unknown, offset, length) => {
      const kept = typeof value === 'number' ? keptNumber(text.slice(offset, offset + length)) : undefined;
      if (kept === undefined) return;
      warn(offset, length, `A number this long is stored as ${kept}. Write it as text to keep all digits.`);
    },
  });
  return warnings;
}

/**
 * Returns the position of the first error. Doesn't use JSON.parse, because each browser reports the
 * position in a different way.
 */
export function errorPlace(text: string): number {
  let first: number | undefined;
  visit(text, { onError: (_code, offset) => (first ??= offset) }, { disallowComments: true });
  return first ?? text.length;
}

/** Returns the stored form of an integer that can't be stored exactly; undefined for others. */
function keptNumber(digits: string): string | undefined {
  if (!/^-?\d+$/.test(digits) || Number.isSafeInteger(Number(digits))) return undefined;
  const kept = Number(digits);
  return Number.isFinite(kept) && BigInt(digits) === BigInt(kept) ? undefined : String(kept);
}
