/**
 * The places of blocks in rows that are read one at a time. So an open needs neither the indexes of
 * all archives nor a table of all blocks. Nothing depends on these rows: they are derived from the
 * indexes, and a block that isn't at the place that a row states is looked up in the indexes.
 *
 * - `local/places`: the map `{v, name, parts, archives: [CID text], bytes: [length]}`
 *   (hashed-row.ts), with the plain length of each archive. The content of an archive never
 *   changes, so what the parts say about it is right as long as the archive exists.
 * - `local/places/<name>-<n>`: rows of 15 bytes, sorted: the first 6 bytes of the digest, the
 *   number of the archive (2), offset (4) and length (3), big-endian. The digest decides in which
 *   part a block is.
 */
import { BLOCK_ROW_BYTES, blockRow, plainBytesOf } from '../archive/block-index.ts';
import { hex } from '../base/bytes.ts';
import { Lru } from '../base/lru.ts';
import { type Cid, cidToBytes, DIGEST_AT, parseCid } from '../codec/cid.ts';
import { asArray, asText, encode } from '../codec/dag-cbor.ts';
import { sha256 } from '../codec/sha256.ts';
import type { ByteStore, Guard, StoreChange } from '../ports/byte-store.ts';
import { OPENING_LIMITS } from '../ports/opening-limits.ts';
import type { StoredPlace } from './block-places.ts';
import { digestKey } from './choose-row.ts';
import { decodeHashed, encodeHashed } from './hashed-row.ts';
import { PLACES } from './names.ts';

const VERSION = 1;
const KEY_BYTES = 6;
const KEYS = 2 ** 48;
const ROW_BYTES = KEY_BYTES + 2 + 4 + 3;
const ARCHIVES_MAX = 0x1_0000;
const LENGTH_MAX = 0x100_0000;
/** Twice the size of all parts of a million documents, because half of it may be old entries. */
const PARTS_KEPT_BYTES = 48_000_000;
const PART_WEIGHT = OPENING_LIMITS.partBytes;
const WRITTEN_AT_ONCE = 16;

const LIST = PLACES;
const PARTS = `${LIST}/`;
const partKey = (name: string, part: number): string => `${PARTS}${name}-${part}`;

type PartStore = Pick<ByteStore, 'read'>;

/** Which archives the parts cover. */
export interface PlaceList {
  readonly name: string;
  readonly parts: number;
  /** The plain length of each archive, in the order of their numbers. */
  readonly archives: ReadonlyMap<Cid, number>;
}

/** Returns undefined if the row can't be used. */
export async function readPlaceList(store: PartStore): Promise<PlaceList | undefined> {
  try {
    const { v, name, parts, archives, bytes } = decodeHashed(await store.read(LIST));
    if (v !== VERSION) return undefined;
    const lengths = asArray(bytes);
    const all = asArray(archives).map((cid, at) => [parseCid(cid), Number(lengths[at])] as const);
    return { name: asText(name), parts: Number(parts), archives: new Map(all) };
  } catch {
    return undefined;
  }
}

/** Finds the places of blocks in stored parts. */
export class PlaceParts {
  readonly #store: PartStore;
  readonly #list: PlaceList;
  readonly #archives: readonly Cid[];
  readonly #read = new Lru<number, Promise<Uint8Array>>(PARTS_KEPT_BYTES);

  constructor(store: PartStore, list: PlaceList) {
    this.#store = store;
    this.#list = list;
    this.#archives = [...list.archives.keys()];
  }

  /**
   * Returns the place of a block in one of these archives; undefined if no part has one.
   * @throws FixpointError CORRUPT, STORE_FAILED
   */
  async find(block: Cid, archives: ReadonlySet<Cid>): Promise<StoredPlace | undefined> {
    const key = digestKey(cidToBytes(block), 0);
    const part = await this.#part(partOf(key, this.#list.parts));
    const view = new DataView(part.buffer, part.byteOffset, part.length);
    for (let at = lowestRow(part, key) * ROW_BYTES; at < part.length; at += ROW_BYTES) {
      if (keyAt(part, at) !== key) break;
      const archive = this.#archives[view.getUint16(at + KEY_BYTES)];
      if (archive === undefined || !archives.has(archive)) continue;
      const length = view.getUint32(at + ROW_BYTES - 4) % LENGTH_MAX;
      return { archive, offset: view.getUint32(at + KEY_BYTES + 2), length };
    }
    return undefined;
  }

  #part(part: number): Promise<Uint8Array> {
    const known = this.#read.get(part);
    if (known !== undefined) return known;
    const reading = this.#store
      .read(partKey(this.#list.name, part))
      .then((bytes = new Uint8Array()) => bytes.subarray(0, bytes.length - (bytes.length % ROW_BYTES)));
    this.#read.set(part, reading, PART_WEIGHT);
    reading.catch(() => this.#read.delete(part));
    return reading;
  }
}

const partOf = (key: number, parts: number): number => Math.floor((key / KEYS) * parts);

const keyAt = (part: Uint8Array, at: number): number => digestKey(part, at - DIGEST_AT);

/** Returns the first row whose key isn't below this one. */
function lowestRow(part: Uint8Array, key: number): number {
  let low = 0;
  let high = part.length / ROW_BYTES;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keyAt(part, middle * ROW_BYTES) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns whether parts state the places of blocks of this length. */
export const isLengthInParts = (length: number): boolean => length < LENGTH_MAX;

/**
 * Stores the places of all blocks of these archives, and then removes all other parts. Returns the
 * new list, or undefined if there are too few blocks or too many archives. If another tab stored a
 * list first, returns that one.
 * @param indexes the stored index of each archive
 * @param pause lets other work run; called now and then
 * @param partBytes length of a part, if the digests of blocks are distributed evenly
 * @param areDamaged whether to store the parts even if another tab has stored the same ones
 */
export async function writePlaceParts(
  store: Pick<ByteStore, 'keys' | 'read' | 'write'>,
  given: ReadonlyMap<Cid, Uint8Array>,
  pause: () => Promise<void>,
  partBytes: number,
  areDamaged = false,
): Promise<PlaceList | undefined> {
  // The name depends only on which archives there are, so that tabs don't replace equal parts.
  const indexes = new Map([...given].sort(([a], [b]) => (a < b ? -1 : 1)));
  let rows = 0;
  for (const index of indexes.values()) rows += index.length / BLOCK_ROW_BYTES;
  const parts = Math.floor((rows * ROW_BYTES) / partBytes);
  if (parts === 0 || indexes.size > ARCHIVES_MAX) return undefined;
  const archives = new Map([...indexes].map(([cid, index]) => [cid, plainBytesOf(index)]));
  const name = hex(sha256(encode([...archives.keys()]))).slice(0, 16);
  const list = { name, parts, archives };
  const known = await readPlaceList(store);
  if (known?.name === name && known.parts === parts && !areDamaged) return known;
  const changes: StoreChange[] = (await partsOf(indexes, parts, pause)).map((bytes, part) => ({
    key: partKey(name, part),
    bytes,
  }));
  const isOwn = new Set(changes.map(({ key }) => key));
  const guard = await guardOfList(store);
  const others = (await store.keys(PARTS)).filter((key) => !isOwn.has(key));
  while (changes.length > WRITTEN_AT_ONCE) {
    await store.write(changes.splice(0, WRITTEN_AT_ONCE));
    await pause();
  }
  const content = { v: VERSION, name, parts, archives: [...archives.keys()], bytes: [...archives.values()] };
  const last = [...changes, { key: LIST, bytes: encodeHashed(content) }, ...others.map(removalOf)];
  if (await store.write(last, guard)) return list;
  const stored = await readPlaceList(store);
  if (stored?.name !== name) await store.write([...isOwn].map(removalOf));
  return stored;
}

const removalOf = (key: string): StoreChange => ({ key, bytes: undefined });

/** Returns the guard of a write that replaces the list; undefined if the list is damaged. */
async function guardOfList(store: PartStore): Promise<Guard | undefined> {
  try {
    return { key: LIST, bytes: await store.read(LIST) };
  } catch {
    return undefined;
  }
}

/**
 * Returns the content of each part. Puts the rows into their parts first and sorts each part later,
 * so that only the rows of one part are objects at a time.
 */
async function partsOf(
  indexes: ReadonlyMap<Cid, Uint8Array>,
  parts: number,
  pause: () => Promise<void>,
): Promise<Uint8Array[]> {
  const used = new Uint32Array(parts);
  await eachRow(indexes, parts, pause, (part) => {
    used[part] = (used[part] as number) + ROW_BYTES;
  });
  const unsorted = Array.from(used, (bytes) => new DataView(new ArrayBuffer(bytes)));
  used.fill(0);
  await eachRow(indexes, parts, pause, (part, { number, index, row, offset, length }) => {
    const view = unsorted[part] as DataView;
    const at = used[part] as number;
    used[part] = at + ROW_BYTES;
    view.setUint32(at + ROW_BYTES - 4, length);
    view.setUint32(at + KEY_BYTES + 2, offset);
    view.setUint16(at + KEY_BYTES, number);
    const digest = row * BLOCK_ROW_BYTES + DIGEST_AT;
    for (let byte = 0; byte < KEY_BYTES; byte++) view.setUint8(at + byte, index[digest + byte] as number);
  });
  const sorted: Uint8Array[] = [];
  for (const { buffer } of unsorted) {
    sorted.push(sortedRows(new Uint8Array(buffer)));
    await pause();
  }
  return sorted;
}

interface PartRow {
  /** The number of the archive. */
  readonly number: number;
  readonly index: Uint8Array;
  readonly row: number;
  readonly offset: number;
  readonly length: number;
}

/** Calls back with each row of the indexes, and with the part that it belongs to. */
async function eachRow(
  indexes: ReadonlyMap<Cid, Uint8Array>,
  parts: number,
  pause: () => Promise<void>,
  take: (part: number, row: PartRow) => void,
): Promise<void> {
  let number = 0;
  for (const index of indexes.values()) {
    for (let row = 0; row * BLOCK_ROW_BYTES < index.length; row++) {
      const { offset, length } = blockRow(index, row);
      if (length >= LENGTH_MAX) continue;
      take(partOf(digestKey(index, row * BLOCK_ROW_BYTES), parts), { number, index, row, offset, length });
    }
    number++;
    await pause();
  }
}

function sortedRows(rows: Uint8Array): Uint8Array {
  const keys = Float64Array.from({ length: rows.length / ROW_BYTES }, (_, row) =>
    keyAt(rows, row * ROW_BYTES),
  );
  const order = Uint32Array.from(keys.keys()).sort((a, b) => (keys[a] as number) - (keys[b] as number));
  const sorted = new Uint8Array(rows.length);
  for (const [at, row] of order.entries())
    sorted.set(rows.subarray(row * ROW_BYTES, (row + 1) * ROW_BYTES), at * ROW_BYTES);
  return sorted;
}
