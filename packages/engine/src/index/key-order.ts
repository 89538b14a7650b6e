/**
 * Encodes index keys as texts that sort as the keys do: an ordered tree of texts is an ordered tree
 * of keys. Order: null < false < true < numbers < strings < arrays < undefined < objects < bytes;
 * NaN lies between the negative and the other numbers; strings sort by UTF-16 code units, arrays
 * and objects part by part.
 *
 *   null A | false B | true C | negative D + 16 hex | NaN E | other numbers F + 16 hex
 *   string J + text + end | array K + parts + end | undefined L
 *   object M + (name as string, value)... by name + end | bytes N + hex + end
 *
 * `end` is the code unit 0. Inside texts the code units 0 and 1 are written as 1 1 and 1 2. So no
 * encoding is a prefix of another, and a document id can follow a key without a separator.
 */
import { FixpointError } from '@fixpoint/protocol';
import { isLink, linkCid } from '../codec/dag-cbor.ts';

const END = '\u0000';
const ESCAPE = '\u0001';
const ESCAPE_ESCAPED = '\u0001\u0002';
const END_ESCAPED = '\u0001\u0001';
/**
 * More than the 200 levels of a document, so that a query by field accepts any value of a document.
 */
const DEPTH_MAX = 250;

/**
 * @throws FixpointError MAP_FAILED for values without an order: a function, a symbol, a key that
 * contains itself
 */
export function encodeKey(key: unknown, depth = 0): string {
  switch (typeof key) {
    case 'string':
      return `J${escapeText(key)}${END}`;
    case 'number':
      return encodeNumber(key);
    case 'boolean':
      return key ? 'C' : 'B';
    case 'bigint':
      return encodeNumber(Number(key));
    case 'undefined':
      return 'L';
    case 'object':
      return key === null ? 'A' : encodeObject(key, depth + 1);
    default:
      throw new FixpointError('MAP_FAILED', `a ${typeof key} cannot be a key`);
  }
}

/**
 * Encodes a value of a stored document. A value that other clients nested too deeply for a key is
 * encoded like an empty object, so that it can't make an index fail.
 */
export function encodeField(value: unknown): string {
  try {
    return encodeKey(value);
  } catch {
    return `M${END}`;
  }
}

/** Returns the key at the start of the text, and the position after it. */
export function decodeKey(text: string, at = 0): { readonly key: unknown; readonly end: number } {
  switch (text[at]) {
    case 'A':
      return { key: null, end: at + 1 };
    case 'B':
      return { key: false, end: at + 1 };
    case 'C':
      return { key: true, end: at + 1 };
    case 'D':
    case 'F':
      return { key: decodeNumber(text.slice(at, at + 17)), end: at + 17 };
    case 'E':
      return { key: Number.NaN, end: at + 1 };
    case 'J':
      return decodeText(text, at);
    case 'K':
      return decodeArray(text, at);
    case 'L':
      return { key: undefined, end: at + 1 };
    case 'M':
      return decodeObject(text, at);
    case 'N':
      return decodeBytes(text, at);
    default:
      throw new FixpointError('CORRUPT', 'not a key of an index');
  }
}

/** Texts from `from` up to, but excluding, `to`. Without `to`, all texts from `from` on. */
export interface Bounds {
  readonly from: string;
  readonly to: string | undefined;
}

/** Returns the bounds of keys equal to this one. */
export const boundsOfKey = (key: unknown): Bounds => beginningWith(encodeKey(key));

/** Returns the bounds of keys from the first to the last, both inclusive. */
export const boundsOfRange = ([first, last]: readonly [unknown, unknown]): Bounds => ({
  from: encodeKey(first),
  to: afterAll(encodeKey(last)),
});

/**
 * Returns the bounds of a prefix, in the order of keys. For an array, the bounds include arrays
 * that start with its elements. For a string, they include strings that start with it, and for any
 * other value, keys that are equal to it. In both cases, they also include arrays that have the
 * prefix as their first element.
 */
export function boundsOfPrefix(prefix: unknown): readonly Bounds[] {
  const text = encodeKey(prefix);
  const open = text.slice(0, -END.length);
  if (Array.isArray(prefix)) return [beginningWith(open)];
  const parts = [beginningWith(typeof prefix === 'string' ? open : text), beginningWith(`K${text}`)];
  return parts.sort((a, b) => (a.from < b.from ? -1 : 1));
}

const beginningWith = (text: string): Bounds => ({ from: text, to: afterAll(text) });

/**
 * Returns the least text that is greater than all texts that start with `text`; undefined if there
 * is none.
 */
export function afterAll(text: string): string | undefined {
  let length = text.length;
  while (length > 0 && text.charCodeAt(length - 1) === 0xffff) length -= 1;
  if (length === 0) return undefined;
  return text.slice(0, length - 1) + String.fromCharCode(text.charCodeAt(length - 1) + 1);
}

/**
 * Returns the bounds of all texts, not arrays, that start with this one.
 */
export const boundsOfTextPrefix = (prefix: string): Bounds =>
  beginningWith(encodeKey(prefix).slice(0, -END.length));

/** Returns the position after the key that starts at this position. */
export function endOfKey(text: string, at: number): number {
  switch (text[at]) {
    case 'D':
    case 'F':
      return at + 17;
    case 'J':
    case 'N':
      return text.indexOf(END, at) + 1;
    case 'K':
    case 'M':
      return decodeKey(text, at).end;
    default:
      return at + 1;
  }
}

const float = new DataView(new ArrayBuffer(8));

function encodeNumber(value: number): string {
  if (Number.isNaN(value)) return 'E';
  float.setFloat64(0, value === 0 ? 0 : value);
  const high = float.getUint32(0);
  const low = float.getUint32(4);
  return value < 0 ? `D${hex(~high >>> 0)}${hex(~low >>> 0)}` : `F${hex(high)}${hex(low)}`;
}

function decodeNumber(text: string): number {
  const high = Number.parseInt(text.slice(1, 9), 16);
  const low = Number.parseInt(text.slice(9), 16);
  const negative = text[0] === 'D';
  float.setUint32(0, negative ? ~high : high);
  float.setUint32(4, negative ? ~low : low);
  return float.getFloat64(0);
}

/**
 * Returns half of a number's digits. Most numbers are short, so all digits of their second half are
 * 0 and need no formatting.
 */
const hex = (value: number): string => (value === 0 ? '00000000' : value.toString(16).padStart(8, '0'));

function encodeObject(value: object, depth: number): string {
  if (depth > DEPTH_MAX) throw new FixpointError('MAP_FAILED', `a key is nested deeper than ${DEPTH_MAX}`);
  if (value instanceof Uint8Array) return `N${hexOf(value)}${END}`;
  if (value instanceof Date) return encodeKey(Number.isNaN(value.getTime()) ? null : value.toISOString());
  if (isLink(value)) return encodeObject({ '/': linkCid(value) }, depth);
  if (Array.isArray(value)) return `K${Array.from(value, (part) => encodeKey(part, depth)).join('')}${END}`;
  const parts = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .map(([name, part]) => encodeKey(name) + encodeKey(part, depth));
  return `M${parts.sort((a, b) => (a < b ? -1 : 1)).join('')}${END}`;
}

const SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const ESCAPED = new RegExp(`${ESCAPE}(.)`, 'gs');

function escapeText(text: string): string {
  const whole = SURROGATE.test(text) ? text.replace(LONE_SURROGATE, '\ufffd') : text;
  if (!whole.includes(ESCAPE) && !whole.includes(END)) return whole;
  return whole.replaceAll(ESCAPE, ESCAPE_ESCAPED).replaceAll(END, END_ESCAPED);
}

function decodeText(text: string, at: number): { key: string; end: number } {
  const end = text.indexOf(END, at);
  if (end < 0) throw new FixpointError('CORRUPT', 'a key of an index has no end');
  const escaped = text.slice(at + 1, end);
  const key = escaped.includes(ESCAPE)
    ? escaped.replace(ESCAPED, (pair) => (pair === END_ESCAPED ? END : ESCAPE))
    : escaped;
  return { key, end: end + 1 };
}

function decodeArray(text: string, at: number): { key: unknown[]; end: number } {
  const key: unknown[] = [];
  let end = at + 1;
  while (text[end] !== END) {
    const part = decodeKey(text, end);
    key.push(part.key);
    end = part.end;
  }
  return { key, end: end + 1 };
}

function decodeObject(text: string, at: number): { key: Record<string, unknown>; end: number } {
  const pairs: [string, unknown][] = [];
  let end = at + 1;
  while (text[end] !== END) {
    const name = decodeText(text, end);
    const part = decodeKey(text, name.end);
    pairs.push([name.key, part.key]);
    end = part.end;
  }
  return { key: Object.fromEntries(pairs), end: end + 1 };
}

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

function decodeBytes(text: string, at: number): { key: Uint8Array; end: number } {
  const { key, end } = decodeText(text, at);
  return { key: Uint8Array.from(key.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)), end };
}
