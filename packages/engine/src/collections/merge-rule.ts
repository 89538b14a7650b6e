/** The rule by which a collection merges concurrent versions of a document. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { inMerge } from '../base/merge-turn.ts';
import type { MergeRule, Stored } from '../database/database-results.ts';
import type { Doc } from '../documents/encode.ts';
import { FILE_MAPS } from '../documents/file-entry.ts';
import { mergeFields } from '../documents/merge-fields.ts';
import { isPlain } from '../documents/sanitise.ts';
import { fromStored, keepsFields, type Shape, toStored } from './stored-form.ts';

/**
 * Returns a rule that migrates and checks the versions, merges them, and checks the result. The
 * rule returns undefined if the schema rejects, drops or changes a field of a version, or of merged
 * fields. Files are merged by name, because the schema doesn't know them.
 */
export function mergeRuleOf(shape: Shape): MergeRule | undefined {
  const { merge } = shape;
  if (merge === 'last') return undefined;
  const read = async (stored: Stored): Promise<Doc | undefined> => {
    const found = await fromStored<Doc>(shape, stored, true);
    return 'doc' in found ? found.doc : undefined;
  };
  return async (base, ours, theirs) => {
    const [a, b, before] = [await read(ours), await read(theirs), base && (await read(base))];
    if (a === undefined || b === undefined || (base !== undefined && before === undefined)) return undefined;
    const id = String(a['_id']);
    const own = merge === 'fields' ? undefined : requireDocument(inMerge(() => merge(before, a, b)));
    const merged = { ...withoutFiles(own ?? mergeFields(before, a, b)), ...mergedFiles(before, a, b) };
    if (own !== undefined) return toStored(shape, id, merged);
    try {
      const stored = await toStored(shape, id, merged);
      return keepsFields(merged, stored) ? stored : undefined;
    } catch (cause) {
      if (isFixpointError(cause, 'DOC_INVALID')) return undefined;
      throw cause;
    }
  };
}

/**
 * @throws FixpointError DOC_INVALID for anything but a document, such as a promise, which may
 * wait for something else on each device
 */
function requireDocument(merged: unknown): Doc {
  if (typeof merged === 'object' && merged !== null && isPlain(merged)) return merged as Doc;
  throw new FixpointError('DOC_INVALID', 'the merge function returned no document');
}

const withoutFiles = (doc: Doc): Doc =>
  Object.fromEntries(Object.entries(doc).filter(([name]) => !isFileMap(name)));

const isFileMap = (name: string): boolean => FILE_MAPS.some((map) => map === name);

function mergedFiles(base: Doc | undefined, ours: Doc, theirs: Doc): Doc {
  const files = (doc: Doc): Doc =>
    Object.fromEntries(Object.entries(doc).filter(([name]) => isFileMap(name)));
  return mergeFields(base && files(base), files(ours), files(theirs));
}
