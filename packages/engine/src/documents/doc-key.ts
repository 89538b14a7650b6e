import { FixpointError, LIMITS } from '@fixpoint/protocol';

declare const checked: unique symbol;
/**
 * A document id that {@link parseDocKey} accepted. Modules that `database` uses accept only checked
 * ids, not plain strings.
 */
export type DocKey = string & { readonly [checked]: true };

/**
 * Checks a document id: printable ASCII, at most 4096 bytes (spec §5).
 * @throws FixpointError DOC_ID_REQUIRED if empty; KEY_INVALID otherwise
 */
export function parseDocKey(id: unknown): DocKey {
  if (id === '' || id === undefined || id === null) throw new FixpointError('DOC_ID_REQUIRED');
  if (typeof id !== 'string') throw new FixpointError('KEY_INVALID', 'an id must be a string');
  if (!/^[\x20-\x7E]*$/.test(id)) throw new FixpointError('KEY_INVALID', 'only printable ASCII');
  if (id.length > LIMITS.docKeyBytesMax)
    throw new FixpointError('KEY_INVALID', `at most ${LIMITS.docKeyBytesMax} bytes`);
  return id as DocKey;
}
