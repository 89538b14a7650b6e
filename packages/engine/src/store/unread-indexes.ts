/** The archives whose index isn't read yet, because parts cover it (place-parts.ts). */
import { type Cid, parseCid } from '../codec/cid.ts';
import type { ByteStore } from '../ports/byte-store.ts';
import type { OpeningLimits } from '../ports/opening-limits.ts';
import type { StoredPlace } from './block-places.ts';
import { BLOCK_INDEXES, blockIndexKey, nameIn } from './names.ts';
import {
  isLengthInParts,
  type PlaceList,
  PlaceParts,
  readPlaceList,
  writePlaceParts,
} from './place-parts.ts';

/** Number of indexes that are read at the same time. */
const READ_AT_ONCE = 8;

type Sizes = ReadonlyMap<Cid, { readonly bytes: number; readonly isCommit: boolean }>;

export class UnreadIndexes {
  readonly #store: ByteStore;
  readonly #limits: OpeningLimits;
  /** Archives are added only while the first list is read. */
  readonly #archives = new Set<Cid>();
  #list: PlaceList | undefined;
  #parts: PlaceParts | undefined;
  /** Whether a stored part is missing or damaged. */
  #isDamaged = false;

  constructor(store: ByteStore, limits: OpeningLimits) {
    this.#store = store;
    this.#limits = limits;
  }

  get size(): number {
    return this.#archives.size;
  }

  delete(archive: Cid): void {
    this.#archives.delete(archive);
  }

  /**
   * Returns the index of each archive; undefined for unread ones. Returns undefined if there are no
   * parts, or another writer merged an archive since the list was read.
   * @param register called with each unread archive and its plain length
   */
  async first(
    register: (archive: Cid, bytes: number) => void,
  ): Promise<ReadonlyMap<Cid, Uint8Array | undefined> | undefined> {
    const [keys, list] = await Promise.all([this.#store.keys(BLOCK_INDEXES), readPlaceList(this.#store)]);
    if (list === undefined) return undefined;
    const archives = keys.map((key) => parseCid(nameIn(BLOCK_INDEXES, key)));
    const covered = archives.filter((cid) => list.archives.has(cid));
    const others = archives.filter((cid) => !list.archives.has(cid));
    const indexes = await Promise.all(others.map((cid) => this.#store.read(blockIndexKey(cid))));
    if (indexes.includes(undefined)) return undefined;
    this.#list = list;
    this.#parts = new PlaceParts(this.#store, list);
    for (const cid of covered) {
      this.#archives.add(cid);
      register(cid, list.archives.get(cid) as number);
    }
    return new Map([
      ...covered.map((cid) => [cid, undefined] as const),
      ...others.map((cid, at) => [cid, indexes[at]] as const),
    ]);
  }

  /**
   * Returns the places of blocks in unread archives, as the parts state them. Returns no place for
   * a block whose part can't be read.
   */
  async find(blocks: readonly Cid[]): Promise<ReadonlyMap<Cid, StoredPlace>> {
    const places = new Map<Cid, StoredPlace>();
    const find = async (cid: Cid) => {
      const place = await this.#parts?.find(cid, this.#archives).catch(() => undefined);
      if (place !== undefined) places.set(cid, place);
    };
    await Promise.all(blocks.map(find));
    return places;
  }

  /** Returns whether the parts should state the place of this block. */
  covers({ archive, length }: StoredPlace): boolean {
    return this.#list?.archives.has(archive) === true && isLengthInParts(length);
  }

  /**
   * Call this when a part was wrong. Returns whether the parts must be stored again, which isn't so
   * if another tab has replaced them.
   */
  async noteDamage(): Promise<boolean> {
    const stored = await readPlaceList(this.#store);
    this.#isDamaged = stored === undefined || stored.name === this.#list?.name;
    this.#list = stored ?? this.#list;
    return this.#isDamaged;
  }

  /**
   * Reads all indexes. Returns whether another writer merged one of the archives.
   * @param remember called with each index; calls `delete` if the index is valid
   * @throws FixpointError CORRUPT, STORE_FAILED
   */
  async read(remember: (archive: Cid, index: Uint8Array) => void): Promise<boolean> {
    const all = [...this.#archives];
    let isGone = false;
    const readOne = async (cid: Cid) => {
      const index = await this.#store.read(blockIndexKey(cid));
      if (!this.#archives.has(cid)) return;
      // A damaged index remains unread.
      if (index !== undefined) remember(cid, index);
      isGone ||= index === undefined;
    };
    for (let from = 0; from < all.length; from += READ_AT_ONCE)
      await Promise.all(all.slice(from, from + READ_AT_ONCE).map(readOne));
    return isGone;
  }

  /**
   * Returns whether the stored parts are damaged, or lack many of the archives.
   * @param bytesMax returns false for larger databases
   */
  isWorthSaving(archives: Sizes, bytesMax: number): boolean {
    let [all, lacked] = [0, 0];
    for (const [cid, { bytes, isCommit }] of archives) {
      if (isCommit) continue;
      all += bytes;
      if (!this.#list?.archives.has(cid)) lacked += bytes;
    }
    const { lackedBytesMin, lackedShare } = this.#limits;
    if (this.#isDamaged) return all <= bytesMax;
    return all <= bytesMax && lacked >= Math.max(lackedBytesMin, all * lackedShare);
  }

  /** @throws FixpointError STORE_FULL, STORE_FAILED */
  async save(indexes: ReadonlyMap<Cid, Uint8Array>, pause: () => Promise<void>): Promise<void> {
    const { partBytes } = this.#limits;
    const list = await writePlaceParts(this.#store, indexes, pause, partBytes, this.#isDamaged);
    this.#list = list ?? this.#list;
    this.#isDamaged = false;
  }
}
