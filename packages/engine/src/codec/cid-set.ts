import { CID_BYTES, type Cid, DIGEST_AT, writeCid } from './cid.ts';

/**
 * Number of parts of a set. Each part grows by itself, because growing a table of a million CIDs at
 * once would block writers.
 */
const PARTS = 64;
/** A part that is larger than this grows by half instead of doubling. */
const CIDS_DOUBLED = 1024;

/**
 * A set for millions of CIDs. It takes about 60 bytes for each CID, and a `Set` of texts
 * takes twice as much. It can also look up a CID in bytes without creating its text.
 */
export class CidSet {
  readonly #parts: (Part | undefined)[] = [];
  readonly #cid = new Uint8Array(CID_BYTES);

  /** Returns a set with these CIDs. */
  static of(cids: Iterable<Cid>): CidSet {
    const set = new CidSet();
    for (const cid of cids) set.add(cid);
    return set;
  }

  /** Adds a CID. Returns false if the set already has it. */
  add(cid: Cid): boolean {
    writeCid(cid, this.#cid, 0);
    return this.addAt(this.#cid, 0);
  }

  /** Adds the CID that starts at `at`. Returns false if the set already has it. */
  addAt(bytes: Uint8Array, at: number): boolean {
    const number = partOf(bytes, at);
    let part = this.#parts[number];
    if (part === undefined) {
      part = new Part();
      this.#parts[number] = part;
    }
    return part.add(bytes, at);
  }

  has(cid: Cid): boolean {
    writeCid(cid, this.#cid, 0);
    return this.hasAt(this.#cid, 0);
  }

  /** Returns whether the set has the CID that starts at `at`. */
  hasAt(bytes: Uint8Array, at: number): boolean {
    return this.#parts[partOf(bytes, at)]?.has(bytes, at) === true;
  }

  /**
   * Returns a function that returns true for the first call with each CID of the set. Add nothing
   * while it is in use.
   */
  firstOfEach(): (bytes: Uint8Array, at: number) => boolean {
    const seen = this.#parts.map((part) => part && new Uint8Array(part.size));
    return (bytes, at) => {
      const number = partOf(bytes, at);
      const position = this.#parts[number]?.positionOf(bytes, at) ?? -1;
      const ofPart = seen[number];
      if (ofPart === undefined || ofPart[position] !== 0) return false;
      ofPart[position] = 1;
      return true;
    };
  }
}

/** A hash table whose slots contain the positions of CIDs, plus one. */
class Part {
  #cids = new Uint8Array(16 * CID_BYTES);
  #slots = new Uint32Array(32);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(bytes: Uint8Array, at: number): boolean {
    return this.positionOf(bytes, at) >= 0;
  }

  /** Returns the position of a CID, or -1 if the part lacks it. */
  positionOf(bytes: Uint8Array, at: number): number {
    return (this.#slots[this.#slotOf(bytes, at)] as number) - 1;
  }

  add(bytes: Uint8Array, at: number): boolean {
    let slot = this.#slotOf(bytes, at);
    if (this.#slots[slot] !== 0) return false;
    if ((this.#size + 1) * CID_BYTES > this.#cids.length) {
      this.#grow();
      slot = this.#slotOf(bytes, at);
    }
    const start = this.#size * CID_BYTES;
    // Copying a view would create an object for each CID.
    for (let byte = 0; byte < CID_BYTES; byte++) this.#cids[start + byte] = bytes[at + byte] as number;
    this.#slots[slot] = ++this.#size;
    return true;
  }

  #grow(): void {
    const before = this.#cids;
    const size = this.#size < CIDS_DOUBLED ? 2 * this.#size : Math.ceil(1.5 * this.#size);
    this.#cids = new Uint8Array(size * CID_BYTES);
    this.#cids.set(before);
    // At most two thirds of the slots are used.
    if (size * 3 <= this.#slots.length * 2) return;
    const slots = 2 * this.#slots.length;
    this.#slots = new Uint32Array(slots);
    for (let cid = 0; cid < this.#size; cid++) {
      let slot = hashAt(this.#cids, cid * CID_BYTES) % slots;
      while (this.#slots[slot] !== 0) slot = (slot + 1) % slots;
      this.#slots[slot] = cid + 1;
    }
  }

  /** Returns the slot of a CID, or the free slot where it belongs. */
  #slotOf(bytes: Uint8Array, at: number): number {
    const last = this.#slots.length - 1;
    for (let slot = hashAt(bytes, at) & last; ; slot = (slot + 1) & last) {
      const cid = this.#slots[slot] as number;
      if (cid === 0 || isSame(bytes, at, this.#cids, (cid - 1) * CID_BYTES)) return slot;
    }
  }
}

const partOf = (bytes: Uint8Array, at: number): number => (bytes[at + DIGEST_AT] as number) % PARTS;

/** Returns bytes of the digest, which is a good hash. Omits the byte that chose the part. */
const hashAt = (bytes: Uint8Array, at: number): number => {
  const start = at + DIGEST_AT;
  return (
    (bytes[start + 1] as number) | ((bytes[start + 2] as number) << 8) | ((bytes[start + 3] as number) << 16)
  );
};

function isSame(a: Uint8Array, at: number, b: Uint8Array, other: number): boolean {
  for (let byte = CID_BYTES - 1; byte >= 0; byte--) if (a[at + byte] !== b[other + byte]) return false;
  return true;
}
