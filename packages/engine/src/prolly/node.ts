/**
 * Nodes of a prolly tree: an ordered map of texts whose shape depends only on its content. A node
 * is canonical dag-cbor.
 *
 * - Leaf: `{leaf: [[key, value], ...], closed}`, where value is null or the dag-cbor bytes of a
 *   value.
 * - Branch: `{branch: [level, [[key, link], ...]], closed}`, with the first key of each child and
 *   the link to it. Leaves are level 0.
 *
 * Entries ascend by key (UTF-16 code units). `closed` is true if the last entry ends the node (see
 * {@link endsNode}). Only the last node of a level may be open. A level with a single node is the
 * root. So equal content has equal roots, whatever edits created it.
 */
import { FixpointError, LIMITS } from '@fixpoint/protocol';
import { concatBytes, utf8 } from '../base/bytes.ts';
import { type Block, blockOf } from '../codec/block.ts';
import { type Cid, cidToBytes } from '../codec/cid.ts';
import { asArray, asText, decodeMap, linkCid } from '../codec/dag-cbor.ts';
import { sha256 } from '../codec/sha256.ts';

/** dag-cbor bytes of a value, or null. */
export type Value = Uint8Array | null;
export type Entry<Payload> = readonly [key: string, payload: Payload];

/**
 * The bytes of a node, and the offset of each entry. One more offset marks the end of the last
 * entry.
 */
interface EncodedEntries {
  readonly bytes: Uint8Array;
  readonly places: readonly number[];
}

interface AnyNode<Payload> {
  readonly entries: readonly Entry<Payload>[];
  readonly closed: boolean;
  /** Set if this process created the node. */
  readonly encoded?: EncodedEntries;
}
export interface Leaf extends AnyNode<Value> {
  readonly level: 0;
}
interface Branch extends AnyNode<Cid> {
  readonly level: number;
}
export type Node = Leaf | Branch;

/**
 * Reads a node. Frequent readers cache decoded nodes.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export type ReadNode = (cid: Cid) => Promise<Node>;

export const isLeaf = (node: Node): node is Leaf => node.level === 0;

/** Decodes a node. @throws FixpointError CORRUPT */
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

/**
 * An entry ends its node if the last four bytes of its hash are at most this value. On average,
 * that is one in `chunkingThreshold` entries.
 */
const BOUNDARY_MAX = Math.floor(0xffffffff / LIMITS.chunkingThreshold);

/**
 * Returns whether an entry ends its node. Only the bytes of the entry decide, so all trees that
 * contain the entry split after it.
 */
export function endsNode(entryBytes: Uint8Array): boolean {
  const digest = sha256(entryBytes);
  const byte = (behind: number) => digest[digest.length - behind] as number;
  return ((byte(1) << 24) | (byte(2) << 16) | (byte(3) << 8) | byte(4)) >>> 0 <= BOUNDARY_MAX;
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

/** Texts that are longer than this use the platform's encoder. */
const SHORT_TEXT = 64;
const HEAD_BYTES_MAX = 5;

/** Buffers the bytes of entries until they become a node. */
export interface NodeBytes {
  /**
   * Appends an entry. Returns the encoded bytes of the entry, which are valid until the next call.
   */
  append(entry: Entry<Value | Cid>): Uint8Array;
  /** Copies a range of entries of another node. Copies encoded bytes if the node has them. */
  copy(node: Node, from: number, to: number): void;
  /** Returns the block of a node with all entries so far, and resets the buffer. */
  take(level: number, closed: boolean): Block & EncodedEntries;
}

export function nodeBytes(): NodeBytes {
  const buffer = createByteBuffer();
  const { put } = buffer;
  /** The offset of each entry in the buffer. */
  let places: number[] = [];

  function append([key, payload]: Entry<Value | Cid>): Uint8Array {
    const start = buffer.length();
    places.push(start);
    put(PAIR);
    buffer.putText(key);
    if (payload === null) put(NULL);
    else if (typeof payload === 'string') {
      put(LINK);
      put(cidToBytes(payload));
    } else {
      buffer.putHead(BYTES, payload.length);
      put(payload);
    }
    return buffer.from(start);
  }

  return {
    append,
    copy: ({ entries, encoded }, from, to) => {
      if (encoded === undefined) {
        for (const entry of entries.slice(from, to)) append(entry);
        return;
      }
      const moved = buffer.length() - (encoded.places[from] ?? 0);
      for (const place of encoded.places.slice(from, to)) places.push(place + moved);
      put(encoded.bytes.subarray(encoded.places[from] ?? 0, encoded.places[to]));
    },
    take: (level, closed) => {
      const start = level === 0 ? [LEAF] : [BRANCH, head(0, level)];
      start.push(head(ARRAY, places.length));
      const before = start.reduce((sum, { length: part }) => sum + part, 0);
      const block = blockOf(concatBytes([...start, buffer.from(0), closed ? CLOSED : OPEN]));
      const taken = { ...block, places: [...places, buffer.length()].map((place) => before + place) };
      buffer.clear();
      places = [];
      return taken;
    },
  };
}

/** Creates a buffer that grows as CBOR is appended to it. */
function createByteBuffer() {
  let buffer = new Uint8Array(4096);
  let length = 0;

  function reserve(more: number): void {
    if (length + more <= buffer.length) return;
    const larger = new Uint8Array(Math.max(buffer.length * 2, length + more));
    larger.set(buffer.subarray(0, length));
    buffer = larger;
  }

  function put(bytes: Uint8Array): void {
    reserve(bytes.length);
    buffer.set(bytes, length);
    length += bytes.length;
  }

  function putHead(major: number, size: number): void {
    reserve(HEAD_BYTES_MAX);
    if (size < 24) buffer[length++] = (major << 5) | size;
    else if (size < 0x100) {
      buffer[length++] = (major << 5) | 24;
      buffer[length++] = size;
    } else put(head(major, size));
  }

  function putText(text: string): void {
    if (text.length <= SHORT_TEXT && putAscii(text)) return;
    const bytes = utf8(text);
    putHead(TEXT, bytes.length);
    put(bytes);
  }

  /** Appends a text. Returns false and appends nothing if a character isn't ASCII. */
  function putAscii(text: string): boolean {
    const start = length;
    putHead(TEXT, text.length);
    reserve(text.length);
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit > 0x7f) {
        length = start;
        return false;
      }
      buffer[length++] = unit;
    }
    return true;
  }

  return {
    put,
    putHead,
    putText,
    length: () => length,
    /** Returns the bytes from this offset on; valid until the next call. */
    from: (start: number) => buffer.subarray(start, length),
    clear: () => {
      length = 0;
    },
  };
}

/** Returns the first bytes of a CBOR item: its major type and its length in the shortest form. */
function head(major: number, length: number): Uint8Array {
  const type = major << 5;
  if (length < 24) return Uint8Array.of(type | length);
  if (length < 0x100) return Uint8Array.of(type | 24, length);
  if (length < 0x10000) return Uint8Array.of(type | 25, length >> 8, length & 0xff);
  return Uint8Array.of(type | 26, length >>> 24, (length >> 16) & 0xff, (length >> 8) & 0xff, length & 0xff);
}
