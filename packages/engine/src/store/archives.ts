/** The archives of a database: which there are, where each block lies, and the blocks themselves. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { encodeBlockIndex, plainBytesOf } from '../archive/block-index.ts';
import type { BlockPlace } from '../archive/car.ts';
import type { Archive } from '../archive/pack.ts';
import { Lru } from '../base/lru.ts';
import type { Block } from '../codec/block.ts';
import { type Cid, cidOf, codecOf, parseCid } from '../codec/cid.ts';
import type { Keys } from '../crypto/keys.ts';
import { openArchive, seal } from '../crypto/seal.ts';
import type { ByteStore, StoreChange } from '../ports/byte-store.ts';
import { ArchiveTiers } from './archive-tiers.ts';
import { BlockPlaces, type StoredPlace } from './block-places.ts';
import type { ChooseRow } from './block-set.ts';
import { archiveKey, BLOCK_INDEXES, blockIndexKey, nameIn } from './names.ts';

const OPENED_BYTES_MAX = 32_000_000;
const BLOCK_BYTES_MAX = 16_000_000;
/** More blocks are seldom all at hand: to look for each would cost more than to open the archive. */
const BLOCKS_AT_HAND_MAX = 100;

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
  readonly #opened = new Lru<Cid, Promise<Uint8Array>>(OPENED_BYTES_MAX);
  readonly #blocks = new Lru<Cid, Uint8Array>(BLOCK_BYTES_MAX);

  constructor(store: ByteStore, keys: () => Keys) {
    this.#store = store;
    this.#keys = keys;
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
    const { current } = this.#keys();
    const sealed = await Promise.all(archives.map(({ cid, bytes }) => seal(bytes, current, cid)));
    return archives.flatMap((archive, at) => [
      { key: archiveKey(archive.cid), bytes: sealed[at] },
      { key: blockIndexKey(archive.cid), bytes: this.#indexOf(archive) },
    ]);
  }

  /** To be called once the changes are durable. */
  added(archives: readonly Archive[], keepBlocks = true): void {
    for (const archive of archives) {
      const { bytes, blocks } = archive;
      this.#remember(archive.cid, this.#indexOf(archive));
      if (!keepBlocks) continue;
      for (const { cid: block, offset, length } of blocks)
        this.#blocks.set(block, bytes.subarray(offset, offset + length), length);
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
  readonly readBlock = async (cid: Cid): Promise<Uint8Array> => {
    const kept = this.#blocks.get(cid);
    if (kept !== undefined) return kept;
    const place = this.#places.get(cid);
    if (place === undefined) throw new FixpointError('MISSING_BLOCK', cid);
    const bytes = await this.#readPlace(cid, place);
    this.#blocks.set(cid, bytes, place.length);
    return bytes;
  };

  /** Many blocks, in this order; one archive after another, so that each is opened once. They are not kept. @throws as {@link readBlock} */
  readonly readBlocks = async (cids: readonly Cid[]): Promise<Uint8Array[]> => {
    const found: Uint8Array[] = [];
    const wanted = new Map<Cid, (readonly [at: number, cid: Cid, place: StoredPlace])[]>();
    for (const [at, cid] of cids.entries()) {
      const kept = this.#blocks.get(cid);
      if (kept !== undefined) {
        found[at] = kept;
        continue;
      }
      const place = this.#places.get(cid);
      if (place === undefined) throw new FixpointError('MISSING_BLOCK', cid);
      const ofArchive = wanted.get(place.archive);
      if (ofArchive === undefined) wanted.set(place.archive, [[at, cid, place]]);
      else ofArchive.push([at, cid, place]);
    }
    for (const ofArchive of wanted.values())
      for (const [at, cid, place] of ofArchive) found[at] = await this.#readPlace(cid, place);
    return found;
  };

  /** The plain bytes of an archive. @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN */
  readArchive(cid: Cid): Promise<Uint8Array> {
    const known = this.#opened.get(cid);
    if (known !== undefined) return known;
    const opening = this.#open(cid);
    this.#opened.set(cid, opening, this.#byArchive.get(cid)?.bytes ?? 1);
    opening.catch(() => this.#opened.delete(cid));
    return opening;
  }

  /** The plain bytes of an archive as they are stored now; undefined when another writer merged it away. @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN */
  async readStored(cid: Cid): Promise<Uint8Array | undefined> {
    try {
      return await this.#open(cid);
    } catch (cause) {
      if (!isFixpointError(cause, 'MISSING_CARS')) throw cause;
      await this.refresh();
      if (this.has(cid)) throw cause;
      return undefined;
    }
  }

  /** All blocks of an archive, or some, without opening it when they are at hand. @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN */
  async blocksOf(cid: Cid, isWanted?: ChooseRow): Promise<readonly Block[]> {
    if (!this.#byArchive.has(cid)) throw new FixpointError('MISSING_CARS', cid);
    const places = this.#places.blocksOf(cid, isWanted);
    if (places.length <= BLOCKS_AT_HAND_MAX) {
      const kept = places.flatMap(({ cid: block }) => {
        const bytes = this.#blocks.get(block);
        return bytes === undefined ? [] : [{ cid: block, bytes }];
      });
      if (kept.length === places.length) return kept;
    }
    const bytes = await this.readArchive(cid);
    return places.map(({ cid: block, offset, length }) => ({
      cid: block,
      bytes: bytes.subarray(offset, offset + length),
    }));
  }

  async #readPlace(cid: Cid, { archive, offset, length }: StoredPlace): Promise<Uint8Array> {
    try {
      return blockAt(cid, await this.readArchive(archive), { offset, length });
    } catch (cause) {
      if (!isFixpointError(cause, 'MISSING_CARS')) throw cause;
      // Another writer may have merged the archive into a bigger one meanwhile.
      await this.refresh();
      const place = this.#places.get(cid);
      if (place === undefined || place.archive === archive) throw cause;
      return blockAt(cid, await this.readArchive(place.archive), place);
    }
  }

  async #open(cid: Cid): Promise<Uint8Array> {
    const sealed = await this.#store.read(archiveKey(cid));
    if (sealed === undefined) throw new FixpointError('MISSING_CARS', cid);
    return openArchive(sealed, this.#keys().all, cid);
  }

  #indexOf(archive: Archive): Uint8Array {
    const index = this.#indexes.get(archive) ?? encodeBlockIndex(archive.blocks);
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
    this.#opened.delete(archive);
    this.#places.remove(archive);
  }
}

/** The index says where a block lies; only its hash says that it is this one. @throws FixpointError CORRUPT */
function blockAt(cid: Cid, archive: Uint8Array, place: Omit<StoredPlace, 'archive'>): Uint8Array {
  const { offset, length } = place;
  const bytes = archive.subarray(offset, offset + length);
  if (cidOf(codecOf(cid), bytes) !== cid)
    throw new FixpointError('CORRUPT', `block ${cid} has other content`);
  return bytes;
}
