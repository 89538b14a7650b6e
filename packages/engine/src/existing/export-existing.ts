/**
 * Exports a database in the form that the format's first implementation reads: all blocks that the
 * head needs, all events, and attached files.
 */
import { FixpointError, isFixpointError, LIMITS } from '@fixpoint/protocol';
import { type Archive, packArchive, packBlocks } from '../archive/pack.ts';
import { utf8 } from '../base/bytes.ts';
import type { Head } from '../clock/event.ts';
import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import type { Commits } from '../commit/commits-interface.ts';
import { rebuiltSnapshot } from '../commit/rebuild.ts';
import { createReaders, readersOf, type Snapshot } from '../commit/snapshot.ts';
import { snapshotOf } from '../commit/snapshot-of.ts';
import { type DataKey, dataKey, NO_KEY } from '../crypto/keys.ts';
import { seal } from '../crypto/seal.ts';
import { GENESIS_KEY } from '../documents/genesis.ts';
import type { ExistingTarget } from '../ports/existing-store.ts';
import type { Random } from '../ports/random.ts';
import { encodeMetaEntry } from '../sync/ledger/meta-entry-codec.ts';
import { entries } from '../trie/entries.ts';
import { keyRecord, parseKeyRecord } from './existing-keys.ts';
import { EMPTY_QUEUE, EXISTING_FILES_VERSION } from './layout.ts';
import { valuesOfChanges } from './walk-of-changes.ts';

export { storeKeyName } from './existing-keys.ts';

/** The length of the first implementation's keys. */
const KEY_BYTES = 16;

/** Counts of the exported data. */
export interface Exported {
  /** Documents, including deleted ones. */
  readonly documents: number;
  /** Archives of attached files. */
  readonly files: number;
  /** Archives that couldn't be found anywhere. */
  readonly filesMissing: number;
  /**
   * Old versions that `changes()` of `@fireproof/core` reads, and that compaction dropped. If this
   * isn't 0, that function fails, and everything else works. Histories that never diverged need no
   * old versions.
   */
  readonly versionsMissing: number;
  readonly head: Head;
}

/**
 * Exports a database.
 * @param keyName the name of the encryption key, which is created if the bag doesn't have it;
 * undefined turns encryption off
 * @throws FixpointError CONFLICT when a database already exists there; MISSING_HEAD when there is
 * nothing to write; MISSING_BLOCK, CORRUPT, STORE_FULL, STORE_FAILED
 */
export async function exportExisting(
  commits: Commits,
  target: ExistingTarget,
  keyName: string | undefined,
  random: Random,
): Promise<Exported> {
  if (await target.isTaken()) throw new FixpointError('CONFLICT', `${target.place} exists`);
  // Exported events are shared, and shared events are permanent. If compaction dropped the
  // beginning of the history, this joins the rest to an event that can be shared.
  await commits.prepareForSync();
  const { snapshot, release } = commits.hold();
  try {
    if (snapshot.head.length === 0) throw new FixpointError('MISSING_HEAD', 'the database is empty');
    const key = keyName === undefined ? NO_KEY : await keyOf(target, keyName, random);
    for (const folder of ['data', 'meta', 'wal', 'idx-data', 'idx-meta', 'idx-wal'])
      await target.write(`${folder}/version`, utf8(EXISTING_FILES_VERSION));
    await target.write('wal/main.json', utf8(JSON.stringify(EMPTY_QUEUE)));
    const files = await writeFiles(commits, target, key);
    const { blocks, documents, versionsMissing } = await blocksOf(snapshot, commits);
    const archives = await packed(blocks, snapshot.head);
    for (const { cid, bytes } of archives) await target.write(`data/${cid}.car`, await seal(bytes, key));
    const last = archives.at(-1);
    if (last === undefined) throw new FixpointError('MISSING_HEAD');
    // Write this last: until it exists, a reader of the folder finds no head.
    const { cid, parents, data } = encodeMetaEntry([last.cid]);
    await target.write('meta/main.json', utf8(JSON.stringify([{ cid, parents, data }])));
    return { documents, ...files, versionsMissing, head: snapshot.head };
  } finally {
    release();
  }
}

async function keyOf(target: ExistingTarget, name: string, random: Random): Promise<DataKey> {
  const record = await target.readKeyRecord(name);
  const known = record === undefined ? undefined : parseKeyRecord(record, name)[0];
  if (known !== undefined) return known;
  const made = dataKey(random.bytes(KEY_BYTES));
  await target.writeKeyRecord(name, keyRecord(name, { current: made, all: new Map([[made.id, made]]) }));
  return made;
}

async function writeFiles(
  commits: Commits,
  target: ExistingTarget,
  key: DataKey,
): Promise<{ files: number; filesMissing: number }> {
  const counts = { files: 0, filesMissing: 0 };
  for (const cid of await commits.fileArchivesNamed()) {
    try {
      await target.write(`data/${cid}`, await seal(await commits.readers.fileArchive(cid), key));
      counts.files += 1;
    } catch (cause) {
      if (!isFixpointError(cause, 'MISSING_CARS')) throw cause;
      counts.filesMissing += 1;
    }
  }
  return counts;
}

/**
 * Returns all blocks that a reader needs to merge the head, read every document, walk back to the
 * first event, and list the changes on the way.
 */
async function blocksOf(
  { head }: Snapshot,
  { readers: stored }: Commits,
): Promise<{ blocks: readonly Block[]; documents: number; versionsMissing: number }> {
  const blocks = new Map<Cid, Block>();
  const read = async (cid: Cid) => {
    const bytes = await stored.block(cid);
    blocks.set(cid, { cid, bytes });
    return bytes;
  };
  const recording = createReaders(read, new Map(), stored.fileArchive, () => undefined);
  const snapshot = await snapshotOf(head, recording, rebuiltSnapshot);
  for (const block of snapshot.merged) blocks.set(block.cid, block);
  const readers = readersOf(snapshot, recording);
  const events = new Set<Cid>(head);
  for (const event of events) for (const parent of (await readers.event(event)).parents) events.add(parent);
  let documents = 0;
  if (snapshot.root === undefined) throw new FixpointError('MISSING_HEAD');
  for await (const [key, value] of entries(readers.shard, snapshot.root)) {
    await readers.block(value);
    if (key !== GENESIS_KEY) documents += 1;
  }
  let versionsMissing = 0;
  for (const value of await valuesOfChanges(head, readers.event))
    await readers.block(value).catch((cause: unknown) => {
      if (!isFixpointError(cause, 'MISSING_BLOCK') && !isFixpointError(cause, 'MISSING_CARS')) throw cause;
      versionsMissing += 1;
    });
  return { blocks: [...blocks.values()], documents, versionsMissing };
}

/**
 * Returns archives of about a megabyte each, and a small last archive whose header refers to the
 * others. The first implementation reads only one archive as the newest commit.
 */
async function packed(blocks: readonly Block[], head: Head): Promise<readonly Archive[]> {
  const parts: Archive[] = [];
  let waiting: Block[] = [];
  let size = 0;
  for (const block of blocks) {
    waiting.push(block);
    size += block.bytes.length;
    if (size < LIMITS.archiveBytesThreshold) continue;
    parts.push(packBlocks(block.cid, waiting));
    waiting = [];
    size = 0;
  }
  const cars = parts.map(({ cid }) => [cid]).reverse();
  return [...parts, await packArchive({ cars, compact: [], head }, waiting)];
}
