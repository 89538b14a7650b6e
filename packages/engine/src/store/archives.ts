/** Reads and writes the archives of a database. Their list is in archive-list.ts. */
import { FixpointError, isFixpointError, LIMITS } from '@fixpoint/protocol';
import { encodeBlockIndex } from '../archive/block-index.ts';
import type { BlockPlace } from '../archive/car.ts';
import type { Section } from '../archive/join.ts';
import type { Archive } from '../archive/pack.ts';
import { Lru } from '../base/lru.ts';
import type { Block, ReadBlocks } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { seal } from '../crypto/seal.ts';
import type { ByteStore, StoreChange } from '../ports/byte-store.ts';
import { OPENING_LIMITS, type OpeningLimits } from '../ports/opening-limits.ts';
import { type ArchiveInfo, ArchiveList } from './archive-list.ts';
import { pendingArchives, sentChanges } from './archive-rows.ts';
import type { ArchiveTiers } from './archive-tiers.ts';
import type { StoredPlace } from './block-places.ts';
import type { ChooseRow } from './choose-row.ts';
import { archiveKey, blockIndexKey, commitKey, uploadKey } from './names.ts';
import type { ArchiveKeys } from './open-archive.ts';
import { StoredArchives, type WantedBlock } from './stored-archives.ts';

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

/** The row format of a new archive. */
interface Ahead {
  readonly index: Uint8Array;
  readonly isCommit: boolean;
}

export class Archives {
  readonly #store: ByteStore;
  readonly #keys: ArchiveKeys;
  readonly #list: ArchiveList;
  /** Row formats of archives that are about to be added. */
  readonly #ahead = new WeakMap<Archive, Ahead>();
  readonly #stored: StoredArchives;
  readonly #blocks = new Lru<Cid, Uint8Array>(BLOCK_BYTES_MAX);

  /** @param kept maximum number of opened archives in memory; default 1000 */
  constructor(
    store: ByteStore,
    keys: ArchiveKeys,
    kept: number = LIMITS.archivesKeptMax,
    limits: OpeningLimits = OPENING_LIMITS,
  ) {
    this.#store = store;
    this.#keys = keys;
    const keyOf = (cid: Cid) => (this.list.get(cid)?.isCommit ? commitKey(cid) : archiveKey(cid));
    this.#stored = new StoredArchives(store, keys, keyOf, kept);
    this.#list = new ArchiveList(store, keys, this.#stored, limits);
  }

  /** See {@link ArchiveList.refresh}. */
  refresh(): Promise<void> {
    return this.#list.refresh();
  }

  /** See {@link ArchiveList.readIndexes}. */
  readIndexes(): Promise<void> {
    return this.#list.readIndexes();
  }

  /**
   * Stores the places of blocks in parts, if the stored parts lack many of them.
   * @param bytesMax does nothing if the database is larger
   */
  saveParts(pause: () => Promise<void>, bytesMax = Number.POSITIVE_INFINITY): Promise<void> {
    return this.#list.saveParts(pause, bytesMax);
  }

  /** Returns whether the stored parts are damaged, or lack many archives. */
  get lacksParts(): boolean {
    return this.#list.lacksParts(Number.POSITIVE_INFINITY);
  }

  /** Calls back when a stored part is missing or damaged, so that it is stored again. */
  onDamagedParts(fn: () => void): void {
    this.#list.onDamagedParts = fn;
  }

  get list(): ReadonlyMap<Cid, ArchiveInfo> {
    return this.#list.all;
  }

  get tiers(): ArchiveTiers {
    return this.#list.tiers;
  }

  /** Total size of all plain archives. */
  get bytes(): number {
    return this.#list.bytes;
  }

  /** Returns the archive that contains a block, and the block's place in it. */
  placeOf(block: Cid): StoredPlace | undefined {
    return this.#list.placeOf(block);
  }

  /** Returns the CIDs and places of the blocks of an archive, without reading the archive. */
  contentOf(archive: Cid): readonly BlockPlace[] {
    return this.#list.blocksOf(archive);
  }

  /** Returns the total size of the wanted blocks of an archive, without reading the archive. */
  bytesOf(archive: Cid, isWanted?: ChooseRow): number {
    return this.#list.bytesIn(archive, isWanted);
  }

  has(cid: Cid): boolean {
    return this.list.has(cid);
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
    const inParts = bytes.length >= IN_PARTS_BYTES_MIN && !this.#stored.canHold(this.list.size, this.bytes);
    return { key: archiveKey(cid), bytes: sealed, inParts };
  }

  /** Registers new archives. Call this after the changes are durable. */
  added(archives: readonly Archive[], keepOpened = true): void {
    for (const archive of archives) {
      // `changesFor` chose the format.
      const { index, isCommit } = this.#ahead.get(archive) as Ahead;
      this.#list.remember(archive.cid, index, isCommit);
      if (keepOpened) this.#stored.keep(archive.cid, archive.bytes);
    }
  }

  /** Registers an archive by its index. */
  learn(archive: Cid, index: Uint8Array): void {
    this.#list.remember(archive, index, false);
  }

  /** Returns the archives whose blocks haven't been uploaded yet. */
  pending(): Promise<ReadonlySet<Cid>> {
    return pendingArchives(this.#store, this.list);
  }

  /** Returns the changes that mark archives as sent. */
  sent(archives: readonly Cid[]): StoreChange[] {
    return sentChanges(archives, this.list);
  }

  removed(cids: readonly Cid[]): void {
    for (const cid of cids) this.#list.forget(cid);
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
      if (this.#stored.canHold(this.list.size, this.bytes)) return undefined;
      await this.readIndexes();
      return this.#list.ordersOf(cids);
    },
  });

  async #readBlocks(cids: readonly Cid[]): Promise<Uint8Array[]> {
    if (this.#list.hasUnreadIndexes && cids.length <= KEPT_AT_ONCE_MAX) return this.#readByParts(cids);
    await this.readIndexes();
    return this.#readAt(cids);
  }

  async #readByParts(cids: readonly Cid[]): Promise<Uint8Array[]> {
    const unknown = cids.filter((cid) => !this.#blocks.get(cid) && !this.#list.knownPlaceOf(cid));
    const inParts = await this.#list.placesInParts(unknown);
    try {
      return await this.#readAt(cids, inParts);
    } catch {
      // The parts may lack a block, or be damaged. The indexes decide.
      await this.readIndexes();
      const found = await this.#readAt(cids);
      await this.#list.checkParts(unknown, inParts);
      return found;
    }
  }

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
    return this.#stored.read(cid, this.#list.sizeOf(cid));
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
    if (!this.list.has(cid)) throw new FixpointError('MISSING_CARS', cid);
    await this.readIndexes();
    const places = this.#list.blocksOf(cid, isWanted);
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
    if (!this.list.has(cid)) throw new FixpointError('MISSING_CARS', cid);
    await this.readIndexes();
    const [first] = this.#list.blocksOf(cid, (_, row) => row === 0);
    return first && this.readBlock(first.cid);
  }

  /** Returns all or some blocks of an archive, with their places. */
  async sectionsOf(cid: Cid, isWanted?: ChooseRow): Promise<readonly Section[]> {
    if (!this.list.has(cid)) throw new FixpointError('MISSING_CARS', cid);
    await this.readIndexes();
    const places = this.#list.placesIn(cid, isWanted);
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
    const place = this.#list.knownPlaceOf(cid);
    if (place === undefined) throw new FixpointError('MISSING_BLOCK', cid);
    return place;
  }

  async #readFrom(archive: Cid, wanted: readonly WantedBlock[], into: Uint8Array[]): Promise<void> {
    try {
      await this.#stored.readBlocks(archive, wanted, this.#list.sizeOf(archive), into);
    } catch (cause) {
      if (!isFixpointError(cause, 'MISSING_CARS')) throw cause;
      // Another writer may have merged the archive into a bigger one.
      await this.refresh();
      for (const block of wanted) {
        const now = this.#list.knownPlaceOf(block.cid);
        if (now === undefined || now.archive === archive) throw cause;
        // The bigger archive may have been merged again.
        await this.#readFrom(now.archive, [{ ...block, ...now }], into);
      }
    }
  }
}
