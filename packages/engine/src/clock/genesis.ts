import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { EMPTY_SHARD, encodeShard } from '../trie/shard.ts';
import { encodeEvent, type Head, sortHead } from './event.ts';

/** The CID of the first event, equal in every database. */
export const GENESIS_EVENT = 'bafyreiblui55o25dopc5faol3umsnuohb5carto7tot4kicnkfc37he4h4' as Cid;

export interface Genesis {
  readonly head: Head;
  readonly root: Cid;
  /**
   * The genesis blocks, in the order in which the first archive of every database contains them.
   */
  readonly blocks: readonly Block[];
}

/**
 * Returns the first event of every database. The event is constant, so that independently created
 * databases have a common ancestor.
 */
export function genesisOf(key: string, document: Block): Genesis {
  const shard = encodeShard({ prefix: '', entries: [{ key, value: document.cid, child: undefined }] });
  const event = encodeEvent({ operations: [{ key, value: document.cid }], root: shard.cid, parents: [] });
  return {
    head: sortHead([event.cid]),
    root: shard.cid,
    blocks: [document, EMPTY_SHARD, shard, event],
  };
}
