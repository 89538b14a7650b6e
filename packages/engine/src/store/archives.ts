/** The archives of a database, with the place of each block. */
import { FixpointError, isFixpointError, LIMITS } from '@fixpoint/protocol';
import { BLOCK_ROW_BYTES, encodeBlockIndex, plainBytesOf } from '../archive/block-index.ts';
import { type BlockPlace, scanCar } from '../archive/car.ts';
import type { Section } from '../archive/join.ts';
import type { Archive } from '../archive/pack.ts';
import { Lru } from '../base/lru.ts';
import type { Block, ReadBlocks } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { seal } from '../crypto/seal.ts';
import type { ByteStore, StoreChange } from '../ports/byte-store.ts';
import { pendingArchives, rowsUnder, sentChanges } from './archive-rows.ts';
import { ArchiveTiers } from './archive-tiers.ts';
import { BlockPlaces, type StoredPlace } from './block-places.ts';
import type { ChooseRow } from './choose-row.ts';
import { archiveKey, BLOCK_INDEXES, blockIndexKey, COMMITS, commitKey, uploadKey } from './names.ts';
import { type ArchiveKeys, openStored } from './open-archive.ts';
import { StoredArchives, type WantedBlock } from './stored-archives.ts';
import { UnreadIndexes } from './unread-indexes.ts';

const BLOCK_BYTES_MAX = 16_000_000;
/**
 * Reads of more blocks than this aren't cached. Such reads usually read everything, and would evict
 * blocks that are read again.
 */
const KEPT_AT_ONCE_MAX = 250;
/** Number of archives that are read at the same time, because a read waits for another process. */
const READ_AT_ONCE = 8;
/**
 * The archive of a commit that is smaller is stored as a single row, because rows for its index and
 * upload would cost as much. To find its blocks, it is read (docs/decisions/0098).
 */
const COMMIT_BYTES_MAX = 16_000;
/** No shorter archive is stored in parts, because opening it costs little. */
const IN_PARTS_BYTES_MIN = 262_144;
const NOTHING = new Uint8Array();

export interface ArchiveInfo {
  /** Size of the plain archive. */
  readonly bytes: number;
  /** Whether it is stored as a single row, without an index. */
  readonly isCommit: boolean;
}

/** The row format of a new archive. */
interface Ahead {
  readonly index: Uint8Array;
  readonly isCommit: boolean;
}

export class Archives {
  readonly #store: ByteStore;
  readonly #keys: ArchiveKeys;
  readonly #byArchive = new Map<Cid, ArchiveInfo>();
  readonly tiers = new ArchiveTiers();
  /** The blocks of all archives that aren't in `#unread`. */
  readonly #places = new BlockPlaces();
  readonly #unread: UnreadIndexes;
  #readingIndexes: Promise<void> | undefined;
  /** Later refreshes leave no index unread. */
  #isListed = false;
  /** Row formats of archives that are about to be added. */
  readonly #ahead = new WeakMap<Archive, Ahead>();
  #bytes = 0;
  readonly #stored: StoredArchives;
  readonly #blocks = new Lru<Cid, Uint8Array>(BLOCK_BYTES_MAX);

  /** @param kept maximum number of opened archives in memory; default 1000 */
  constructor(store: ByteStore, keys: ArchiveKeys, kept: number = LIMITS.archivesKeptMax) {
    this.#store = store;
    this.#keys = keys;
    this.#unread = new UnreadIndexes(store);
    const keyOf = (cid: Cid) => (this.#byArchive.get(cid)?.isCommit ? commitKey(cid) : archiveKey(cid));
    this.#stored = new StoredArchives(store, keys, keyOf, kept);
  }

  /**
   * Updates the list with archives that other writers added or merged since the last call.
   * @throws FixpointError CORRUPT
   */
  async refresh(): Promise<void> {
    // Only these may be forgotten: the result of the read may lack archives that are added now.
    const before = [...this.#byArchive.keys()];
    const isFirst = !this.#isListed;
    // Read commits before indexes: the blocks of a commit that is merged between these reads are
    // then in both lists, and found in the merged archive. The first two reads are of whole
    // prefixes, so it is enough that they begin in this order.
    const reading = this.#rowsUnder(COMMITS, isFirst);
    if (!isFirst) await reading;
    const listing = isFirst ? this.#firstIndexes() : this.#rowsUnder(BLOCK_INDEXES, isFirst);
    const [commits, indexed] = await Promise.all([reading, listing]);
    for (const [cid, sealed] of commits) {
      if (!sealed) continue;
      const car = await openStored(sealed, this.#keys, cid);
      this.#remember(cid, encodeBlockIndex(scanCar(car).blocks, car), true);
      this.#stored.keep(cid, car);
    }
    let blocks = 0;
    for (const index of indexed.values()) blocks += (index?.length ?? 0) / BLOCK_ROW_BYTES;
    this.#places.makeRoomFor(blocks);
    for (const [cid, index] of indexed) if (index) this.#remember(cid, index, false);
    for (const cid of before) if (!indexed.has(cid) && !commits.has(cid)) this.#forget(cid);
    this.#isListed = true;
  }

  /** Like `#rowsUnder`, but leaves indexes unread that parts cover. */
  async #firstIndexes(): Promise<ReadonlyMap<Cid, Uint8Array | undefined>> {
    const first = await this.#unread.first((cid, bytes) => this.#register(cid, bytes, false));
    return first ?? this.#rowsUnder(BLOCK_INDEXES, true);
  }

  readonly #rowsUnder = (prefix: string, readsAll: boolean) =>
    rowsUnder(this.#store, prefix, this.#byArchive, readsAll);

  /**
   * Reads all indexes. Call this before methods that return at once. They throw while indexes are
   * unread, because compaction would take a block that they don't find for a lost one.
   * @throws FixpointError CORRUPT, STORE_FAILED
   */
  async readIndexes(): Promise<void> {
    if (this.#unread.size === 0) return;
    const read = async () => {
      const isGone = await this.#unread.read((cid, index) => this.#remember(cid, index, false));
      if (isGone) await this.refresh();
    };
    this.#readingIndexes ??= read().finally(() => {
      this.#readingIndexes = undefined;
    });
    return this.#readingIndexes;
  }

  /**
   * Stores the places of blocks in parts, if the stored parts lack many of them.
   * @param bytesMax does nothing if the database is larger
   */
  async saveParts(pause: () => Promise<void>, bytesMax = Number.POSITIVE_INFINITY): Promise<void> {
    if (!this.#unread.isWorthSaving(this.#byArchive, bytesMax)) return;
    await this.readIndexes();
    const all = [...this.#byArchive].flatMap(([cid, { isCommit }]) => (isCommit ? [] : [cid]));
    await this.#unread.save(new Map(all.map((cid) => [cid, this.#places.indexOf(cid)])), pause);
  }

  get list(): ReadonlyMap<Cid, ArchiveInfo> {
    return this.#byArchive;
  }

  /** Total size of all plain archives. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the archive that contains a block, and the block's place in it. */
  placeOf(block: Cid): StoredPlace | undefined {
    this.#requireIndexes();
    return this.#places.get(block);
  }

  /** Returns the CIDs and places of the blocks of an archive, without reading the archive. */
  contentOf(archive: Cid): readonly BlockPlace[] {
    this.#requireIndexes();
    return this.#places.blocksOf(archive);
  }

  /** Returns the total size of the wanted blocks of an archive, without reading the archive. */
  bytesOf(archive: Cid, isWanted?: ChooseRow): number {
    this.#requireIndexes();
    return this.#places.bytesOf(archive, isWanted);
  }

  has(cid: Cid): boolean {
    return this.#byArchive.has(cid);
  }

  /**
   * Returns the changes that store new archives.
   * @param pending whether a remote may lack the archives, because this device created them
   */
  async changesFor(archives: readonly Archive[], pending = false): Promise<StoreChange[]> {
    const changes = archives.map(async (archive): Promise<StoreChange[]> => {
      const { cid, bytes } = archive;
      const isCommit = pending && bytes.length < COMMIT_BYTES_MAX;
      const index = encodeBlockIndex(archive.blocks, bytes);
      this.#ahead.set(archive, { index, isCommit });
      const sealed = await this.sealed(cid, bytes);
      if (isCommit) return [{ key: commitKey(cid), bytes: sealed.bytes }];
      const upload = pending ? [{ key: uploadKey(cid), bytes: NOTHING }] : [];
      return [sealed, { key: blockIndexKey(cid), bytes: index }, ...upload];
    });
    return (await Promise.all(changes)).flat();
  }

  /** Returns the change that stores the bytes of an archive. */
  async sealed(cid: Cid, bytes: Uint8Array): Promise<StoreChange> {
    const sealed = await seal(bytes, this.#keys.keys().current, cid);
    // Archives that fit in memory together are opened as a whole, which is faster with one value.
    const inParts =
      bytes.length >= IN_PARTS_BYTES_MIN && !this.#stored.canHold(this.#byArchive.size, this.#bytes);
    return { key: archiveKey(cid), bytes: sealed, inParts };
  }

  /** Registers new archives. Call this after the changes are durable. */
  added(archives: readonly Archive[], keepOpened = true): void {
    for (const archive of archives) {
      // `changesFor` chose the format.
      const { index, isCommit } = this.#ahead.get(archive) as Ahead;
      this.#remember(archive.cid, index, isCommit);
      if (keepOpened) this.#stored.keep(archive.cid, archive.bytes);
    }
  }

  /** Registers an archive by its index. */
  learn(archive: Cid, index: Uint8Array): void {
    this.#remember(archive, index, false);
  }

  /** Returns the archives whose blocks haven't been uploaded yet. */
  pending(): Promise<ReadonlySet<Cid>> {
    return pendingArchives(this.#store, this.#byArchive);
  }

  /** Returns the changes that mark archives as sent. */
  sent(archives: readonly Cid[]): StoreChange[] {
    return sentChanges(archives, this.#byArchive);
  }

  removed(cids: readonly Cid[]): void {
    for (const cid of cids) this.#forget(cid);
  }

  /** @throws FixpointError MISSING_BLOCK, MISSING_CARS, CORRUPT, KEY_UNKNOWN */
  readonly readBlock = async (cid: Cid): Promise<Uint8Array> =>
    this.#blocks.get(cid) ?? ((await this.readBlocks([cid]))[0] as Uint8Array);

  /**
   * Returns many blocks in the given order. Reads the blocks of one archive together.
   * @throws as {@link readBlock}
   */
  readonly readBlocks: ReadBlocks = Object.assign((cids: readonly Cid[]) => this.#readBlocks(cids), {
    placesOf: async (cids: readonly (Cid | undefined)[]) => {
      if (this.#stored.canHold(this.#byArchive.size, this.#bytes)) return undefined;
      await this.readIndexes();
      return Float64Array.from(cids, (cid) => (cid === undefined ? 0 : this.#places.orderOf(cid)));
    },
  });

  async #readBlocks(cids: readonly Cid[]): Promise<Uint8Array[]> {
    if (this.#unread.size > 0 && cids.length <= KEPT_AT_ONCE_MAX)
      try {
        return await this.#readAt(cids, await this.#unread.find(cids.filter(this.#isUnread)));
      } catch {
        // The parts may lack a block, or be damaged. The indexes decide.
      }
    await this.readIndexes();
    return this.#readAt(cids);
  }

  readonly #isUnread = (cid: Cid): boolean =>
    this.#blocks.get(cid) === undefined && this.#places.get(cid) === undefined;

  /** @param inParts places of blocks that aren't in a read index */
  async #readAt(cids: readonly Cid[], inParts?: ReadonlyMap<Cid, StoredPlace>): Promise<Uint8Array[]> {
    const found: Uint8Array[] = [];
    const wanted = new Map<Cid, WantedBlock[]>();
    for (const [at, cid] of cids.entries()) {
      const kept = this.#blocks.get(cid);
      if (kept !== undefined) {
        found[at] = kept;
        continue;
      }
      const { archive, offset, length } = inParts?.get(cid) ?? this.#placeOf(cid);
      const block = { cid, offset, length, at };
      const ofArchive = wanted.get(archive);
      if (ofArchive === undefined) wanted.set(archive, [block]);
      else ofArchive.push(block);
    }
    const all = [...wanted];
    for (let from = 0; from < all.length; from += READ_AT_ONCE) {
      const some = all.slice(from, from + READ_AT_ONCE);
      await Promise.all(some.map(([archive, blocks]) => this.#readFrom(archive, blocks, found)));
      if (cids.length > KEPT_AT_ONCE_MAX) continue;
      for (const [, blocks] of some)
        for (const { cid, at } of blocks) found[at] = this.#keep(cid, found[at] as Uint8Array);
    }
    return found;
  }

  /**
   * Returns the plain bytes of an archive.
   * @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN
   */
  readArchive(cid: Cid): Promise<Uint8Array> {
    return this.#stored.read(cid, this.#bytesOf(cid));
  }

  /** Returns the plain bytes of an archive as currently stored, without using the cache. */
  readStored(cid: Cid): Promise<Uint8Array> {
    return this.#stored.readNow(cid);
  }

  /**
   * Returns all or some blocks of an archive.
   * @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN
   */
  async blocksOf(cid: Cid, isWanted?: ChooseRow): Promise<readonly Block[]> {
    if (!this.#byArchive.has(cid)) throw new FixpointError('MISSING_CARS', cid);
    await this.readIndexes();
    const places = this.#places.blocksOf(cid, isWanted);
    if (places.length === 0) return [];
    const bytes = await this.readArchive(cid);
    return places.map(({ cid: block, offset, length }) => ({
      cid: block,
      bytes: bytes.subarray(offset, offset + length),
    }));
  }

  /**
   * Returns the first block of an archive; undefined if the archive is empty.
   * @throws as {@link blocksOf}
   */
  async firstBlockOf(cid: Cid): Promise<Uint8Array | undefined> {
    if (!this.#byArchive.has(cid)) throw new FixpointError('MISSING_CARS', cid);
    await this.readIndexes();
    const [first] = this.#places.blocksOf(cid, (_, row) => row === 0);
    return first && this.readBlock(first.cid);
  }

  /** Returns all or some blocks of an archive, with their places. */
  async sectionsOf(cid: Cid, isWanted?: ChooseRow): Promise<readonly Section[]> {
    if (!this.#byArchive.has(cid)) throw new FixpointError('MISSING_CARS', cid);
    await this.readIndexes();
    const places = this.#places.placesIn(cid, isWanted);
    const car = await this.readArchive(cid);
    return places.map(({ offset, length }) => ({ car, offset, length }));
  }

  /** Caches blocks that were read elsewhere. */
  readonly keep = (blocks: readonly Block[]) => blocks.map(({ cid, bytes }) => this.#keep(cid, bytes));

  /** Caches a copy of a block, because a view would keep the whole archive in memory. */
  #keep(cid: Cid, block: Uint8Array): Uint8Array {
    const bytes = block.slice();
    this.#blocks.set(cid, bytes, bytes.length);
    return bytes;
  }

  #placeOf(cid: Cid): StoredPlace {
    const place = this.#places.get(cid);
    if (place === undefined) throw new FixpointError('MISSING_BLOCK', cid);
    return place;
  }

  async #readFrom(archive: Cid, wanted: readonly WantedBlock[], into: Uint8Array[]): Promise<void> {
    try {
      await this.#stored.readBlocks(archive, wanted, this.#bytesOf(archive), into);
    } catch (cause) {
      if (!isFixpointError(cause, 'MISSING_CARS')) throw cause;
      // Another writer may have merged the archive into a bigger one.
      await this.refresh();
      for (const block of wanted) {
        const now = this.#places.get(block.cid);
        if (now === undefined || now.archive === archive) throw cause;
        // The bigger archive may have been merged again.
        await this.#readFrom(now.archive, [{ ...block, ...now }], into);
      }
    }
  }

  #bytesOf(archive: Cid): number {
    return this.#byArchive.get(archive)?.bytes ?? 1;
  }

  #requireIndexes(): void {
    if (this.#unread.size > 0) throw new Error('indexes of archives are not read yet');
  }

  #remember(archive: Cid, index: Uint8Array, isCommit: boolean): void {
    const bytes = plainBytesOf(index);
    if (this.#byArchive.has(archive)) this.#forget(archive);
    this.#register(archive, bytes, isCommit);
    this.#places.add(archive, index);
  }

  #register(archive: Cid, bytes: number, isCommit: boolean): void {
    this.#byArchive.set(archive, { bytes, isCommit });
    this.#bytes += bytes;
    this.tiers.count(bytes, 1);
  }

  #forget(archive: Cid): void {
    const info = this.#byArchive.get(archive);
    if (info === undefined) return;
    this.#bytes -= info.bytes;
    this.tiers.count(info.bytes, -1);
    this.#byArchive.delete(archive);
    this.#unread.delete(archive);
    this.#stored.forget(archive);
    this.#places.remove(archive);
  }
}
