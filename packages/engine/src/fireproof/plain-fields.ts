/**
 * Replaces class instances by their fields, as `@fireproof/core` stores them. The engine itself
 * rejects them, because they don't read back as they were written.
 */
import { isLink } from '../codec/dag-cbor.ts';
import { FILE_MAPS } from '../documents/file-entry.ts';
import { DEPTH_MAX, isPlain } from '../documents/sanitise.ts';

const isFileMap = (name: string): boolean => FILE_MAPS.some((map) => map === name);

/** Returns the same document if it contains no class instance. */
export function withPlainFields<T>(doc: T): T {
  if (typeof doc !== 'object' || doc === null) return doc;
  return plain(doc, 0) as T;
}

function plain(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return value;
  if (Array.isArray(value)) return changed(value, depth) ?? value;
  const isRecord = Object.prototype.toString.call(value) === '[object Object]' && !isLink(value);
  if (!isRecord) return value;
  return changed(value, depth) ?? (isPlain(value) ? value : Object.assign(Object.create(null), value));
}

/** Returns a copy of a list or of fields; undefined if no value in it changes. */
function changed(value: object, depth: number): unknown {
  const entries = Object.entries(value);
  const after = entries.map(([name, one]) => (depth === 0 && isFileMap(name) ? one : plain(one, depth + 1)));
  if (after.every((one, at) => one === entries[at]?.[1])) return undefined;
  if (Array.isArray(value)) return after;
  return Object.fromEntries(entries.map(([name], at) => [name, after[at]]));
}
