/**
 * Recognises documents that somebody changed, without keeping the documents or opening many past
 * versions of the database.
 */
import { toPlain } from '../../../values/plain-json.ts';
import type { Fields } from './problems.ts';

const FILE_FIELDS: ReadonlySet<string> = new Set(['_files', '_publicFiles']);

/**
 * Returns a number that nearly always differs for different documents. Ignores the id, the order of
 * fields, and the content of attached files, which becomes an entry when it is stored.
 */
export function fingerprintOf(doc: Fields): number {
  const { _id: _, ...fields } = doc;
  return hashOf(canonical(fields, true));
}

/** Returns the same text for equal values, with the fields of objects in order. */
function canonical(value: unknown, isOutermost = false): string {
  if (Array.isArray(value)) return `[${value.map((part) => canonical(part)).join()}]`;
  const plain = value instanceof Uint8Array ? toPlain(value) : value;
  if (typeof plain !== 'object' || plain === null)
    return typeof plain === 'bigint' ? String(plain) : (JSON.stringify(plain) ?? '');
  const prototype: unknown = Object.getPrototypeOf(plain);
  if (prototype !== Object.prototype && prototype !== null) return String(plain);
  const names = Object.keys(plain).sort();
  const parts = names.map((name) => {
    const part = (plain as Fields)[name];
    const shown = isOutermost && FILE_FIELDS.has(name) ? namesIn(part) : part;
    return `${JSON.stringify(name)}:${canonical(shown)}`;
  });
  return `{${parts.join()}}`;
}

const namesIn = (files: unknown): unknown =>
  typeof files === 'object' && files !== null && !Array.isArray(files) ? Object.keys(files).sort() : files;

const [FIRST, SECOND] = [0x9e3779b1, 0x85ebca77];

/** Returns 53 bits that depend on all characters. Attackers could find two equal results. */
function hashOf(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, FIRST);
    low = Math.imul(low ^ code, SECOND);
    high ^= high >>> 15;
    low ^= low >>> 13;
  }
  return (high >>> 0) * 0x20_0000 + (low >>> 11);
}
