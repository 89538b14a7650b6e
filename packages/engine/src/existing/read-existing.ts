/**
 * Reads a whole database of the format's first implementation. Checks every event, and every
 * document at its head.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import { readCar } from '../archive/car.ts';
import { type FileArchive, fileBlocks } from '../archive/file-archive.ts';
import { type Archive, readArchiveHeader } from '../archive/pack.ts';
import { textOf } from '../base/bytes.ts';
import { mergeHeads } from '../clock/advance.ts';
import { type Head, sortHead } from '../clock/event.ts';
import { genesisOf } from '../clock/genesis.ts';
import { CAR, type Cid, cidOfLong, parseCid } from '../codec/cid.ts';
import { liveFileArchives } from '../commit/compaction/live-files.ts';
import { rebuiltSnapshot } from '../commit/rebuild.ts';
import { createReaders, readersOf, type Snapshot } from '../commit/snapshot.ts';
import { snapshotOf } from '../commit/snapshot-of.ts';
import type { DataKey } from '../crypto/keys.ts';
import { open } from '../crypto/seal.ts';
import { decodeDocument } from '../documents/encode.ts';
import { GENESIS_DOCUMENT, GENESIS_KEY } from '../documents/genesis.ts';
import type { ExistingStore } from '../ports/existing-store.ts';
import { decodeMetaData } from '../sync/ledger/meta-entry-codec.ts';
import { entries } from '../trie/entries.ts';
import { isKeyRecord, parseKeyRecord } from './existing-keys.ts';

export interface ExistingDatabase {
  readonly head: Head;
  readonly archives: readonly Archive[];
  /** Archives of attached files that the documents reference, as far as these archives exist. */
  readonly files: readonly FileArchive[];
  /**
   * Number of missing archives of files that the documents reference. The first implementation
   * never fetches files of other devices.
   */
  readonly filesMissing: number;
  readonly documents: number;
  readonly deleted: number;
  readonly events: number;
}

/**
 * Reads a database. Returns undefined when nothing was ever committed.
 * @param keyName the name of the record with the keys of the database
 * @throws FixpointError CORRUPT, MISSING_HEAD, MISSING_CARS, MISSING_BLOCK, MISSING_STORE_KEY,
 * KEY_UNKNOWN
 */
export async function readExisting(
  store: ExistingStore,
  keyName: string,
): Promise<ExistingDatabase | undefined> {
  const metas = await readMetas(store);
  if (metas === undefined) return undefined;
  const load = createLoading(store, keyName);
  let missing: FixpointError | undefined;
  const heads: Head[] = [];
  for (const [first, ...others] of metas) {
    const header = readArchiveHeader((await load.archive(first)).bytes);
    if (header.head.length === 0) throw new FixpointError('MISSING_HEAD', store.place);
    heads.push(sortHead(header.head));
    for (const cid of [...others, ...header.cars.flat()]) {
      try {
        await load.archive(cid);
      } catch (cause) {
        // The archive may be unneeded: a compaction replaced it, or only a branch that was merged
        // long ago referred to it.
        if (!isFixpointError(cause, 'MISSING_CARS')) throw cause;
        missing ??= cause;
      }
    }
  }
  try {
    return await checked(heads, load);
  } catch (cause) {
    if (!isFixpointError(cause, 'MISSING_BLOCK')) throw cause;
    // The first implementation can lose the reference to an archive that is still stored.
    if (await load.strayArchives()) return checked(heads, load);
    throw missing ?? cause;
  }
}

type Group = readonly [Cid, ...Cid[]];

async function readMetas(store: ExistingStore): Promise<readonly Group[] | undefined> {
  const bytes = await store.readMeta();
  if (bytes === undefined) {
    if ((await store.archives()).length === 0) return undefined;
    throw new FixpointError('MISSING_HEAD', store.place);
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(textOf(bytes));
  } catch (cause) {
    throw new FixpointError('CORRUPT', `meta of ${store.place}`, { cause });
  }
  const list = parsed as readonly (Partial<MetaEntry> | null)[];
  if (!Array.isArray(list) || list.length === 0) throw new FixpointError('CORRUPT', `meta of ${store.place}`);
  return list.map((entry) => {
    if (typeof entry?.data !== 'string') throw new FixpointError('CORRUPT', `meta of ${store.place}`);
    return decodeMetaData(entry.data).group;
  });
}

type Loading = ReturnType<typeof createLoading>;

function createLoading(store: ExistingStore, keyName: string) {
  const archives = new Map<Cid, Archive>();
  const blocks = new Map<Cid, Uint8Array>(
    genesisOf(GENESIS_KEY, GENESIS_DOCUMENT).blocks.map(({ cid, bytes }) => [cid, bytes]),
  );
  const openSealed = createOpening(store, keyName);

  /**
   * Returns the plain bytes of an archive. Names don't show whether a database is encrypted, but if
   * the stored bytes have the right hash, they aren't encrypted.
   */
  async function plainOf(cid: Cid, stored: Uint8Array): Promise<Uint8Array> {
    if ((await cidOfLong(CAR, stored)) === cid) return stored;
    const plain = await openSealed(stored);
    if ((await cidOfLong(CAR, plain)) !== cid)
      throw new FixpointError('CORRUPT', `archive ${cid} has other content`);
    return plain;
  }

  async function archive(cid: Cid): Promise<Archive> {
    const known = archives.get(cid);
    if (known !== undefined) return known;
    const stored = await store.readArchive(cid);
    if (stored === undefined) throw new FixpointError('MISSING_CARS', cid);
    const bytes = await plainOf(cid, stored);
    const loaded = { cid, bytes, blocks: readCar(bytes).blocks };
    for (const { cid: block, offset, length } of loaded.blocks)
      blocks.set(block, bytes.subarray(offset, offset + length));
    archives.set(cid, loaded);
    return loaded;
  }

  return {
    archive,
    archives,
    blocks,
    fileArchive: async (cid: Cid): Promise<FileArchive | undefined> => {
      const stored = await store.readFileArchive(cid);
      if (stored === undefined) return undefined;
      const bytes = await plainOf(cid, stored);
      await fileBlocks(bytes);
      return { cid, bytes };
    },
    /** Loads all other readable archives. Returns whether there were any. */
    strayArchives: async (): Promise<boolean> => {
      const before = archives.size;
      for (const name of await store.archives()) {
        try {
          await archive(parseCid(name));
        } catch (cause) {
          // A damaged archive may be unneeded; if it isn't, the missing block is reported later.
          if (!isFixpointError(cause)) throw cause;
        }
      }
      return archives.size > before;
    },
  };
}

/**
 * Returns a function that decrypts archives with the key of this name, or else with any key of the
 * bag that fits.
 */
function createOpening(store: ExistingStore, keyName: string): (sealed: Uint8Array) => Promise<Uint8Array> {
  let named: ReadonlyMap<string, DataKey> | undefined;
  let all: ReadonlyMap<string, DataKey> | undefined;
  const byId = (keys: readonly DataKey[]) => new Map(keys.map((key) => [key.id, key]));

  async function allKeys(): Promise<ReadonlyMap<string, DataKey>> {
    const records = await store.readKeyRecords();
    return byId(records.filter(isKeyRecord).flatMap((record) => parseKeyRecord(record, keyName)));
  }

  return async (sealed) => {
    let missing = new FixpointError('MISSING_STORE_KEY', keyName);
    const record = named === undefined ? await store.readKeyRecord(keyName) : undefined;
    if (record !== undefined) named = byId(parseKeyRecord(record, keyName));
    if (named !== undefined) {
      try {
        return await open(sealed, named);
      } catch (cause) {
        if (!isFixpointError(cause, 'KEY_UNKNOWN')) throw cause;
        missing = cause;
      }
    }
    all ??= await allKeys();
    if (all.size === 0) throw missing;
    return open(sealed, all).catch((cause) => {
      throw isFixpointError(cause, 'KEY_UNKNOWN') ? missing : cause;
    });
  };
}

/** @throws FixpointError MISSING_BLOCK, CORRUPT, KEY_UNKNOWN */
async function checked(heads: readonly Head[], load: Loading): Promise<ExistingDatabase> {
  const stored = createReaders(
    async (cid) => {
      const bytes = load.blocks.get(cid);
      if (bytes === undefined) throw new FixpointError('MISSING_BLOCK', cid);
      return bytes;
    },
    new Map(),
    () => Promise.reject(new FixpointError('NOT_IMPLEMENTED')),
    () => undefined,
  );
  let head = sortHead([]);
  for (const one of heads) head = await mergeHeads(head, one, stored.event);
  const snapshot = await snapshotOf(head, stored, rebuiltSnapshot);
  const readers = readersOf(snapshot, stored);
  const events = await countEvents(head, readers.event);
  const counts = await countDocuments(snapshot, readers);
  const named = await liveFileArchives(snapshot, readers);
  const files: FileArchive[] = [];
  for (const cid of named) {
    const file = await load.fileArchive(cid);
    if (file !== undefined) files.push(file);
  }
  return {
    head,
    archives: [...load.archives.values()],
    files,
    filesMissing: named.size - files.length,
    ...counts,
    events,
  };
}

async function countEvents(
  head: Head,
  read: (cid: Cid) => Promise<{ readonly parents: readonly Cid[] }>,
): Promise<number> {
  const seen = new Set<Cid>(head);
  for (const cid of seen) for (const parent of (await read(cid)).parents) seen.add(parent);
  return seen.size;
}

async function countDocuments(
  { root }: Snapshot,
  readers: ReturnType<typeof readersOf>,
): Promise<{ documents: number; deleted: number }> {
  const counts = { documents: 0, deleted: 0 };
  if (root === undefined) return counts;
  for await (const [key, value] of entries(readers.shard, root)) {
    const document = decodeDocument(await readers.block(value));
    if (key !== GENESIS_KEY) counts['doc' in document ? 'documents' : 'deleted'] += 1;
  }
  return counts;
}
