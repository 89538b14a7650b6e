/** Finds places of valid JSON where the stored value would differ from the text. */
import { jsonTokens } from './json-tokens.ts';

export interface JsonWarning {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

export function jsonWarnings(text: string): JsonWarning[] {
  const warnings: JsonWarning[] = [];
  const fieldsByLevel: (Set<string> | undefined)[] = [];
  let previous: { from: number; to: number; kind: string } | undefined;
  for (const token of jsonTokens(text)) {
    if (token.kind === '{') fieldsByLevel.push(new Set());
    else if (token.kind === '[') fieldsByLevel.push(undefined);
    else if (token.kind === '}' || token.kind === ']') fieldsByLevel.pop();
    else if (token.kind === ':' && previous?.kind === 'text') {
      const fields = fieldsByLevel.at(-1);
      const field = JSON.parse(text.slice(previous.from, previous.to)) as string;
      if (fields?.has(field))
        warnings.push({
          from: previous.from,
          to: previous.to,
          message: 'This field appears twice. Only the last value is saved.',
        });
      fields?.add(field);
    } else if (token.kind === 'number') {
      const kept = keptNumber(text.slice(token.from, token.to));
      if (kept !== undefined)
        warnings.push({
          from: token.from,
          to: token.to,
          message: `A number this long is stored as ${kept}. Write it as text to keep all digits.`,
        });
    }
    previous = token;
  }
  return warnings;
}

/** Returns the stored form of an integer with more digits than a number can hold. */
function keptNumber(digits: string): string | undefined {
  if (!/^-?\d+$/.test(digits) || Number.isSafeInteger(Number(digits))) return undefined;
  const kept = Number(digits);
  return Number.isFinite(kept) && BigInt(digits) === BigInt(kept) ? undefined : String(kept);
}
