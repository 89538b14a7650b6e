/**
 * Events of the Merkle clock: dag-cbor `{data, parents}`. `parents` is the complete previous head,
 * sorted by CID bytes. `data` is `{type: "put", root, key, value}` for one operation, `{type:
 * "batch", ops: [{type: "put", key, value}, ...], root}` for several operations. A third type,
 * `{type: "del", root, key}`, removes a key from the trie. No known writer creates it: deleting a
 * document puts a tombstone. `data` may contain `by`, which says when the event was written, and on
 * which device: stamp.ts. Existing clients ignore it.
 */
import { FixpointError } from '@fixpoint/protocol';
import { utf8 } from '../base/bytes.ts';
import type { Lru } from '../base/lru.ts';
import { type Block, encodeBlock, type ReadBlock } from '../codec/block.ts';
import { partReader } from '../codec/cbor-part.ts';
import { type Cid, compareCidBytes } from '../codec/cid.ts';
import { asArray, asMap, asText, decodeMap, link, linkCid } from '../codec/dag-cbor.ts';

/** The events that no other event descends from, sorted by text. */
export type Head = readonly Cid[];

export interface Operation {
  readonly key: string;
  /**
   * The document or the tombstone. Undefined removes the key. Such operations are read, but never
   * written.
   */
  readonly value: Cid | undefined;
}

export interface ClockEvent {
  readonly operations: readonly Operation[];
  /** Root of the trie after the event, with the effect of all parents. */
  readonly root: Cid;
  readonly parents: readonly Cid[];
  /** The encoded stamp, if the event has one. */
  readonly by?: Uint8Array | undefined;
}

export type ReadEvent = (cid: Cid) => Promise<ClockEvent>;

export const sortHead = (events: Iterable<Cid>): Head => Object.freeze([...new Set(events)].sort());

/** Encodes an event: a `put` (or a `del`) for one operation, a `batch` for several. */
export function encodeEvent({ operations, root, parents, by }: ClockEvent): Block {
  const ops = operations.map(({ key, value }) =>
    value === undefined ? { type: 'del', key } : { type: 'put', key, value: link(value) },
  );
  const [only] = ops;
  const written = ops.length === 1 && only !== undefined ? only : { type: 'batch', ops };
  const data = { ...written, root: link(root), ...(by && { by }) };
  return encodeBlock({ data, parents: [...parents].sort(compareCidBytes).map(link) });
}

/**
 * Decodes an event.
 * @throws FixpointError CORRUPT; FORMAT_NEWER for operations that this version cannot replay
 */
export function decodeEvent(bytes: Uint8Array): ClockEvent {
  const { data: anyData, parents } = decodeMap(bytes);
  const data = asMap(anyData);
  const operations = data['type'] === 'batch' ? asArray(data['ops']).map(asMap) : [data];
  const { by } = data;
  return {
    operations: operations.map(decodeOperation),
    root: linkCid(data['root']),
    parents: asArray(parents).map(linkCid),
    // Copied, so that a cached event doesn't keep its archive in memory.
    by: by instanceof Uint8Array ? by.slice() : undefined,
  };
}

const readRoot = partReader('data', 'root');

/**
 * Returns the root of an event without decoding its operations, which may be thousands.
 * @throws FixpointError CORRUPT
 */
export const decodeRoot = (bytes: Uint8Array): Cid => linkCid(readRoot(bytes));

function decodeOperation({ type, key, value }: Readonly<Record<string, unknown>>): Operation {
  if (type === 'put') return { key: asText(key), value: linkCid(value) };
  if (type === 'del') return { key: asText(key), value: undefined };
  throw new FixpointError('FORMAT_NEWER', `event ${String(type)}`);
}

const EVENT_BEGINS = [0xa2, 0x64, ...utf8('data')];

/**
 * Returns whether a block looks like an event, which is the map `{data, parents}`. No other block
 * of a database starts like that.
 */
export const isEvent = (bytes: Uint8Array): boolean => EVENT_BEGINS.every((byte, at) => bytes[at] === byte);

/**
 * Creates a reader that caches decoded events by CID. Events never change, so the cache is never
 * stale.
 * @param cache counts each event as one plus its operations
 */
export function eventReader(read: ReadBlock, cache: Lru<Cid, ClockEvent>): ReadEvent {
  return async (cid) => {
    const known = cache.get(cid);
    if (known !== undefined) return known;
    const event = decodeEvent(await read(cid));
    cache.set(cid, event, 1 + event.operations.length);
    return event;
  };
}
