/**
 * Nodes of a prolly tree: an ordered map of texts whose shape depends on its content alone.
 *
 * A node is canonical dag-cbor. Leaf: `{leaf: [[key, value], ...], closed}`, where value is null or the dag-cbor bytes of a value.
 * Branch: `{branch: [level, [[key, link], ...]], closed}`: the first key of each child and the link to it; leaves are level 0.
 * Entries ascend by key (UTF-16 code units). `closed` says that the last entry ends the node (see boundary.ts); only the last node of a
 * level may be open. A level of one node is the root, so that equal content has equal roots, whatever way it was written.
 */
import { FixpointError } from '@fixpoint/protocol';
import { concatBytes, utf8 } from '../base/bytes.ts';
import { type Block, blockOf } from '../codec/block.ts';
import { type Cid, cidToBytes } from '../codec/cid.ts';
import { asArray, asText, decodeMap, linkCid } from '../codec/dag-cbor.ts';

/** dag-cbor bytes of a value, or null. */
export type Value = Uint8Array | null;
export type Entry<Payload> = readonly [key: string, payload: Payload];

export interface Leaf {
  readonly level: 0;
  readonly entries: readonly Entry<Value>[];
  readonly closed: boolean;
}
export interface Branch {
  readonly level: number;
  readonly entries: readonly Entry<Cid>[];
  readonly closed: boolean;
}
export type Node = Leaf | Branch;

/** Reads a node; those who read often keep decoded nodes. @throws FixpointError MISSING_BLOCK, CORRUPT */
export type ReadNode = (cid: Cid) => Promise<Node>;

export const isLeaf = (node: Node): node is Leaf => node.level === 0;

/** @throws FixpointError CORRUPT */
export function decodeNode(bytes: Uint8Array): Node {
  const { leaf, branch, closed } = decodeMap(bytes) as Record<'leaf' | 'branch' | 'closed', unknown>;
  if (typeof closed !== 'boolean') throw new FixpointError('CORRUPT', 'not a node of an index');
  if (leaf !== undefined)
    return { level: 0, closed, entries: asArray(leaf).map((entry) => pair(entry, asValue)) };
  const [level, entries] = asArray(branch);
  if (typeof level !== 'number' || !(level > 0)) throw new FixpointError('CORRUPT', 'not a node of an index');
  return { level, closed, entries: asArray(entries).map((entry) => pair(entry, linkCid)) };
}

function pair<Payload>(entry: unknown, parse: (value: unknown) => Payload): Entry<Payload> {
  const [key, payload] = asArray(entry);
  return [asText(key), parse(payload)];
}

function asValue(value: unknown): Value {
  if (value !== null && !(value instanceof Uint8Array))
    throw new FixpointError('CORRUPT', 'not a value of an index');
  return value;
}

const ARRAY = 4;
const BYTES = 2;
const TEXT = 3;
const PAIR = Uint8Array.of(0x82);
const NULL = Uint8Array.of(0xf6);
const LINK = Uint8Array.of(0xd8, 0x2a, 0x58, 0x25, 0x00);
const LEAF = Uint8Array.of(0xa2, 0x64, ...utf8('leaf'));
const BRANCH = Uint8Array.of(0xa2, 0x66, ...utf8('branch'), 0x82);
const CLOSED = Uint8Array.of(0x66, ...utf8('closed'), 0xf5);
const OPEN = Uint8Array.of(0x66, ...utf8('closed'), 0xf4);

/** The bytes of an entry, as they stand inside of its node. */
export function encodeEntry([key, payload]: Entry<Value | Cid>): Uint8Array {
  const text = utf8(key);
  const parts = [PAIR, head(TEXT, text.length), text];
  if (payload === null) parts.push(NULL);
  else if (typeof payload === 'string') parts.push(LINK, cidToBytes(payload));
  else parts.push(head(BYTES, payload.length), payload);
  return concatBytes(parts);
}

/** The block of a node, from the bytes of its entries. */
export function encodeNode(level: number, entries: readonly Uint8Array[], closed: boolean): Block {
  const start = level === 0 ? [LEAF] : [BRANCH, head(0, level)];
  const all = [...start, head(ARRAY, entries.length), ...entries, closed ? CLOSED : OPEN];
  return blockOf(concatBytes(all));
}

/** The first bytes of a CBOR item: its major type and its length in the shortest form. */
function head(major: number, length: number): Uint8Array {
  const type = major << 5;
  if (length < 24) return Uint8Array.of(type | length);
  if (length < 0x100) return Uint8Array.of(type | 24, length);
  if (length < 0x10000) return Uint8Array.of(type | 25, length >> 8, length & 0xff);
  return Uint8Array.of(type | 26, length >>> 24, (length >> 16) & 0xff, (length >> 8) & 0xff, length & 0xff);
}
