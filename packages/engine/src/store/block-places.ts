/**
 * Where each block lies. A database has several blocks for each write, so they are not kept as objects: rows stay as they are stored (36 bytes of CID, 4 of
 * offset, 4 of length), and a hash table of numbers says in which archive and in which row a block is found.
 */
import { BLOCK_ROW_BYTES, blockRow, decodeBlockIndex } from '../archive/block-index.ts';
import type { BlockPlace } from '../archive/car.ts';
import { CID_BYTES, type Cid, cidToBytes, DIGEST_AT } from '../codec/cid.ts';
import type { ChooseRow } from './block-set.ts';

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
/** What was removed: a search goes on behind it. */
const REMOVED = 0xffff_ffff;
const SLOTS_MIN = 1024;

export class BlockPlaces {
  /** By number; a number is one more than the place here. Those of forgotten archives are given away again. */
  readonly #rows: (Rows | undefined)[] = [];
  readonly #numbers = new Map<Cid, number>();
  readonly #spare: number[] = [];
  #archiveOf = new Uint32Array(SLOTS_MIN);
  #rowOf = new Uint32Array(SLOTS_MIN);
  #used = 0;

  /** Takes the index of an archive; a block that lay elsewhere is found here from now on. */
  add(archive: Cid, index: Uint8Array): void {
    const number = this.#spare.pop() ?? this.#rows.length + 1;
    this.#rows[number - 1] = { archive, index };
    this.#numbers.set(archive, number);
    const count = index.length / BLOCK_ROW_BYTES;
    this.#makeRoomFor(count);
    for (let row = 0; row < count; row++) this.#put(number, row);
  }

  remove(archive: Cid): void {
    const number = this.#numbers.get(archive);
    const rows = number === undefined ? undefined : this.#rows[number - 1];
    if (number === undefined || rows === undefined) return;
    for (let row = 0; row * BLOCK_ROW_BYTES < rows.index.length; row++) {
      const slot = this.#find(rows.index, row * BLOCK_ROW_BYTES);
      if (slot >= 0 && this.#archiveOf[slot] === number) this.#archiveOf[slot] = REMOVED;
    }
    this.#numbers.delete(archive);
    this.#rows[number - 1] = undefined;
    this.#spare.push(number);
  }

  get(cid: Cid): StoredPlace | undefined {
    const slot = this.#find(cidToBytes(cid), 0);
    const rows = slot < 0 ? undefined : this.#rows[(this.#archiveOf[slot] ?? FREE) - 1];
    return rows && { archive: rows.archive, ...blockRow(rows.index, this.#rowOf[slot] ?? 0) };
  }

  /** The blocks of an archive, in their order in it. */
  blocksOf(archive: Cid, isWanted?: ChooseRow): readonly BlockPlace[] {
    const rows = this.#rows[(this.#numbers.get(archive) ?? FREE) - 1];
    return rows === undefined ? [] : decodeBlockIndex(rows.index, isWanted);
  }

  /** How many bytes these blocks of an archive have together. */
  bytesOf(archive: Cid, isWanted: ChooseRow): number {
    const rows = this.#rows[(this.#numbers.get(archive) ?? FREE) - 1];
    if (rows === undefined) return 0;
    let bytes = 0;
    for (let row = 0; row * BLOCK_ROW_BYTES < rows.index.length; row++)
      if (isWanted(rows.index, row)) bytes += blockRow(rows.index, row).length;
    return bytes;
  }

  #put(number: number, row: number): void {
    const index = this.#rows[number - 1]?.index;
    if (index === undefined) return;
    const known = this.#find(index, row * BLOCK_ROW_BYTES);
    const slot = known >= 0 ? known : this.#freeSlot(index, row * BLOCK_ROW_BYTES);
    if (known < 0) this.#used++;
    this.#archiveOf[slot] = number;
    this.#rowOf[slot] = row;
  }

  /** The slot of the CID whose bytes stand there, or -1. */
  #find(bytes: Uint8Array, at: number): number {
    const last = this.#archiveOf.length - 1;
    for (let slot = hashAt(bytes, at) & last; ; slot = (slot + 1) & last) {
      const number = this.#archiveOf[slot];
      if (number === FREE) return -1;
      if (number === undefined || number === REMOVED) continue;
      const index = this.#rows[number - 1]?.index;
      if (index !== undefined && isSame(bytes, at, index, (this.#rowOf[slot] ?? 0) * BLOCK_ROW_BYTES))
        return slot;
    }
  }

  #freeSlot(bytes: Uint8Array, at: number): number {
    const last = this.#archiveOf.length - 1;
    let slot = hashAt(bytes, at) & last;
    while (this.#archiveOf[slot] !== FREE) slot = (slot + 1) & last;
    return slot;
  }

  /** At most half of the slots are used, those of removed blocks among them. */
  #makeRoomFor(more: number): void {
    if ((this.#used + more) * 2 <= this.#archiveOf.length) return;
    const [archiveOf, rowOf] = [this.#archiveOf, this.#rowOf];
    let live = more;
    for (const number of archiveOf) if (number !== FREE && number !== REMOVED) live++;
    let slots = SLOTS_MIN;
    while (slots < live * 4) slots *= 2;
    this.#archiveOf = new Uint32Array(slots);
    this.#rowOf = new Uint32Array(slots);
    this.#used = 0;
    archiveOf.forEach((number, at) => {
      if (number !== FREE && number !== REMOVED) this.#put(number, rowOf[at] ?? 0);
    });
  }
}

/** A digest is as good a hash as there is. */
const hashAt = (bytes: Uint8Array, at: number): number => {
  const start = at + DIGEST_AT;
  return (
    ((bytes[start] ?? 0) |
      ((bytes[start + 1] ?? 0) << 8) |
      ((bytes[start + 2] ?? 0) << 16) |
      ((bytes[start + 3] ?? 0) << 24)) >>>
    0
  );
};

function isSame(a: Uint8Array, at: number, b: Uint8Array, other: number): boolean {
  for (let byte = CID_BYTES - 1; byte >= 0; byte--) if (a[at + byte] !== b[other + byte]) return false;
  return true;
}
