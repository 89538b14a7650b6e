/** Finds what JSON.parse drops without saying so: digits of numbers, and repeated fields. */

/** A number whose stored form differs from its text. */
export interface LostNumber {
  readonly digits: string;
  /** The stored form; undefined if the number is too large for any. */
  readonly kept: string | undefined;
}

/** Returns what a number loses if it is stored; undefined if it keeps its value. */
export function lostNumber(digits: string): LostNumber | undefined {
  const number = Number(digits);
  if (!Number.isFinite(number)) return { digits, kept: undefined };
  const kept = String(number);
  return kept === digits || decimalOf(kept) === decimalOf(digits) ? undefined : { digits, kept };
}

/** Returns the same text for decimal numbers of the same value, such as 1.50, 15e-1 and 1.5. */
function decimalOf(text: string): string {
  const [, sign = '', whole = '', part = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text.trim()) ?? [];
  const digits = (whole + part).replace(/^0+/, '');
  const bare = digits.replace(/0+$/, '');
  if (bare === '') return '0';
  const power = Number(exponent) - part.length + digits.length - bare.length;
  return `${sign === '-' ? '-' : ''}${bare}e${power}`;
}

/** Matches texts, with the colon after the name of a field, and numbers. */
const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Shorter numbers keep all digits, unless they are too large. */
const MAY_LOSE = /\d{16}|\d\.\d{15}|[eE][+-]?\d{3}|(?:\d\.?){16}/;

/** Returns the first number of valid JSON that would lose digits. */
export function lostNumberIn(json: string): LostNumber | undefined {
  if (!MAY_LOSE.test(json)) return undefined;
  for (const [token] of json.matchAll(TOKEN)) {
    const lost = token.startsWith('"') ? undefined : lostNumber(token);
    if (lost !== undefined) return lost;
  }
  return undefined;
}

/** Matches the names of all fields, and perhaps texts that contain a quote and a colon. */
const NAME = /"\s*:/g;

/** Returns whether an object of valid JSON has a field twice. @param value the parsed JSON */
export function repeatsFields(json: string, value: unknown): boolean {
  const fields = fieldsIn(value);
  if ((json.match(NAME)?.length ?? 0) === fields) return false;
  let names = 0;
  for (const [, colon] of json.matchAll(TOKEN)) if (colon !== undefined) names += 1;
  return names > fields;
}

/** Returns the number of fields of all objects in a value. */
function fieldsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts: unknown[] = Array.isArray(value) ? value : Object.values(value);
  let count = Array.isArray(value) ? 0 : parts.length;
  for (const part of parts) count += fieldsIn(part);
  return count;
}

/** Says what happens to a number, and how to keep its digits. @param how a sentence */
export const lostText = ({ digits, kept }: LostNumber, how: string): string =>
  kept === undefined
    ? `${shortened(digits)} is too large for a number. ${how}`
    : `${shortened(digits)} would become ${kept}. ${how}`;

const SHOWN_CHARS = 40;
const shortened = (digits: string): string =>
  digits.length > SHOWN_CHARS ? `${digits.slice(0, SHOWN_CHARS)}…` : digits;
