/**
 * Stores attached files. A file is durable before, or together with, the document that refers to
 * it. Compaction removes files that no document refers to.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { FileArchive } from '../archive/file-archive.ts';
import type { Cid } from '../codec/cid.ts';
import type { ByteStore, StoreChange } from '../ports/byte-store.ts';
import type { Time } from '../ports/time.ts';
import { type FileArchives, looseRow, noLooseRow } from '../store/file-archives.ts';

/** The files of a document that is being written. */
export interface OperationFiles {
  /** Archives that are stored in the same step as the document. */
  readonly archives: readonly FileArchive[];
  /** Archives that {@link Files.stage} has already stored. No document refers to them yet. */
  readonly staged: readonly Cid[];
}

/**
 * Fetches an archive from a remote and stores it.
 * @throws FixpointError with the reason when the remote can't provide the archive
 */
type FetchFile = (car: Cid) => Promise<void>;

/** The archives of attached files. */
export interface Files {
  /** Returns the archives on this device. */
  list(): ReadonlySet<Cid>;
  /**
   * Returns the plain bytes of an archive. First fetches the archive if it is missing or damaged on
   * this device.
   * @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN
   */
  read(car: Cid): Promise<Uint8Array>;
  /**
   * Returns the plain bytes of an archive on this device.
   * @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN
   */
  readHere(car: Cid): Promise<Uint8Array>;
  /**
   * Stores an archive before the document that will refer to it.
   * @throws FixpointError STORE_FULL, STORE_FAILED
   */
  stage(archive: FileArchive): Promise<void>;
  /**
   * Stores an archive that came from a remote, with rows that record its origin.
   * @throws FixpointError STORE_FULL, STORE_FAILED
   */
  fetched(archive: FileArchive, remember: readonly StoreChange[]): Promise<void>;
  /**
   * Registers a function that fetches missing archives from a remote. Returns a function that
   * unregisters it.
   */
  onMissing(ask: FetchFile): () => void;
}

export interface CommitFiles extends Files {
  refresh(): Promise<void>;
  /**
   * Returns the store changes for the files of a write. The caller writes them in the same step as
   * the documents.
   * @throws FixpointError STORE_FAILED when staged files were removed
   */
  changesFor(files: readonly OperationFiles[]): Promise<StoreChange[]>;
  /** Adds the files of a write to the list of archives. Call this after the write is durable. */
  written(files: readonly OperationFiles[]): void;
}

export function createFiles(store: ByteStore, archives: FileArchives, time: Time): CommitFiles {
  const fetchers = new Set<FetchFile>();

  async function fetchFromAny(car: Cid, why: FixpointError): Promise<void> {
    let cause: unknown = why;
    for (const ask of [...fetchers]) {
      try {
        return await ask(car);
      } catch (failure) {
        cause = failure;
      }
    }
    if (why.code === 'CORRUPT') throw why;
    if (isFixpointError(cause, 'CORRUPT') || isFixpointError(cause, 'KEY_UNKNOWN')) throw cause;
    throw new FixpointError('MISSING_CARS', car, { cause });
  }

  return {
    list: () => archives.list,
    readHere: (car) => archives.read(car),
    read: async (car) => {
      try {
        return await archives.read(car);
      } catch (cause) {
        if (!isFixpointError(cause, 'MISSING_CARS') && !isFixpointError(cause, 'CORRUPT')) throw cause;
        await fetchFromAny(car, cause);
        return archives.read(car);
      }
    },
    stage: async (archive) => {
      await store.write([...(await archives.changesFor([archive])), looseRow(archive.cid, time.now())]);
      archives.changed([archive.cid]);
    },
    fetched: async (archive, remember) => {
      await store.write([...(await archives.changesFor([archive])), ...remember]);
      archives.changed([archive.cid]);
    },
    onMissing: (ask) => {
      fetchers.add(ask);
      return () => void fetchers.delete(ask);
    },
    refresh: () => archives.refresh(),
    changesFor: async (files) => {
      if (files.length === 0) return [];
      const staged = files.flatMap((one) => one.staged);
      if (staged.some((cid) => !archives.list.has(cid)))
        throw new FixpointError('STORE_FAILED', 'the write took so long that its files were removed');
      return [
        ...(await archives.changesFor(files.flatMap((one) => one.archives))),
        ...staged.map(noLooseRow),
      ];
    },
    written: (files) => {
      archives.changed(files.flatMap((one) => one.archives.map(({ cid }) => cid)));
    },
  };
}
