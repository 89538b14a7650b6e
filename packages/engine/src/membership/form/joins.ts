/** Joins heads, so that one name or a short list stands for all of them (F12, F13). */
import { bytesOfHex, decodeEntry, type EntryId, encodeEntry, PREV_MAX } from '@fixpoint/protocol/storage';
import { sha256 } from '../../codec/sha256.ts';

interface Join {
  readonly id: EntryId;
  /** The text that the device puts into the list. */
  readonly text: string;
}

export interface Joined {
  readonly ids: readonly EntryId[];
  readonly joins: readonly Join[];
}

/**
 * Returns at most `max` ids that stand for all given ones, and the joins that they need. All
 * devices that know the same heads get the same ids.
 * @param max at least 1
 */
export function joined(heads: readonly EntryId[], max = PREV_MAX): Joined {
  const ids = [...heads].sort();
  const joins: Join[] = [];
  while (ids.length > max) {
    const join = joinOf(ids.splice(0, PREV_MAX));
    joins.push(join);
    ids.push(join.id);
    ids.sort();
  }
  return { ids, joins };
}

function joinOf(ids: readonly EntryId[]): Join {
  const prev = ids.map(bytesOfHex);
  const text = encodeEntry({ t: 'join', prev });
  return { id: decodeEntry(text, sha256).entry.id, text };
}
