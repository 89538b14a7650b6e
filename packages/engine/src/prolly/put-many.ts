import { type Pace, WITHOUT_REST } from '../base/pace.ts';
import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { firstFrom, locate } from './locate.ts';
import {
  decodeNode,
  type Entry,
  endsNode,
  isLeaf,
  type Node,
  nodeBytes,
  type ReadNode,
  type Value,
} from './node.ts';

/** A new value of a key; undefined removes the key. */
export type Edit = Entry<Value | undefined>;
/** Edits in the order of their keys, one for each key. They can be read once. */
export type SortedEdits = Iterable<Edit> & { readonly isSorted: true };

/**
 * Decoded nodes of one update, measured in encoded bytes. A large update keeps only the bytes of
 * its other nodes, because decoded ones take several times as much.
 */
const DECODED_BYTES_MAX = 4_000_000;

interface NewNode extends Block {
  /** Undefined for most nodes of a large update. */
  readonly node: Node | undefined;
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
  edits: Iterable<Edit> | SortedEdits,
  pace: Pace = WITHOUT_REST,
): Promise<TreeUpdate> {
  const changed: Changed = { added: new Map(), removed: new Set(), pace, decodedBytes: 0 };
  const { added, removed } = changed;
  const isSorted = 'isSorted' in edits;
  let pending: Iterable<LevelEdit> =
    isSorted && root === undefined ? edits : await listed(edits, isSorted, pace);
  let level = 0;
  if (root !== undefined) {
    const height = (await read(root)).level;
    let list = pending as LevelEdits;
    for (; level <= height && list.length > 0; level++)
      list = await editLevel(read, root, level, list, changed);
    if (list.length === 0) return { root, added, removed };
    pending = list;
  }
  const top = await growUp(level, pending, changed);
  const newRoot = top === undefined ? undefined : await lowest(read, top, changed);
  for (const cid of added.keys()) if (removed.delete(cid)) added.delete(cid);
  return { root: newRoot, added, removed };
}

interface Changed {
  readonly added: Map<Cid, NewNode>;
  readonly removed: Set<Cid>;
  readonly pace: Pace;
  /** Encoded bytes of the new nodes that are kept decoded. */
  decodedBytes: number;
}

/** Returns a list of edits in order. */
async function listed(edits: Iterable<Edit>, isSorted: boolean, pace: Pace): Promise<LevelEdits> {
  const list: LevelEdit[] = [];
  for (const edit of edits) {
    list.push(edit);
    if (list.length % 1000 === 0 && pace.isDue()) await pace.rest();
  }
  return isSorted ? list : inOrder(list);
}

/** Applies the edits of one level. Returns the resulting edits of the level above. */
async function editLevel(
  read: ReadNode,
  root: Cid,
  level: number,
  edits: LevelEdits,
  changed: Changed,
): Promise<LevelEdits> {
  const { removed, pace } = changed;
  const above = new Map<string, Cid | undefined>();
  const writer = nodeWriter(level, changed, (key, cid) => above.set(key, cid));
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
function nodeWriter(level: number, changed: Changed, note: (firstKey: string, cid: Cid) => void): NodeWriter {
  let entries: Entry<Payload>[] = [];
  const encoded = nodeBytes();
  const cut = (closed: boolean) => {
    const { cid, bytes, places } = encoded.take(level, closed);
    const isKept = changed.decodedBytes + bytes.length <= DECODED_BYTES_MAX;
    if (isKept) changed.decodedBytes += bytes.length;
    const node = isKept ? ({ level, entries, closed, encoded: { bytes, places } } as Node) : undefined;
    changed.added.set(cid, { cid, bytes, node });
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
  entries: Iterable<LevelEdit>,
  changed: Changed,
): Promise<Cid | undefined> {
  let row = from === 0 ? await writeLevel(0, entries, changed) : [...entries].filter(isEntry);
  for (let level = from === 0 ? 1 : from; row.length > 1; level++)
    row = await writeLevel(level, row, changed);
  const only = row[0]?.[1];
  return typeof only === 'string' ? only : undefined;
}

const isEntry = (edit: LevelEdit): edit is Entry<Payload> => edit[1] !== undefined;

/** Writes the nodes of one level. Returns the entries of the level above. */
async function writeLevel(
  level: number,
  row: Iterable<LevelEdit>,
  changed: Changed,
): Promise<Entry<Payload>[]> {
  const { pace } = changed;
  const above: Entry<Payload>[] = [];
  const writer = nodeWriter(level, changed, (key, cid) => above.push([key, cid]));
  for (const edit of row) {
    if (!isEntry(edit)) continue;
    writer.write(edit);
    if (!writer.isOpen() && pace.isDue()) await pace.rest();
  }
  writer.finish();
  return above;
}

/**
 * Removes branches with a single entry from the top of the tree, and returns the remaining root.
 */
async function lowest(read: ReadNode, top: Cid, { added, removed }: Changed): Promise<Cid> {
  let cid = top;
  for (;;) {
    const made = added.get(cid);
    const node = made === undefined ? await read(cid) : (made.node ?? decodeNode(made.bytes));
    const only = node.entries[0]?.[1];
    if (isLeaf(node) || node.entries.length > 1 || typeof only !== 'string') return cid;
    if (!added.delete(cid)) removed.add(cid);
    cid = only;
  }
}
