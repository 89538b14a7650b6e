import type { Cid } from '../codec/cid.ts';
import { encode } from '../codec/dag-cbor.ts';
import { decodeNode, isLeaf, type Node, type ReadNode } from './node.ts';
import { type Edit, putMany } from './put-many.ts';
import { type ScanBounds, scan } from './scan.ts';

/**
 * Stores the blocks of trees and counts reads. A read decodes the stored bytes, or returns the
 * created node if `isKept` is true for that read.
 */
export function nodeStore(isKept: (reads: number) => boolean = () => false) {
  const blocks = new Map<Cid, Uint8Array>();
  const made = new Map<Cid, Node>();
  let reads = 0;
  const read: ReadNode = async (cid) => {
    reads += 1;
    const bytes = blocks.get(cid);
    if (bytes === undefined) throw new Error(`no node ${cid}`);
    return (isKept(reads) ? made.get(cid) : undefined) ?? decodeNode(bytes);
  };
  return {
    blocks,
    read,
    reads: () => reads,
    /**
     * Applies edits and returns the root. Deletes the blocks of nodes that are no longer part of
     * the tree.
     */
    async edit(root: Cid | undefined, edits: Iterable<Edit>): Promise<Cid | undefined> {
      const update = await putMany(read, root, edits);
      for (const [cid, { bytes, node }] of update.added) {
        blocks.set(cid, bytes);
        if (node !== undefined) made.set(cid, node);
      }
      for (const cid of update.removed) blocks.delete(cid);
      return update.root;
    },
  };
}

export const cborOf = (value: unknown): Uint8Array => encode(value);

export const putsOf = (keys: Iterable<string>, version = 0): Edit[] =>
  [...keys].map((key) => [key, cborOf([key.length, version])]);

export async function keysIn(
  read: ReadNode,
  root: Cid | undefined,
  bounds: ScanBounds = {},
): Promise<string[]> {
  const keys: string[] = [];
  for await (const entries of scan(read, root, bounds)) keys.push(...entries.map(([key]) => key));
  return keys;
}

/** Returns all nodes of a tree, parents first. */
export async function nodesIn(read: ReadNode, root: Cid | undefined): Promise<Map<Cid, Node>> {
  const nodes = new Map<Cid, Node>();
  const visit = async (cid: Cid): Promise<void> => {
    const node = await read(cid);
    nodes.set(cid, node);
    if (!isLeaf(node)) for (const [, child] of node.entries) await visit(child);
  };
  if (root !== undefined) await visit(root);
  return nodes;
}
