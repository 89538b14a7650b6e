/** Converts values to JSON that users write, and back. */
import { lostNumberIn, lostText, repeatsFields } from '../../../values/json-losses.ts';
import { toPlain } from '../../../values/plain-json.ts';

/** The value of a text, or why the text has none. */
export type OwnJson =
  | { readonly value: unknown; readonly problem?: undefined }
  | { readonly problem: string };

/** Links of the versions by their text. New links can't be written. */
export type KnownLinks = ReadonlyMap<string, unknown>;

export const jsonOf = (value: unknown): string => JSON.stringify(toPlain(value), undefined, 2) ?? '';

/** Returns whether JSON can't express a value, because it contains a long integer. */
export function isInexpressible(value: unknown): boolean {
  if (typeof value === 'bigint') return true;
  return isTree(value) && Object.values(value).some(isInexpressible);
}

/** Returns whether a value contains bytes or links, which have a special form in JSON. */
export function hasSpecial(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return !isTree(value) || Object.values(value).some(hasSpecial);
}

/** Returns the links in these values. */
export const linksIn = (values: readonly unknown[]): KnownLinks => new Map(values.flatMap(linkEntries));

function linkEntries(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  return isTree(value) ? Object.values(value).flatMap(linkEntries) : [[String(value), value]];
}

/** Returns whether a value is a list or an object of fields, and not bytes or a link. */
function isTree(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

/** Reads what a user wrote. */
export function readOwnJson(text: string, links: KnownLinks): OwnJson {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { problem: 'This isn’t valid JSON yet.' };
  }
  const lost = lostNumberIn(text);
  if (lost !== undefined) return { problem: lostText(lost, 'Write it as text, in quotes.') };
  if (repeatsFields(text, parsed)) return { problem: 'An object has the same field twice.' };
  try {
    return { value: special(parsed, links) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** Replaces the JSON form of bytes and links. @throws an Error that says what is wrong */
function special(value: unknown, links: KnownLinks): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => special(item, links));
  if (Object.hasOwn(value, '/')) {
    requireOneField(value);
    return bytesOrLink((value as { '/': unknown })['/'], links);
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, special(inner, links)]));
}

/** Other fields would be lost. */
function requireOneField(value: object): void {
  if (Object.keys(value).length > 1)
    throw new Error('Bytes and links have the form {"/": ...}, without other fields.');
}

function bytesOrLink(inner: unknown, links: KnownLinks): unknown {
  if (typeof inner === 'string') {
    if (links.has(inner)) return links.get(inner);
    throw new Error('You can use only links that are in one of the versions.');
  }
  const { bytes } = (inner ?? {}) as { bytes?: unknown };
  if (bytes !== undefined) requireOneField(inner as object);
  try {
    if (typeof bytes === 'string') return Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0));
  } catch {
    // Isn't base64.
  }
  throw new Error('Bytes need the form {"/": {"bytes": "..."}}, with the bytes in base64.');
}
