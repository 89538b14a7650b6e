/**
 * The row `local/first`: the root of the trie at a head, and the shards at the top of that trie.
 * With it, an open needs neither the event of the head nor an archive, and a first read begins
 * several shards further down. It is the map `{v, event, root, shards: [bytes]}` (hashed-row.ts).
 * Nothing depends on this row: if it is missing, damaged or of another head, the open reads the
 * archives.
 */
import { type Block, blockOf } from '../../codec/block.ts';
import { type Cid, parseCid } from '../../codec/cid.ts';
import { asArray } from '../../codec/dag-cbor.ts';
import type { ByteStore } from '../../ports/byte-store.ts';
import { decodeHashed, encodeHashed } from '../../store/hashed-row.ts';
import { FIRST_BLOCKS } from '../../store/names.ts';
import { decodeShard } from '../../trie/shard.ts';
import type { Readers, Snapshot } from '../snapshot.ts';

const VERSION = 1;

export interface FirstBlocks {
  /** The only event of the head. */
  readonly event: Cid;
  readonly root: Cid;
  readonly shards: readonly Block[];
}

/** Returns undefined if the row can't be used. */
export async function readFirstBlocks(store: Pick<ByteStore, 'read'>): Promise<FirstBlocks | undefined> {
  try {
    const { v, event, root, shards } = decodeHashed(await store.read(FIRST_BLOCKS));
    if (v !== VERSION) return undefined;
    return {
      event: parseCid(event),
      root: parseCid(root),
      shards: asArray(shards).map((bytes) => blockOf(bytes as Uint8Array)),
    };
  } catch {
    return undefined;
  }
}

interface FirstBlocksParts {
  readonly store: Pick<ByteStore, 'write'>;
  readonly snapshot: Snapshot;
  readonly readers: Pick<Readers, 'block'>;
}

/**
 * Stores the row for a head with a single event.
 * @param bytesMax total size of the shards
 */
export async function writeFirstBlocks(
  { store, snapshot, readers }: FirstBlocksParts,
  bytesMax: number,
): Promise<void> {
  const { head, root } = snapshot;
  const [event] = head;
  if (event === undefined || root === undefined || head.length > 1) return;
  const shards: Uint8Array[] = [];
  const waiting = [root];
  let bytesLeft = bytesMax;
  for (const cid of waiting) {
    const bytes = await readers.block(cid);
    bytesLeft -= bytes.length;
    if (bytesLeft < 0) break;
    shards.push(bytes);
    for (const { child } of decodeShard(bytes).entries) if (child !== undefined) waiting.push(child);
  }
  await store.write([{ key: FIRST_BLOCKS, bytes: encodeHashed({ v: VERSION, event, root, shards }) }]);
}
