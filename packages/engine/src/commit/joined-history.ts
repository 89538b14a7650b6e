import { type Archive, packArchive } from '../archive/pack.ts';
import { encodeEvent, sortHead } from '../clock/event.ts';
import type { Genesis } from '../clock/genesis.ts';
import type { Cid } from '../codec/cid.ts';
import { GENESIS_KEY } from '../documents/genesis.ts';
import { entries } from '../trie/entries.ts';
import type { Readers, Snapshot } from './snapshot.ts';

/**
 * Creates one event with the effect of a whole history: it follows the genesis and writes every
 * document, with the same root. A database that dropped older events sends it in their place; it
 * never sent those to anyone.
 */
export async function joinedHistory(
  { root, merged }: Snapshot,
  { shard }: Readers,
  genesis: Genesis,
): Promise<{ readonly snapshot: Snapshot; readonly archive: Archive }> {
  const operations: { key: string; value: Cid }[] = [];
  // A history with dropped events isn't empty, so it has a root.
  const from = root as Cid;
  for await (const [key, value] of entries(shard, from))
    if (key !== GENESIS_KEY) operations.push({ key, value });
  const event = encodeEvent({ operations, root: from, parents: genesis.head });
  const head = sortHead([event.cid]);
  const archive = await packArchive({ cars: [], compact: [], head }, [...genesis.blocks, ...merged, event]);
  return { snapshot: { head, root: from, merged: [] }, archive };
}
