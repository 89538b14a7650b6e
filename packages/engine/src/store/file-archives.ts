/**
 * The archives of attached files. They are sealed like other archives, but they are never merged,
 * and are read only when one of their files is needed.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { FileArchive } from '../archive/file-archive.ts';
import { utf8 } from '../base/bytes.ts';
import type { Cid } from '../codec/cid.ts';
import { seal } from '../crypto/seal.ts';
import type { ByteStore, StoreChange } from '../ports/byte-store.ts';
import { archivesUnder, FILES, fileKey, looseFileKey } from './names.ts';
import { type ArchiveKeys, openStored } from './open-archive.ts';

export class FileArchives {
  readonly #store: ByteStore;
  readonly #keys: ArchiveKeys;
  #here = new Set<Cid>();

  constructor(store: ByteStore, keys: ArchiveKeys) {
    this.#store = store;
    this.#keys = keys;
  }

  /** Updates the list with archives that other writers added or removed since the last call. */
  async refresh(): Promise<void> {
    // An archive that is added while the store lists its rows may be missing from that list. Keep
    // such archives.
    const before = new Set(this.#here);
    const stored = await archivesUnder(this.#store, FILES);
    const come = [...this.#here].filter((cid) => !before.has(cid));
    this.#here = new Set([...stored, ...come]);
  }

  get list(): ReadonlySet<Cid> {
    return this.#here;
  }

  /** Returns the changes that store the archives. */
  async changesFor(archives: readonly FileArchive[]): Promise<StoreChange[]> {
    const { current } = this.#keys.keys();
    return Promise.all(
      archives.map(async ({ cid, bytes }) => ({ key: fileKey(cid), bytes: await seal(bytes, current, cid) })),
    );
  }

  /** Updates the list. Call this after the changes are durable. */
  changed(added: readonly Cid[], removed: readonly Cid[] = []): void {
    for (const cid of added) this.#here.add(cid);
    for (const cid of removed) this.#here.delete(cid);
  }

  /**
   * Returns the plain bytes of an archive.
   * @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN
   */
  async read(cid: Cid): Promise<Uint8Array> {
    const sealed = await this.#store.read(fileKey(cid));
    if (sealed === undefined) throw new FixpointError('MISSING_CARS', cid);
    return openStored(sealed, this.#keys, cid);
  }
}

export const looseRow = (cid: Cid, sinceMs: number): StoreChange => ({
  key: looseFileKey(cid),
  bytes: utf8(String(sinceMs)),
});

export const noLooseRow = (cid: Cid): StoreChange => ({ key: looseFileKey(cid), bytes: undefined });
