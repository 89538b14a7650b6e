/** Merges the fields that two versions of a document changed. */
import { equalBytes } from '../base/bytes.ts';
import { encode } from '../codec/dag-cbor.ts';
import type { Doc } from './encode.ts';
import { FILE_MAPS } from './file-entry.ts';
import { sanitise } from './sanitise.ts';

/**
 * Returns each field as the version that changed it has it. If both changed it, `theirs` wins. A
 * field is a whole value, even if it is an object or an array. Attached files are merged by name.
 * @param base the version before both; undefined if there is none
 * @throws FixpointError DOC_INVALID for values that can't be stored
 */
export function mergeFields(base: Doc | undefined, ours: Doc, theirs: Doc): Doc {
  const merged: Doc = {};
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const value = mergedField(name, fieldOf(base, name), fieldOf(ours, name), fieldOf(theirs, name));
    if (value !== undefined)
      Object.defineProperty(merged, name, { value, enumerable: true, writable: true, configurable: true });
  }
  return merged;
}

function mergedField(name: string, base: unknown, ours: unknown, theirs: unknown): unknown {
  if (isSame(ours, base)) return theirs;
  if (isSame(theirs, base) || isSame(ours, theirs)) return ours;
  if (FILE_MAPS.some((map) => map === name) && isMap(ours) && isMap(theirs))
    return mergeFields(isMap(base) ? base : undefined, ours, theirs);
  return theirs;
}

const fieldOf = (doc: Doc | undefined, name: string): unknown =>
  doc !== undefined && Object.hasOwn(doc, name) ? doc[name] : undefined;

const isMap = (value: unknown): value is Doc => typeof value === 'object' && value !== null;

function isSame(a: unknown, b: unknown): boolean {
  if (a === undefined || b === undefined) return a === b;
  return equalBytes(encode(sanitise({ value: a })), encode(sanitise({ value: b })));
}
