/** Reads blocks from archives as they are stored (docs/decisions/0084). */
import { FixpointError } from '@fixpoint/protocol';
import { hasSectionAt } from '../archive/car.ts';
import { equalBytes } from '../base/bytes.ts';
import { Lru } from '../base/lru.ts';
import { type Cid, digestOf } from '../codec/cid.ts';
import { sha256 } from '../codec/sha256.ts';
import { openPart, sealedStart } from '../crypto/seal.ts';
import type { ByteStore } from '../ports/byte-store.ts';
import { type ArchiveKeys, openStored } from './open-archive.ts';

const OPENED_BYTES_MAX = 32_000_000;
/**
 * Reading one part of an archive costs about as much as opening this number of extra bytes, unless
 * the store has another number.
 */
const BYTES_FOR_ONE_PART = 8_000;

/** A block, its place in the archive, and its position in the result. */
export interface WantedBlock {
  readonly cid: Cid;
  readonly offset: number;
  readonly length: number;
  readonly at: number;
}

/** Blocks that are read together, and the range of bytes that contains them. */
interface Part {
  readonly blocks: WantedBlock[];
  readonly start: number;
  end: number;
}

export class StoredArchives {
  readonly #store: ByteStore;
  readonly #keys: ArchiveKeys;
  readonly #keyOf: (archive: Cid) => string;
  readonly #opened = new Lru<Cid, Promise<Uint8Array>>(OPENED_BYTES_MAX);
  /** Minimum weight of a cached archive, which limits the number of cached archives. */
  readonly #weightMin: number;
  /**
   * Cost of the parts that were read of each archive. Forgets archives that wouldn't be in memory
   * any more if they had been opened instead, so that reads of random blocks open no archives.
   */
  readonly #partsRead = new Lru<Cid, number>(OPENED_BYTES_MAX);

  /**
   * @param keyOf the key of an archive
   * @param kept maximum number of opened archives in memory, which are also limited to 32 MB
   */
  constructor(store: ByteStore, keys: ArchiveKeys, keyOf: (archive: Cid) => string, kept: number) {
    this.#store = store;
    this.#keys = keys;
    this.#keyOf = keyOf;
    this.#weightMin = OPENED_BYTES_MAX / kept;
  }

  /** Returns whether all of these archives fit in memory together. */
  canHold(archives: number, bytes: number): boolean {
    // An archive weighs its bytes or the minimum. The sum is at least the larger of the two.
    return archives * this.#weightMin + bytes <= OPENED_BYTES_MAX;
  }

  /**
   * Returns the plain bytes of an archive as currently stored.
   * @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN
   */
  async readNow(cid: Cid): Promise<Uint8Array> {
    const sealed = await this.#store.read(this.#keyOf(cid));
    if (sealed === undefined) throw new FixpointError('MISSING_CARS', cid);
    return openStored(sealed, this.#keys, cid);
  }

  /**
   * Returns the plain bytes of an archive, from memory if the archive is opened.
   * @param bytes length of the plain archive
   */
  read(cid: Cid, bytes: number): Promise<Uint8Array> {
    const known = this.#opened.get(cid);
    if (known !== undefined) return known;
    const opening = this.readNow(cid);
    this.#opened.set(cid, opening, Math.max(bytes, this.#weightMin));
    this.#partsRead.delete(cid);
    opening.catch(() => this.#opened.delete(cid));
    return opening;
  }

  /**
   * Caches an archive that was just stored, so that a read needn't open it. Its weight is only its
   * size, because archives of commits are soon merged.
   */
  keep(cid: Cid, plain: Uint8Array): void {
    this.#opened.set(cid, Promise.resolve(plain), plain.length);
  }

  /**
   * Puts blocks of an archive into `into`, as views of the opened archive or as separate bytes. If
   * views would keep much more than the blocks in memory, copies the blocks.
   * Reads blocks separately until that has cost as much as opening the archive, then opens the
   * archive.
   * @param bytes length of the plain archive
   * @throws as {@link readNow}
   */
  async readBlocks(
    archive: Cid,
    wanted: readonly WantedBlock[],
    bytes: number,
    into: Uint8Array[],
  ): Promise<void> {
    const parts = this.#partsToRead(archive, wanted, bytes);
    if (parts !== undefined && (await this.#readParts(archive, parts, bytes, into))) return;
    const opened = await this.read(archive, bytes);
    const lost = takeBlocks(wanted, opened, 0, into, isInOpened);
    if (lost !== undefined) throw new FixpointError('CORRUPT', `block ${lost.cid} has other content`);
    let taken = 0;
    for (const { length } of wanted) taken += length;
    if (taken < opened.length / 2) for (const { at } of wanted) into[at] = (into[at] as Uint8Array).slice();
  }

  forget(cid: Cid): void {
    this.#opened.delete(cid);
    this.#partsRead.delete(cid);
  }

  /** Returns the parts to read, or undefined if opening the whole archive is cheaper. */
  #partsToRead(archive: Cid, wanted: readonly WantedBlock[], bytes: number): readonly Part[] | undefined {
    if (this.#store.readPart === undefined || this.#opened.get(archive) !== undefined) return undefined;
    const { partCost = BYTES_FOR_ONE_PART } = this.#store;
    const parts = partsOf(wanted, partCost);
    let cost = this.#partsRead.get(archive) ?? 0;
    for (const { start, end } of parts) cost += partCost + end - start;
    if (cost > bytes) return undefined;
    this.#partsRead.set(archive, cost, Math.max(bytes, this.#weightMin));
    return parts;
  }

  /**
   * Returns false if a block can't be read or doesn't match its CID. Reading the whole archive then
   * shows why.
   */
  async #readParts(
    archive: Cid,
    parts: readonly Part[],
    bytes: number,
    into: Uint8Array[],
  ): Promise<boolean> {
    const keys = this.#keys.keys();
    const from = sealedStart(bytes, keys);
    for (const { blocks, start, end } of parts) {
      const sealed = await this.#store.readPart?.(this.#keyOf(archive), from + start, end - start);
      if (sealed === undefined) return false;
      let isRead = false;
      for (const key of keys.all.values()) {
        const plain = await openPart(sealed, key, archive, start);
        isRead = takeBlocks(blocks, plain, start, into, isOfHash) === undefined;
        if (isRead) break;
      }
      if (!isRead) return false;
    }
    return true;
  }
}

/**
 * Groups blocks into parts. Two blocks are in one part if reading the gap between them costs less
 * than reading another part.
 */
function partsOf(wanted: readonly WantedBlock[], partCost: number): readonly Part[] {
  const parts: Part[] = [];
  let last: Part | undefined;
  for (const block of wanted.toSorted((a, b) => a.offset - b.offset)) {
    const end = block.offset + block.length;
    if (last !== undefined && block.offset - last.end < partCost) {
      last.blocks.push(block);
      if (end > last.end) last.end = end;
    } else {
      last = { blocks: [block], start: block.offset, end };
      parts.push(last);
    }
  }
  return parts;
}

/** Returns whether the bytes at an offset are the block. */
type CheckBlock = (block: WantedBlock, bytes: Uint8Array, from: number) => boolean;

/**
 * Checks only that the length and CID of a block are at its place. The hash of an opened archive
 * was verified, so the bytes after that CID are right (docs/decisions/0092).
 */
const isInOpened: CheckBlock = ({ cid, length }, car, from) => hasSectionAt(car, cid, from, length);

/** Checks the hash of a block that was read separately. */
const isOfHash: CheckBlock = ({ cid, length }, part, from) =>
  equalBytes(sha256(part.subarray(from, from + length)), digestOf(cid));

/**
 * Puts blocks into `into`, from plain bytes that begin at offset `start` of the archive. Returns
 * the first block that isn't at its place.
 */
function takeBlocks(
  blocks: readonly WantedBlock[],
  plain: Uint8Array,
  start: number,
  into: Uint8Array[],
  isBlock: CheckBlock,
): WantedBlock | undefined {
  for (const block of blocks) {
    const from = block.offset - start;
    // The index isn't trusted, so check the block itself.
    if (!isBlock(block, plain, from)) return block;
    into[block.at] = plain.subarray(from, from + block.length);
  }
  return undefined;
}
