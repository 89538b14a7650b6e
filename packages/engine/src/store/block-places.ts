/**
 * Finds the place of each block. A database has several blocks for each write, so places aren't
 * kept as objects. The rows of indexes remain in their stored form (36 bytes of CID, 4 of offset, 4
 * of length). A hash table of numbers maps each block to its archive and row. Each part of the
 * table grows separately, because growing a table of a million blocks would block writers.
 */
import { BLOCK_ROW_BYTES, blockRow, decodeBlockIndex } from '../archive/block-index.ts';
import type { BlockPlace } from '../archive/car.ts';
import { CID_BYTES, type Cid, cidToBytes, DIGEST_AT } from '../codec/cid.ts';
import type { ChooseRow } from './choose-row.ts';

export interface StoredPlace {
  readonly archive: Cid;
  readonly offset: number;
  readonly length: number;
}

interface Rows {
  readonly archive: Cid;
  readonly index: Uint8Array;
}

const FREE = 0;
/** Marks a removed slot, after which a search continues. */
const REMOVED = 0xffff_ffff;
const SLOTS_MIN = 16;
const PARTS = 64;

export class BlockPlaces {
  /** The archive with number n is at index n - 1. Numbers of removed archives are reused. */
  readonly #rows: (Rows | undefined)[] = [];
  readonly #numbers = new Map<Cid, number>();
  readonly #spare: number[] = [];
  readonly #parts = Array.from({ length: PARTS }, () => new Part(this.#rows));

  /**
   * Adds the index of an archive. A block that is also in another archive is found in this one from
   * now on.
   */
  add(archive: Cid, index: Uint8Array): void {
    const number = this.#spare.pop() ?? this.#rows.length + 1;
    this.#rows[number - 1] = { archive, index };
    this.#numbers.set(archive, number);
    for (let row = 0; row * BLOCK_ROW_BYTES < index.length; row++)
      this.#partOf(index, row * BLOCK_ROW_BYTES).put(number, row);
  }

  remove(archive: Cid): void {
    const number = this.#numbers.get(archive);
    if (number === undefined) return;
    const index = this.#indexOf(number);
    for (let row = 0; row * BLOCK_ROW_BYTES < index.length; row++)
      this.#partOf(index, row * BLOCK_ROW_BYTES).remove(number, index, row * BLOCK_ROW_BYTES);
    this.#numbers.delete(archive);
    this.#rows[number - 1] = undefined;
    this.#spare.push(number);
  }

  get(cid: Cid): StoredPlace | undefined {
    const bytes = cidToBytes(cid);
    const { number, row } = this.#partOf(bytes, 0).find(bytes);
    const rows = this.#rows[number - 1];
    return rows && { archive: rows.archive, ...blockRow(rows.index, row) };
  }

  /** Returns a number that sorts blocks by archive and place; 0 for an unknown block. */
  orderOf(cid: Cid): number {
    const bytes = cidToBytes(cid);
    const { number, row } = this.#partOf(bytes, 0).find(bytes);
    return number * 2 ** 32 + row;
  }

  /** Returns the blocks of an archive, in the order of the archive. */
  blocksOf(archive: Cid, isWanted?: ChooseRow): readonly BlockPlace[] {
    const number = this.#numbers.get(archive);
    return number === undefined ? [] : decodeBlockIndex(this.#indexOf(number), isWanted);
  }

  /** Returns the places of blocks without their CIDs, which costs much less than `blocksOf`. */
  placesIn(archive: Cid, isWanted: ChooseRow = () => true): readonly Omit<StoredPlace, 'archive'>[] {
    const places: Omit<StoredPlace, 'archive'>[] = [];
    const number = this.#numbers.get(archive);
    if (number === undefined) return places;
    const index = this.#indexOf(number);
    for (let row = 0; row * BLOCK_ROW_BYTES < index.length; row++)
      if (isWanted(index, row)) places.push(blockRow(index, row));
    return places;
  }

  /** Returns the total size of the blocks of an archive. */
  bytesOf(archive: Cid, isWanted: ChooseRow = () => true): number {
    let bytes = 0;
    const index = this.indexOf(archive);
    for (let row = 0; row * BLOCK_ROW_BYTES < index.length; row++)
      if (isWanted(index, row)) bytes += blockRow(index, row).length;
    return bytes;
  }

  /** Returns the index of an archive. */
  indexOf(archive: Cid): Uint8Array {
    const number = this.#numbers.get(archive);
    return number === undefined ? new Uint8Array() : this.#indexOf(number);
  }

  #indexOf(number: number): Uint8Array {
    return (this.#rows[number - 1] as Rows).index;
  }

  #partOf(bytes: Uint8Array, at: number): Part {
    return this.#parts[(bytes[at + DIGEST_AT] as number) % PARTS] as Part;
  }

  /** Makes space for more blocks. Call this before adding many of them. */
  makeRoomFor(more: number): void {
    for (const part of this.#parts) part.makeRoomFor(Math.ceil(more / PARTS));
  }
}

class Part {
  readonly #rows: readonly (Rows | undefined)[];
  #archiveOf = new Uint32Array(SLOTS_MIN);
  #rowOf = new Uint32Array(SLOTS_MIN);
  #used = 0;

  constructor(rows: readonly (Rows | undefined)[]) {
    this.#rows = rows;
  }

  /** Returns the archive and row of a CID; 0 and 0 if it is unknown. */
  find(cid: Uint8Array): { readonly number: number; readonly row: number } {
    const slot = this.#slotOf(cid, 0);
    return { number: this.#archiveOf[slot] as number, row: this.#rowOf[slot] as number };
  }

  put(number: number, row: number): void {
    this.makeRoomFor(1);
    const slot = this.#slotOf(this.#indexOf(number), row * BLOCK_ROW_BYTES);
    if (this.#archiveOf[slot] === FREE) this.#used++;
    this.#archiveOf[slot] = number;
    this.#rowOf[slot] = row;
  }

  /** Removes the CID that starts at `at`, if it is found in this archive. */
  remove(number: number, bytes: Uint8Array, at: number): void {
    const slot = this.#slotOf(bytes, at);
    if (this.#archiveOf[slot] === number) this.#archiveOf[slot] = REMOVED;
  }

  /** Returns the index of the archive with this number, which must be in use. */
  #indexOf(number: number): Uint8Array {
    return (this.#rows[number - 1] as Rows).index;
  }

  /**
   * Returns the slot of the CID whose bytes start at `at`, or the free slot where this CID belongs.
   */
  #slotOf(bytes: Uint8Array, at: number): number {
    const [archiveOf, rowOf] = [this.#archiveOf, this.#rowOf];
    const last = archiveOf.length - 1;
    for (let slot = hashAt(bytes, at) & last; ; slot = (slot + 1) & last) {
      const number = archiveOf[slot] as number;
      if (number === FREE) return slot;
      if (number === REMOVED) continue;
      if (isSame(bytes, at, this.#indexOf(number), (rowOf[slot] as number) * BLOCK_ROW_BYTES)) return slot;
    }
  }

  /** At most two thirds of the slots are used, including slots of removed blocks. */
  makeRoomFor(more: number): void {
    if ((this.#used + more) * 3 <= this.#archiveOf.length * 2) return;
    const [archiveOf, rowOf] = [this.#archiveOf, this.#rowOf];
    let live = more;
    for (const number of archiveOf) if (number !== FREE && number !== REMOVED) live++;
    let slots = SLOTS_MIN;
    while (slots < live * 2) slots *= 2;
    // Without memory for both, the part keeps the tables that it has.
    const [larger, largerRows] = [new Uint32Array(slots), new Uint32Array(slots)];
    this.#archiveOf = larger;
    this.#rowOf = largerRows;
    this.#used = 0;
    archiveOf.forEach((number, at) => {
      if (number === FREE || number === REMOVED) return;
      const row = rowOf[at] as number;
      // All blocks differ, so comparing them would only cost time.
      let slot = hashAt(this.#indexOf(number), row * BLOCK_ROW_BYTES) % slots;
      while (this.#archiveOf[slot] !== FREE) slot = (slot + 1) % slots;
      this.#archiveOf[slot] = number;
      this.#rowOf[slot] = row;
      this.#used++;
    });
  }
}

/** Returns four bytes of the digest, which is a good hash. Omits the byte that chose the part. */
const hashAt = (bytes: Uint8Array, at: number): number => {
  const start = at + DIGEST_AT + 1;
  return (
    ((bytes[start] as number) |
      ((bytes[start + 1] as number) << 8) |
      ((bytes[start + 2] as number) << 16) |
      ((bytes[start + 3] as number) << 24)) >>>
    0
  );
};

function isSame(a: Uint8Array, at: number, b: Uint8Array, other: number): boolean {
  for (let byte = CID_BYTES - 1; byte >= 0; byte--) if (a[at + byte] !== b[other + byte]) return false;
  return true;
}
