/** Finds values in JSON that would be stored differently. */
import { visit } from 'jsonc-parser';
import { lostNumber, lostText } from '../../values/json-losses.ts';

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
      const lost = typeof value === 'number' ? lostNumber(text.slice(offset, offset + length)) : undefined;
      if (lost !== undefined) warn(offset, length, lostText(lost, 'Write it as text to keep all digits.'));
    },
  });
  return warnings;
}
