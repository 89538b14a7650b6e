import { type Pace, WITHOUT_REST } from '../base/pace.ts';
import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { firstFrom, locate } from './locate.ts';
import { type Entry, endsNode, isLeaf, type Node, nodeBytes, type ReadNode, type Value } from './node.ts';

/** A new value of a key; undefined removes the key. */
export type Edit = Entry<Value | undefined>;

interface NewNode extends Block {
  readonly node: Node;
}

export interface TreeUpdate {
  /** Undefined for an empty tree. */
  readonly root: Cid | undefined;
  readonly added: ReadonlyMap<Cid, NewNode>;
  /** Nodes of the old tree that aren't part of the new one. */
  readonly removed: ReadonlySet<Cid>;
}

type Payload = Value | Cid;
type LevelEdit = Entry<Payload | undefined>;
/** Edits in the order of their keys, one for each key. */
type LevelEdits = readonly LevelEdit[];

/**
 * Applies all edits and returns the resulting tree. The last edit of a key wins. Reads and writes
 * only changed nodes and the nodes on the path to them. Pauses when a pause is due.
 */
export async function putMany(
  read: ReadNode,
  root: Cid | undefined,
  edits: Iterable<Edit>,
  pace: Pace = WITHOUT_REST,
): Promise<TreeUpdate> {
  const added = new Map<Cid, NewNode>();
  const removed = new Set<Cid>();
  let pending: LevelEdits = inOrder([...edits]);
  let level = 0;
  if (root !== undefined) {
    const height = (await read(root)).level;
    for (; level <= height && pending.length > 0; level++) {
      pending = await editLevel(read, root, level, pending, { added, removed, pace });
    }
    if (pending.length === 0) return { root, added, removed };
  }
  const top = await growUp(level, pending, added, pace);
  const newRoot = top === undefined ? undefined : await lowest(read, top, added, removed);
  for (const cid of added.keys()) if (removed.delete(cid)) added.delete(cid);
  return { root: newRoot, added, removed };
}

interface Changed {
  readonly added: Map<Cid, NewNode>;
  readonly removed: Set<Cid>;
  readonly pace: Pace;
}

/** Applies the edits of one level. Returns the resulting edits of the level above. */
async function editLevel(
  read: ReadNode,
  root: Cid,
  level: number,
  edits: LevelEdits,
  { added, removed, pace }: Changed,
): Promise<LevelEdits> {
  const above = new Map<string, Cid | undefined>();
  const writer = nodeWriter(level, added, (key, cid) => above.set(key, cid));
  let next = 0;
  while (next < edits.length) {
    let key = edits[next]?.[0] ?? '';
    for (;;) {
      if (pace.isDue()) await pace.rest();
      const { cid, node, end } = await locate(read, root, level, key);
      const start = node.entries[0]?.[0] ?? '';
      if (!above.has(start)) above.set(start, undefined);
      removed.add(cid);
      const from = next;
      while (next < edits.length && (end === undefined || (edits[next]?.[0] ?? '') < end)) next += 1;
      await merge(node, edits.slice(from, next), writer, pace);
      if (end === undefined || !writer.isOpen()) break;
      key = end;
    }
    writer.finish();
  }
  return inOrder([...above]);
}

/**
 * Sorts the edits; the last edit of a key wins. Edits that are already in order, as most are,
 * aren't copied.
 */
function inOrder(edits: LevelEdits): LevelEdits {
  if (edits.every((edit, at) => at === 0 || (edits[at - 1]?.[0] ?? '') < edit[0])) return edits;
  return [...new Map(edits)].sort((a, b) => (a[0] < b[0] ? -1 : 1));
}

/**
 * Applies the edits in the key range of a node to its entries, and writes the resulting entries.
 */
async function merge(node: Node, edits: LevelEdits, writer: NodeWriter, pace: Pace): Promise<void> {
  const { entries } = node;
  let at = 0;
  for (const [key, payload] of edits) {
    const next = firstFrom(entries, key);
    writer.copy(node, at, next);
    at = entries[next]?.[0] === key ? next + 1 : next;
    if (payload !== undefined) writer.write([key, payload]);
    if (!writer.isOpen() && pace.isDue()) await pace.rest();
  }
  writer.copy(node, at, entries.length);
}

interface NodeWriter {
  write(entry: Entry<Payload>): void;
  /**
   * Copies a range of entries of another node. No copied entry ends a node, except the last entry
   * of a closed node.
   */
  copy(node: Node, from: number, to: number): void;
  isOpen(): boolean;
  finish(): void;
}

/** Splits a sequence of entries into nodes, and reports each node to the level above. */
function nodeWriter(
  level: number,
  added: Map<Cid, NewNode>,
  note: (firstKey: string, cid: Cid) => void,
): NodeWriter {
  let entries: Entry<Payload>[] = [];
  const encoded = nodeBytes();
  const cut = (closed: boolean) => {
    const { cid, bytes, places } = encoded.take(level, closed);
    added.set(cid, { cid, bytes, node: { level, entries, closed, encoded: { bytes, places } } as Node });
    note(entries[0]?.[0] ?? '', cid);
    entries = [];
  };
  return {
    write(entry) {
      const bytes = encoded.append(entry);
      entries.push(entry);
      if (endsNode(bytes)) cut(true);
    },
    copy(node, from, to) {
      if (from === to) return;
      encoded.copy(node, from, to);
      for (const entry of node.entries.slice(from, to)) entries.push(entry);
      if (node.closed && to === node.entries.length) cut(true);
    },
    isOpen: () => entries.length > 0,
    finish: () => {
      if (entries.length > 0) cut(false);
    },
  };
}

/** Builds levels on top of the entries of one level, until a level has a single node. */
async function growUp(
  from: number,
  entries: LevelEdits,
  added: Map<Cid, NewNode>,
  pace: Pace,
): Promise<Cid | undefined> {
  let level = from;
  let row = entries.filter((edit): edit is Entry<Payload> => edit[1] !== undefined);
  while (row.length > 1 || level === 0) {
    const above: Entry<Payload>[] = [];
    const writer = nodeWriter(level, added, (key, cid) => above.push([key, cid]));
    for (const entry of row) {
      writer.write(entry);
      if (!writer.isOpen() && pace.isDue()) await pace.rest();
    }
    writer.finish();
    row = above;
    level += 1;
  }
  const only = row[0]?.[1];
  return typeof only === 'string' ? only : undefined;
}

/**
 * Removes branches with a single entry from the top of the tree, and returns the remaining root.
 */
async function lowest(read: ReadNode, top: Cid, added: Map<Cid, NewNode>, removed: Set<Cid>): Promise<Cid> {
  let cid = top;
  for (;;) {
    const node = added.get(cid)?.node ?? (await read(cid));
    const only = node.entries[0]?.[1];
    if (isLeaf(node) || node.entries.length > 1 || typeof only !== 'string') return cid;
    if (!added.delete(cid)) removed.add(cid);
    cid = only;
  }
}
