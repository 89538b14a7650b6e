/** The archives of a database: which there are, where each block lies, and the blocks themselves. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { BLOCK_ROW_BYTES, encodeBlockIndex, plainBytesOf } from '../archive/block-index.ts';
import type { BlockPlace } from '../archive/car.ts';
import type { Section } from '../archive/join.ts';
import type { Archive } from '../archive/pack.ts';
import { Lru } from '../base/lru.ts';
import type { Block } from '../codec/block.ts';
import { type Cid, parseCid } from '../codec/cid.ts';
import type { Keys } from '../crypto/keys.ts';
import { seal } from '../crypto/seal.ts';
import type { ByteStore, StoreChange } from '../ports/byte-store.ts';
import { ArchiveTiers } from './archive-tiers.ts';
import { BlockPlaces, type StoredPlace } from './block-places.ts';
import type { ChooseRow } from './block-set.ts';
import { archiveKey, BLOCK_INDEXES, blockIndexKey, nameIn } from './names.ts';
import { StoredArchives, type WantedBlock } from './stored-archives.ts';

const BLOCK_BYTES_MAX = 16_000_000;
/** Whoever reads more at once reads all that there is: it would take the place of what is read again. */
const KEPT_AT_ONCE_MAX = 250;

export interface ArchiveInfo {
  /** Of the plain archive. */
  readonly bytes: number;
}

export class Archives {
  readonly #store: ByteStore;
  readonly #keys: () => Keys;
  readonly #byArchive = new Map<Cid, ArchiveInfo>();
  readonly tiers = new ArchiveTiers();
  readonly #places = new BlockPlaces();
  /** Indexes of archives that are about to be added. */
  readonly #indexes = new WeakMap<Archive, Uint8Array>();
  #bytes = 0;
  readonly #stored: StoredArchives;
  readonly #blocks = new Lru<Cid, Uint8Array>(BLOCK_BYTES_MAX);

  constructor(store: ByteStore, keys: () => Keys) {
    this.#store = store;
    this.#keys = keys;
    this.#stored = new StoredArchives(store, keys);
  }

  /** Learns what other writers added or merged since the last time. @throws FixpointError CORRUPT */
  async refresh(): Promise<void> {
    // What comes while the list is read is not in it, and is no less there.
    const before = [...this.#byArchive.keys()];
    const stored = new Set(
      (await this.#store.keys(BLOCK_INDEXES)).map((key) => parseCid(nameIn(BLOCK_INDEXES, key))),
    );
    const fresh = [...stored].filter((cid) => !this.#byArchive.has(cid));
    const indexes =
      fresh.length * 2 > stored.size
        ? await this.#store.readPrefix(BLOCK_INDEXES)
        : new Map(
            await Promise.all(
              fresh.map(
                async (cid) => [blockIndexKey(cid), await this.#store.read(blockIndexKey(cid))] as const,
              ),
            ),
          );
    let blocks = 0;
    for (const bytes of indexes.values()) blocks += (bytes?.length ?? 0) / BLOCK_ROW_BYTES;
    this.#places.makeRoomFor(blocks);
    for (const cid of fresh) {
      const bytes = indexes.get(blockIndexKey(cid));
      if (bytes !== undefined) this.#remember(cid, bytes);
    }
    for (const cid of before) if (!stored.has(cid)) this.#forget(cid);
  }

  get list(): ReadonlyMap<Cid, ArchiveInfo> {
    return this.#byArchive;
  }

  /** Of all plain archives together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The archive that holds a block, and the block's length. */
  placeOf(block: Cid): { readonly archive: Cid; readonly length: number } | undefined {
    return this.#places.get(block);
  }

  /** The CIDs of an archive's blocks and where they lie in it, without reading it. */
  contentOf(archive: Cid, isWanted?: ChooseRow): readonly BlockPlace[] {
    return this.#places.blocksOf(archive, isWanted);
  }

  /** How many bytes these blocks of an archive have together, without reading it. */
  bytesOf(archive: Cid, isWanted: ChooseRow): number {
    return this.#places.bytesOf(archive, isWanted);
  }

  has(cid: Cid): boolean {
    return this.#byArchive.has(cid);
  }

  /** Which archive has a block. */
  archiveOf(block: Cid): Cid | undefined {
    return this.#places.get(block)?.archive;
  }

  /** What has to be written for new archives to be there. */
  async changesFor(archives: readonly Archive[]): Promise<StoreChange[]> {
    const sealed = await Promise.all(archives.map(({ cid, bytes }) => this.sealed(cid, bytes)));
    const indexes = archives.map((archive) => ({
      key: blockIndexKey(archive.cid),
      bytes: this.#indexOf(archive),
    }));
    return [...sealed, ...indexes];
  }

  /** What has to be written for the bytes of an archive to be there. */
  async sealed(cid: Cid, bytes: Uint8Array): Promise<StoreChange> {
    return { key: archiveKey(cid), bytes: await seal(bytes, this.#keys().current, cid) };
  }

  /** To be called once the changes are durable. */
  added(archives: readonly Archive[], keepOpened = true): void {
    for (const archive of archives) {
      this.#remember(archive.cid, this.#indexOf(archive));
      if (keepOpened) this.#stored.keep(archive.cid, archive.bytes);
    }
  }

  /** The same for an archive of which only the index is at hand. */
  learn(archive: Cid, index: Uint8Array): void {
    this.#remember(archive, index);
  }

  removed(cids: readonly Cid[]): void {
    for (const cid of cids) this.#forget(cid);
  }

  /** @throws FixpointError MISSING_BLOCK, MISSING_CARS, CORRUPT, KEY_UNKNOWN */
  readonly readBlock = async (cid: Cid): Promise<Uint8Array> =>
    this.#blocks.get(cid) ?? (await this.readBlocks([cid]))[0] ?? new Uint8Array();

  /** Many blocks, in this order; those of an archive are read together. @throws as {@link readBlock} */
  readonly readBlocks = async (cids: readonly Cid[]): Promise<Uint8Array[]> => {
    const found: Uint8Array[] = [];
    const wanted = new Map<Cid, WantedBlock[]>();
    for (const [at, cid] of cids.entries()) {
      const kept = this.#blocks.get(cid);
      if (kept !== undefined) {
        found[at] = kept;
        continue;
      }
      const { archive, offset, length } = this.#placeOf(cid);
      const block = { cid, offset, length, at };
      const ofArchive = wanted.get(archive);
      if (ofArchive === undefined) wanted.set(archive, [block]);
      else ofArchive.push(block);
    }
    for (const [archive, blocks] of wanted) {
      await this.#readFrom(archive, blocks, found);
      if (cids.length <= KEPT_AT_ONCE_MAX)
        for (const { cid, at } of blocks) found[at] = this.#keep(cid, found[at]);
    }
    return found;
  };

  /** The plain bytes of an archive. @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN */
  readArchive(cid: Cid): Promise<Uint8Array> {
    return this.#stored.read(cid, this.#bytesOf(cid));
  }

  /** The plain bytes of an archive as they are stored now; undefined when another writer merged it away. @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN */
  async readStored(cid: Cid): Promise<Uint8Array | undefined> {
    try {
      return await this.#stored.readNow(cid);
    } catch (cause) {
      if (!isFixpointError(cause, 'MISSING_CARS')) throw cause;
      await this.refresh();
      if (this.has(cid)) throw cause;
      return undefined;
    }
  }

  /** All blocks of an archive, or some. @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN */
  async blocksOf(cid: Cid, isWanted?: ChooseRow): Promise<readonly Block[]> {
    if (!this.#byArchive.has(cid)) throw new FixpointError('MISSING_CARS', cid);
    const places = this.#places.blocksOf(cid, isWanted);
    const bytes = await this.readArchive(cid);
    return places.map(({ cid: block, offset, length }) => ({
      cid: block,
      bytes: bytes.subarray(offset, offset + length),
    }));
  }

  /** The same, where they lie. */
  async sectionsOf(cid: Cid, isWanted?: ChooseRow): Promise<readonly Section[]> {
    if (!this.#byArchive.has(cid)) throw new FixpointError('MISSING_CARS', cid);
    const places = this.#places.placesIn(cid, isWanted);
    const car = await this.readArchive(cid);
    return places.map(({ offset, length }) => ({ car, offset, length }));
  }

  /** A copy: what is kept must not keep a whole archive. */
  #keep(cid: Cid, block: Uint8Array = new Uint8Array()): Uint8Array {
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
      // Another writer may have merged the archive into a bigger one meanwhile.
      await this.refresh();
      for (const block of wanted) {
        const now = this.#places.get(block.cid);
        if (now === undefined || now.archive === archive) throw cause;
        await this.#stored.readBlocks(now.archive, [{ ...block, ...now }], this.#bytesOf(now.archive), into);
      }
    }
  }

  #bytesOf(archive: Cid): number {
    return this.#byArchive.get(archive)?.bytes ?? 1;
  }

  #indexOf(archive: Archive): Uint8Array {
    const index = this.#indexes.get(archive) ?? encodeBlockIndex(archive.blocks, archive.bytes);
    this.#indexes.set(archive, index);
    return index;
  }

  #remember(archive: Cid, index: Uint8Array): void {
    const bytes = plainBytesOf(index);
    if (this.#byArchive.has(archive)) this.#forget(archive);
    this.#byArchive.set(archive, { bytes });
    this.#bytes += bytes;
    this.tiers.count(bytes, 1);
    this.#places.add(archive, index);
  }

  #forget(archive: Cid): void {
    const info = this.#byArchive.get(archive);
    if (info === undefined) return;
    this.#bytes -= info.bytes;
    this.tiers.count(info.bytes, -1);
    this.#byArchive.delete(archive);
    this.#stored.forget(archive);
    this.#places.remove(archive);
  }
}
