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

/** Matches where a text or a number begins. */
const BEGIN = /["\d-]/g;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const COLON = /\s*:/y;

interface Token {
  /** The digits of a number. */
  readonly digits?: string;
  readonly isName: boolean;
}

/**
 * Yields the numbers and texts of valid JSON. Searches for the end of each text by itself, because
 * a regular expression that matches a text of several megabytes overflows the stack.
 */
function* tokensIn(json: string): Generator<Token> {
  const next = (pattern: RegExp, from: number) => {
    pattern.lastIndex = from;
    return pattern.exec(json);
  };
  for (let found = next(BEGIN, 0); found !== null; ) {
    const { index, 0: first } = found;
    const digits = first === '"' ? undefined : next(NUMBER, index)?.[0];
    const end = first === '"' ? endOfText(json, index) : index + (digits ?? first).length;
    yield { isName: first === '"' && next(COLON, end) !== null, ...(digits !== undefined && { digits }) };
    found = next(BEGIN, end);
  }
}

/** Returns where the text ends whose first quote is at `from`. */
function endOfText(json: string, from: number): number {
  for (let at = json.indexOf('"', from + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let slashes = 0;
    while (json[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return json.length;
}

/** Shorter numbers keep all digits, unless they are too large. */
const MAY_LOSE = /\d{16}|\d\.\d{15}|[eE][+-]?\d{3}|(?:\d\.?){16}/;

/** Returns the first number of valid JSON that would lose digits. */
export function lostNumberIn(json: string): LostNumber | undefined {
  if (!MAY_LOSE.test(json)) return undefined;
  for (const { digits } of tokensIn(json)) {
    const lost = digits === undefined ? undefined : lostNumber(digits);
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
  for (const { isName } of tokensIn(json)) if (isName) names += 1;
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
