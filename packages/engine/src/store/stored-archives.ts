/** Blocks out of archives as they are stored (docs/decisions/0084-blocks-by-themselves.md). */
import { FixpointError } from '@fixpoint/protocol';
import { Lru } from '../base/lru.ts';
import { type Cid, cidOf, codecOf } from '../codec/cid.ts';
import type { Keys } from '../crypto/keys.ts';
import { openArchive, openPart, sealedStart } from '../crypto/seal.ts';
import type { ByteStore } from '../ports/byte-store.ts';
import type { StoredPlace } from './block-places.ts';
import { archiveKey } from './names.ts';

const OPENED_BYTES_MAX = 32_000_000;
/** To read a block by itself costs about as much as to open so many bytes of an archive. */
const BYTES_FOR_ONE_BLOCK = 16_000;

export class StoredArchives {
  readonly #store: ByteStore;
  readonly #keys: () => Keys;
  readonly #opened = new Lru<Cid, Promise<Uint8Array>>(OPENED_BYTES_MAX);
  /** How many blocks of an archive were read by themselves since it was opened the last time. */
  readonly #single = new Map<Cid, number>();

  constructor(store: ByteStore, keys: () => Keys) {
    this.#store = store;
    this.#keys = keys;
  }

  /** The plain bytes of an archive as they are stored now. @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN */
  async readNow(cid: Cid): Promise<Uint8Array> {
    const sealed = await this.#store.read(archiveKey(cid));
    if (sealed === undefined) throw new FixpointError('MISSING_CARS', cid);
    return openArchive(sealed, this.#keys().all, cid);
  }

  /** The same, from memory where it is opened. @param bytes how long the plain archive is */
  read(cid: Cid, bytes: number): Promise<Uint8Array> {
    const known = this.#opened.get(cid);
    if (known !== undefined) return known;
    const opening = this.readNow(cid);
    this.#opened.set(cid, opening, bytes);
    this.#single.delete(cid);
    opening.catch(() => this.#opened.delete(cid));
    return opening;
  }

  /** Takes what was just stored, so that nobody has to open it. */
  keep(cid: Cid, plain: Uint8Array): void {
    this.#opened.set(cid, Promise.resolve(plain), plain.length);
  }

  /**
   * A block, which is a part of what was opened or bytes of its own. It is read by itself until so many were that it would have been cheaper to open the
   * archive; then that is opened.
   * @param bytes how long the plain archive is
   * @param wanted how many blocks of the archive are wanted now, with this one
   * @throws as {@link readNow}
   */
  async readBlock(cid: Cid, place: StoredPlace, bytes: number, wanted = 1): Promise<Uint8Array> {
    const { archive, offset, length } = place;
    if (this.#isBetterSingle(archive, bytes, wanted)) {
      const single = await this.#readSingle(cid, place, bytes);
      if (single !== undefined) return single;
    }
    const block = (await this.read(archive, bytes)).subarray(offset, offset + length);
    // The index says where a block lies; only its hash says that it is this one.
    if (!isContent(cid, block)) throw new FixpointError('CORRUPT', `block ${cid} has other content`);
    return block;
  }

  forget(cid: Cid): void {
    this.#opened.delete(cid);
    this.#single.delete(cid);
  }

  #isBetterSingle(archive: Cid, bytes: number, wanted: number): boolean {
    if (this.#store.readPart === undefined || this.#opened.get(archive) !== undefined) return false;
    const before = this.#single.get(archive) ?? 0;
    if ((before + wanted) * BYTES_FOR_ONE_BLOCK > bytes) return false;
    this.#single.set(archive, before + 1);
    return true;
  }

  /** Undefined when it does not come to the content of that CID: the whole archive tells why. */
  async #readSingle(
    cid: Cid,
    { archive, offset, length }: StoredPlace,
    bytes: number,
  ): Promise<Uint8Array | undefined> {
    const keys = this.#keys();
    const part = await this.#store.readPart?.(archiveKey(archive), sealedStart(bytes, keys) + offset, length);
    if (part === undefined) return undefined;
    for (const key of keys.all.values()) {
      const block = await openPart(part, key, archive, offset);
      if (block !== undefined && isContent(cid, block)) return block;
    }
    return undefined;
  }
}

const isContent = (cid: Cid, block: Uint8Array): boolean => cidOf(codecOf(cid), block) === cid;
