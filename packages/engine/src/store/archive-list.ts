/**
 * The list of a database's archives, and where their blocks are. After an open, indexes that the
 * stored parts cover aren't read (docs/decisions/0209).
 */
import { BLOCK_ROW_BYTES, encodeBlockIndex, plainBytesOf } from '../archive/block-index.ts';
import { type BlockPlace, scanCar } from '../archive/car.ts';
import type { Cid } from '../codec/cid.ts';
import type { ByteStore } from '../ports/byte-store.ts';
import type { OpeningLimits } from '../ports/opening-limits.ts';
import { rowsUnder } from './archive-rows.ts';
import { ArchiveTiers } from './archive-tiers.ts';
import { BlockPlaces, type StoredPlace } from './block-places.ts';
import type { ChooseRow } from './choose-row.ts';
import { BLOCK_INDEXES, COMMITS } from './names.ts';
import { type ArchiveKeys, openStored } from './open-archive.ts';
import type { StoredArchives } from './stored-archives.ts';
import { UnreadIndexes } from './unread-indexes.ts';

export interface ArchiveInfo {
  /** Size of the plain archive. */
  readonly bytes: number;
  /** Whether it is stored as a single row, without an index. */
  readonly isCommit: boolean;
}

/** Keeps opened archives in memory. */
type Opened = Pick<StoredArchives, 'keep' | 'forget'>;

export class ArchiveList {
  readonly #store: ByteStore;
  readonly #keys: ArchiveKeys;
  readonly #opened: Opened;
  readonly #byArchive = new Map<Cid, ArchiveInfo>();
  readonly tiers = new ArchiveTiers();
  /** The blocks of all archives that aren't in `#unread`. */
  readonly #places = new BlockPlaces();
  readonly #unread: UnreadIndexes;
  #readingIndexes: Promise<void> | undefined;
  /** Later refreshes leave no index unread. */
  #isListed = false;
  #bytes = 0;
  /** Called when a stored part is missing or damaged. */
  onDamagedParts: () => void = () => undefined;

  constructor(store: ByteStore, keys: ArchiveKeys, opened: Opened, limits: OpeningLimits) {
    this.#store = store;
    this.#keys = keys;
    this.#opened = opened;
    this.#unread = new UnreadIndexes(store, limits);
  }

  /**
   * Updates the list with archives that other writers added or merged since the last call.
   * @throws FixpointError CORRUPT
   */
  async refresh(): Promise<void> {
    // Only these may be forgotten: the result of the read may lack archives that are added now.
    const before = [...this.#byArchive.keys()];
    // Read commits before indexes: the blocks of a commit that is merged between these reads are
    // then in both lists, and found in the merged archive.
    const [commits, indexed] = await (this.#isListed ? this.#readAgain() : this.#readFirst());
    for (const [cid, sealed] of commits) {
      if (!sealed) continue;
      const car = await openStored(sealed, this.#keys, cid);
      this.remember(cid, encodeBlockIndex(scanCar(car).blocks, car), true);
      this.#opened.keep(cid, car);
    }
    let blocks = 0;
    for (const index of indexed.values()) blocks += (index?.length ?? 0) / BLOCK_ROW_BYTES;
    this.#places.makeRoomFor(blocks);
    for (const [cid, index] of indexed) if (index) this.remember(cid, index, false);
    for (const cid of before) if (!indexed.has(cid) && !commits.has(cid)) this.forget(cid);
    this.#isListed = true;
  }

  /** Reads the rows of archives that aren't known yet. */
  async #readAgain() {
    const commits = await rowsUnder(this.#store, COMMITS, this.#byArchive);
    return [commits, await rowsUnder(this.#store, BLOCK_INDEXES, this.#byArchive)] as const;
  }

  /**
   * Reads all rows, but leaves indexes unread that the stored parts cover. The first two reads are
   * of whole prefixes, so it is enough that they begin in order.
   */
  async #readFirst() {
    const readIndexes = async () =>
      (await this.#unread.first((cid, bytes) => this.#register(cid, bytes, false))) ??
      rowsUnder(this.#store, BLOCK_INDEXES);
    return Promise.all([rowsUnder(this.#store, COMMITS), readIndexes()]);
  }

  /** Whether `placesInParts` may find blocks that `placeOf` doesn't. */
  get hasUnreadIndexes(): boolean {
    return this.#unread.size > 0;
  }

  /**
   * Reads all indexes. Call this before methods that return at once. They throw while indexes are
   * unread, because compaction would take a block that they don't find for a lost one.
   * @throws FixpointError CORRUPT, STORE_FAILED
   */
  async readIndexes(): Promise<void> {
    if (this.#unread.size === 0) return;
    const read = async () => {
      const isGone = await this.#unread.read((cid, index) => this.remember(cid, index, false));
      if (isGone) await this.refresh();
    };
    this.#readingIndexes ??= read().finally(() => {
      this.#readingIndexes = undefined;
    });
    return this.#readingIndexes;
  }

  /** Returns whether `saveParts` would store the parts. */
  lacksParts(bytesMax: number): boolean {
    return this.#unread.isWorthSaving(this.#byArchive, bytesMax);
  }

  /** See {@link Archives.saveParts}. */
  async saveParts(pause: () => Promise<void>, bytesMax: number): Promise<void> {
    if (!this.lacksParts(bytesMax)) return;
    await this.readIndexes();
    const all = [...this.#byArchive].flatMap(([cid, { isCommit }]) => (isCommit ? [] : [cid]));
    await this.#unread.save(new Map(all.map((cid) => [cid, this.#places.indexOf(cid)])), pause);
  }

  get all(): ReadonlyMap<Cid, ArchiveInfo> {
    return this.#byArchive;
  }

  /** Total size of all plain archives. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the size of a plain archive; 1 if it is unknown. */
  sizeOf(archive: Cid): number {
    return this.#byArchive.get(archive)?.bytes ?? 1;
  }

  /** Returns the archive that contains a block, and the block's place in it. */
  placeOf(block: Cid): StoredPlace | undefined {
    this.#requireIndexes();
    return this.#places.get(block);
  }

  /** Returns the place of a block in an archive whose index is read. */
  knownPlaceOf(block: Cid): StoredPlace | undefined {
    return this.#places.get(block);
  }

  /** Returns the places of blocks in archives whose indexes are unread, as the parts state them. */
  placesInParts(blocks: readonly Cid[]): Promise<ReadonlyMap<Cid, StoredPlace>> {
    return this.#unread.find(blocks);
  }

  /**
   * Compares places that parts state with the indexes, after these were read. If a part is wrong,
   * the parts are stored again.
   */
  async checkParts(blocks: readonly Cid[], inParts: ReadonlyMap<Cid, StoredPlace>): Promise<void> {
    if (blocks.some((cid) => this.#isWrong(cid, inParts.get(cid))) && (await this.#unread.noteDamage()))
      this.onDamagedParts();
  }

  #isWrong(block: Cid, inPart: StoredPlace | undefined): boolean {
    if (inPart === undefined) {
      const place = this.#places.get(block);
      return place !== undefined && this.#unread.covers(place);
    }
    const { archive, offset, length } = inPart;
    // Another tab may have merged the archive since the part was stored.
    if (!this.#byArchive.has(archive)) return false;
    const isHere = (one: BlockPlace) => one.cid === block && one.offset === offset && one.length === length;
    return !this.#places.blocksOf(archive).some(isHere);
  }

  /** Returns a number for each block. The numbers sort blocks by archive and place. */
  ordersOf(blocks: readonly (Cid | undefined)[]): Float64Array {
    this.#requireIndexes();
    return Float64Array.from(blocks, (cid) => (cid === undefined ? 0 : this.#places.orderOf(cid)));
  }

  /** Returns all or some blocks of an archive, in the order of the archive. */
  blocksOf(archive: Cid, isWanted?: ChooseRow): readonly BlockPlace[] {
    this.#requireIndexes();
    return this.#places.blocksOf(archive, isWanted);
  }

  /** Returns the places of blocks without their CIDs, which costs much less than `blocksOf`. */
  placesIn(archive: Cid, isWanted?: ChooseRow): readonly Omit<StoredPlace, 'archive'>[] {
    this.#requireIndexes();
    return this.#places.placesIn(archive, isWanted);
  }

  /** Returns the total size of all or some blocks of an archive. */
  bytesIn(archive: Cid, isWanted?: ChooseRow): number {
    this.#requireIndexes();
    return this.#places.bytesOf(archive, isWanted);
  }

  #requireIndexes(): void {
    if (this.#unread.size > 0) throw new Error('indexes of archives are not read yet');
  }

  /** Adds an archive, or replaces what is known about it. */
  remember(archive: Cid, index: Uint8Array, isCommit: boolean): void {
    const bytes = plainBytesOf(index);
    if (this.#byArchive.has(archive)) this.forget(archive);
    this.#register(archive, bytes, isCommit);
    this.#places.add(archive, index);
  }

  #register(archive: Cid, bytes: number, isCommit: boolean): void {
    this.#byArchive.set(archive, { bytes, isCommit });
    this.#bytes += bytes;
    this.tiers.count(bytes, 1);
  }

  forget(archive: Cid): void {
    const info = this.#byArchive.get(archive);
    if (info === undefined) return;
    this.#bytes -= info.bytes;
    this.tiers.count(info.bytes, -1);
    this.#byArchive.delete(archive);
    this.#unread.delete(archive);
    this.#opened.forget(archive);
    this.#places.remove(archive);
  }
}
