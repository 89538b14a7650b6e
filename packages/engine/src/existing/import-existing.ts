/** Imports a database of the format's first implementation. The original stays unchanged. */
import { mergeHeads } from '../clock/advance.ts';
import type { Head } from '../clock/event.ts';
import type { Cid } from '../codec/cid.ts';
import type { Commits } from '../commit/commits-interface.ts';
import { createReaders } from '../commit/snapshot.ts';
import type { ExistingPlace, ExistingStore } from '../ports/existing-store.ts';
import { uploadKey } from '../store/names.ts';
import { storeKeyName } from './existing-keys.ts';
import { type ExistingDatabase, readExisting } from './read-existing.ts';

export { storeKeyName };

/** Counts of the content of a database of `@fireproof/core`. */
export interface Imported {
  /** Documents, without deleted ones. */
  readonly documents: number;
  readonly deleted: number;
  /** Events of its history. */
  readonly events: number;
  /** Archives of attached files. */
  readonly files: number;
  /**
   * Number of missing archives of files that its documents reference. `@fireproof/core` never
   * fetches files of other devices.
   */
  readonly filesMissing: number;
  readonly head: Head;
}

const NOTHING = new Uint8Array();

/**
 * Reads and checks the whole database, then merges it: first the files, then history and documents
 * in one durable commit. Running it again imports later writes. Returns undefined when the existing
 * database is empty.
 * @throws FixpointError any error of {@link readExisting}, and STORE_FULL, STORE_FAILED; the
 * database is then unchanged, except for unreferenced files
 */
export async function importExisting(
  commits: Commits,
  store: ExistingStore,
  keyName: string,
): Promise<Imported | undefined> {
  const found = await readExisting(store, keyName);
  if (found === undefined) return undefined;
  // Other devices may have events of this history. If this device has dropped them, it would
  // mistake them for new events when they arrive.
  await commits.prepareForSync();
  for (const file of found.files)
    if (!commits.files.list().has(file.cid)) await commits.files.fetched(file, []);
  if (!(await isKnown(commits, found))) {
    const { head, archives } = found;
    const remember = archives
      .filter(({ cid }) => !commits.hasArchive(cid))
      .map(({ cid }) => ({ key: uploadKey(cid), bytes: NOTHING }));
    await commits.mergeRemote({ head, archives, remember });
  }
  const { documents, deleted, events, filesMissing, head } = found;
  return { documents, deleted, events, files: found.files.length, filesMissing, head };
}

/** Returns whether the history here already contains the imported one. */
async function isKnown({ readers, snapshot }: Commits, found: ExistingDatabase): Promise<boolean> {
  const { head } = snapshot();
  if (head.length === 0) return false;
  const blocks = new Map<Cid, Uint8Array>();
  for (const { bytes, blocks: places } of found.archives)
    for (const { cid, offset, length } of places) blocks.set(cid, bytes.subarray(offset, offset + length));
  const both = createReaders(
    async (cid) => blocks.get(cid) ?? readers.block(cid),
    new Map(),
    readers.fileArchive,
    () => undefined,
  );
  return (await mergeHeads(head, found.head, both.event)).join() === head.join();
}

/**
 * Imports an existing database into an empty one that was just opened. If the import fails, closes
 * the empty one.
 * @throws any error of {@link importExisting}
 */
export async function adoptDatabase(
  commits: Commits,
  existing: ExistingStore,
  name: string,
  { storeKey = storeKeyName(name) }: ExistingPlace,
): Promise<void> {
  try {
    await importExisting(commits, existing, storeKey);
  } catch (cause) {
    await commits.close();
    throw cause;
  } finally {
    await existing.close();
  }
}
