/** Represents the value of a field as text that a user types, together with the kind of value. */
import { sameFields, textOfDocument } from '../../../values/document-fields.ts';
import {
  type LostNumber,
  lostNumber,
  lostNumberIn,
  lostText,
  repeatsFields,
} from '../../../values/json-losses.ts';

export const VALUE_KINDS = {
  text: 'Text',
  number: 'Number',
  boolean: 'True or false',
  null: 'Null',
  json: 'JSON',
  none: 'No field',
} as const;
export type ValueKind = keyof typeof VALUE_KINDS;

export interface TypedText {
  readonly kind: ValueKind;
  readonly text: string;
}

/** A value of undefined means that the field doesn't exist. */
export type ParsedValue =
  | { readonly value: unknown; readonly problem?: undefined }
  | { readonly problem: string };

/** Longer values are edited on their document's page. */
const CHARS_MAX = 10_000;
/** Fields that belong to the engine, not to the document's content. */
const FIXED: ReadonlySet<string> = new Set(['_id', '_files', '_publicFiles', '_deleted']);

export const isFieldFree = (field: string): boolean => !FIXED.has(field);

export function parseTyped({ kind, text }: TypedText): ParsedValue {
  switch (kind) {
    case 'text':
      return { value: text };
    case 'number': {
      const number = Number(text);
      const isDecimal = DECIMAL.test(text.trim());
      if (text.trim() === '' || !(isDecimal || Number.isFinite(number)) || Number.isNaN(number))
        return { problem: 'This isn’t a number.' };
      return lossIn(isDecimal ? lostNumber(text.trim()) : undefined) ?? { value: number };
    }
    case 'boolean':
      return { value: text === 'true' };
    case 'null':
      return { value: null };
    case 'none':
      return { value: undefined };
    case 'json':
      return parseJson(text);
  }
}

function parseJson(text: string): ParsedValue {
  try {
    const value: unknown = JSON.parse(text);
    if (repeatsFields(text, value)) return { problem: 'An object has the same field twice.' };
    return lossIn(lostNumberIn(text)) ?? { value };
  } catch {
    return { problem: 'This isn’t valid JSON.' };
  }
}

/** Numbers such as 0x10 have other digits. */
const DECIMAL = /^[+-]?[\d.]+(?:e[+-]?\d+)?$/i;

const lossIn = (lost: LostNumber | undefined): ParsedValue | undefined =>
  lost && { problem: lostText(lost, 'Use text to keep all digits.') };

/** Returns a value as text; undefined when one line of text can't express it. */
export function typedOf(value: unknown): TypedText | undefined {
  if (value === undefined) return { kind: 'text', text: '' };
  if (value === null) return { kind: 'null', text: '' };
  const kind = ({ string: 'text', number: 'number', boolean: 'boolean' } as const)[typeof value as string];
  const text = kind === undefined ? jsonOf(value) : String(value);
  if (text === undefined || text.length > CHARS_MAX || (kind === 'text' && text.includes('\n')))
    return undefined;
  return { kind: kind ?? 'json', text };
}

function jsonOf(value: unknown): string | undefined {
  return textOfDocument({ value }).exact ? JSON.stringify(value) : undefined;
}

/** Converts typed text to another kind, as far as that kind can express it. */
export function typedAs({ kind, text }: TypedText, next: ValueKind): TypedText {
  if (next === kind) return { kind, text };
  if (next === 'boolean') return { kind: next, text: text === 'true' ? 'true' : 'false' };
  if (next === 'null' || next === 'none') return { kind: next, text };
  if (next === 'json' && kind === 'text') return { kind: next, text: JSON.stringify(text) };
  const parsed = kind === 'json' && next === 'text' ? parseJson(text) : undefined;
  return parsed !== undefined && 'value' in parsed && typeof parsed.value === 'string'
    ? { kind: next, text: parsed.value }
    : { kind: next, text };
}

export const sameValue = (a: unknown, b: unknown): boolean => sameFields({ value: a }, { value: b });
