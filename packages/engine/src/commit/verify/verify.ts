/**
 * Verifies that everything a database needs is stored and matches its CID. The verification first
 * reads every archive and hashes the blocks. Then it follows every link from the head: current
 * documents, earlier events, and their tries and documents. Finally, it reads attached files.
 */

import { isFixpointError } from '@fixpoint/protocol';
import { fileBlocks } from '../../archive/file-archive.ts';
import { append } from '../../base/append.ts';
import type { Pace } from '../../base/pace.ts';
import { decodeEvent, type ReadEvent } from '../../clock/event.ts';
import { type Cid, cidOf, codecOf } from '../../codec/cid.ts';
import { isDeletion, noteDeleted } from '../../documents/deletions.ts';
import { decodeStored, saysDeleted } from '../../documents/encode.ts';
import { fileArchivesOf } from '../../documents/file-entry.ts';
import { GENESIS_KEY } from '../../documents/genesis.ts';
import type { ByteStore } from '../../ports/byte-store.ts';
import type { Archives } from '../../store/archives.ts';
import { localKey } from '../../store/names.ts';
import type { CommitFiles } from '../attached-files.ts';
import { type Readers, readersOf, type Snapshot } from '../snapshot.ts';
import { type AuthorFindings, type Authors, createAuthors } from './authors.ts';
import { createLogAuthors } from './log-authors.ts';

/**
 * An archive or block that doesn't match its CID or can't be read. If `cid` is `store`, the store
 * itself is damaged, or the index of an archive, without which no document was verified.
 */
export interface Damage {
  readonly cid: string;
  readonly why: string;
}

/** The result of a verification. */
export interface Verification extends AuthorFindings {
  /** Readable archives, without those of attached files. */
  readonly archives: number;
  /** Stored blocks, including those of attached files. */
  readonly blocks: number;
  /** Total size of the archives that were read, including those of attached files. */
  readonly bytes: number;
  /** Events that were read, from the head back to the oldest event on this device. */
  readonly events: number;
  /** Readable documents of the head, without deleted ones. */
  readonly documents: number;
  /** Archives of attached files that are on this device. */
  readonly files: number;
  /**
   * Archives of attached files that documents refer to and this device lacks; they are fetched on
   * first read.
   */
  readonly filesAbsent: number;
  /** Stored archives and blocks that are damaged. */
  readonly damaged: readonly Damage[];
  /** Archives, events, and blocks that the head needs and that aren't stored. */
  readonly missing: readonly string[];
  /**
   * Blocks of earlier states that aren't stored. Compaction drops them
   * (docs/decisions/0020).
   */
  readonly missingOfPast: number;
}

/** Options to watch and stop a verification. */
export interface VerifyOptions {
  /** Called after each archive with the number done and the total. */
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
  /** Stops the verification, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

export interface VerifyParts {
  /** The store of the database. */
  readonly store: Pick<ByteStore, 'inspect' | 'read' | 'readPrefix'>;
  readonly archives: Archives;
  readonly files: Pick<CommitFiles, 'list' | 'readHere' | 'refresh'>;
  readonly readers: Readers;
  readonly snapshot: Snapshot;
  readonly pace: Pace;
}

/** Whether the head needs a block now, or only an earlier state needs it. */
type Needed = 'now' | 'past';

/** Results so far. */
interface Findings {
  archives: number;
  blocks: number;
  bytes: number;
  documents: number;
  events: number;
  files: number;
  /** File archives that current documents refer to. */
  readonly filesNamed: Set<Cid>;
  readonly damaged: Map<Cid, string>;
  readonly missing: Map<Cid, Needed>;
  /** Maps each block of an unreadable archive to that archive. */
  readonly unreadable: Map<Cid, Cid>;
  /** Damage of the store itself. */
  damagedStore?: string;
  readonly authors: Authors;
  readonly step: () => Promise<void>;
}

/**
 * Verifies a database. Reports damage as a finding, never as an error. Keeps the CID of each
 * visited block in memory.
 * @throws the reason with which `signal` was aborted
 */
export async function verifyStored(parts: VerifyParts, options: VerifyOptions): Promise<Verification> {
  const { pace } = parts;
  const findings: Findings = {
    archives: 0,
    blocks: 0,
    bytes: 0,
    documents: 0,
    events: 0,
    files: 0,
    filesNamed: new Set(),
    damaged: new Map(),
    missing: new Map(),
    unreadable: new Map(),
    authors: authorsIn(parts),
    step: async () => {
      options.signal?.throwIfAborted();
      if (pace.isDue()) await pace.rest();
    },
  };
  await inspectStore(parts, findings);
  if (await readIndexes(parts, findings)) {
    await readArchives(parts, findings, options);
    await followLinks(parts, findings);
  }
  await readFiles(parts, findings, options);
  const { archives, blocks, bytes, events, documents, files, filesNamed, damaged, missing } = findings;
  const filesHere = parts.files.list();
  const damagedStore =
    findings.damagedStore === undefined ? [] : [{ cid: 'store', why: findings.damagedStore }];
  const ofNow = [...missing].flatMap(([cid, needed]) => (needed === 'now' ? [cid] : []));
  return {
    archives,
    blocks,
    bytes,
    events,
    documents,
    files,
    filesAbsent: [...filesNamed].filter((car) => !filesHere.has(car) && !missing.has(car)).length,
    damaged: [...damagedStore, ...[...damaged].map(([cid, why]) => ({ cid, why }))],
    missing: ofNow,
    missingOfPast: missing.size - ofNow.length,
    ...(await findings.authors.found()),
  };
}

function authorsIn({ store, readers, snapshot }: VerifyParts): Authors {
  const readPrefix: ByteStore['readPrefix'] = (prefix) => store.readPrefix(prefix);
  const find = createLogAuthors((name) => store.read(localKey(name)), readPrefix, readers.event);
  let authors: ReturnType<typeof find> | undefined;
  return createAuthors(readPrefix, snapshot.head, () => {
    authors ??= find();
    return authors;
  });
}

/**
 * Checks the store itself, which may have lost rows that nothing refers to. Such damage has no CID.
 */
async function inspectStore({ store }: VerifyParts, findings: Findings): Promise<void> {
  try {
    await store.inspect?.();
  } catch (cause) {
    if (!isFixpointError(cause, 'CORRUPT') && !isFixpointError(cause, 'FORMAT_NEWER')) throw cause;
    findings.damagedStore = cause.message;
  }
}

/** Returns whether the indexes of all archives are readable. Without them, nothing can be found. */
async function readIndexes({ archives }: VerifyParts, findings: Findings): Promise<boolean> {
  try {
    await archives.readIndexes();
    return true;
  } catch (cause) {
    if (!isFixpointError(cause, 'CORRUPT')) throw cause;
    findings.damagedStore ??= cause.message;
    return false;
  }
}

async function readArchives(
  { archives, files }: VerifyParts,
  findings: Findings,
  { onProgress }: VerifyOptions,
): Promise<void> {
  const seen = new Set<Cid>();
  // A concurrent compaction creates new archives from old ones. So repeat until no archive is new.
  for (let before = -1; before < seen.size; ) {
    before = seen.size;
    const all = [...archives.list.keys()].filter((cid) => !seen.has(cid));
    for (const cid of all) {
      await findings.step();
      seen.add(cid);
      if (archives.has(cid)) await readArchive(archives, cid, findings);
      onProgress?.(seen.size, before + all.length + files.list().size);
    }
  }
}

async function readArchive(archives: Archives, archive: Cid, findings: Findings): Promise<void> {
  const places = archives.contentOf(archive);
  let bytes: Uint8Array | undefined;
  try {
    bytes = await storedBytes(archives, archive);
  } catch (cause) {
    note(findings, archive, cause, 'now');
    for (const { cid } of places)
      if (archives.placeOf(cid)?.archive === archive) findings.unreadable.set(cid, archive);
    return;
  }
  if (bytes === undefined) return;
  findings.archives++;
  findings.bytes += bytes.length;
  for (const { cid, offset, length } of places) {
    findings.blocks++;
    if (cidOf(codecOf(cid), bytes.subarray(offset, offset + length)) !== cid)
      findings.damaged.set(cid, `the content of its place in archive ${archive} is another`);
    await findings.step();
  }
}

/**
 * Returns the stored bytes of an archive, or undefined if another writer has replaced the archive.
 * @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN
 */
async function storedBytes(archives: Archives, cid: Cid): Promise<Uint8Array | undefined> {
  try {
    return await archives.readStored(cid);
  } catch (cause) {
    if (!isFixpointError(cause, 'MISSING_CARS')) throw cause;
    await archives.refresh();
    if (archives.has(cid)) throw cause;
    return undefined;
  }
}

/** Reads the attached files on this device. Other files are fetched when they are first read. */
async function readFiles(
  { files }: VerifyParts,
  findings: Findings,
  { onProgress }: VerifyOptions,
): Promise<void> {
  const { archives } = findings;
  const all = [...files.list()];
  for (const [at, car] of all.entries()) {
    await findings.step();
    await readFile(files, car, findings);
    onProgress?.(archives + at + 1, archives + all.length);
  }
}

async function readFile(files: VerifyParts['files'], car: Cid, findings: Findings): Promise<void> {
  try {
    const bytes = await files.readHere(car);
    findings.bytes += bytes.length;
    findings.blocks += (await fileBlocks(bytes)).length;
  } catch (cause) {
    await files.refresh();
    // This or another tab removed the file, because no document refers to it.
    if (!files.list().has(car) && !findings.filesNamed.has(car)) return;
    note(findings, car, cause, 'now');
  }
  findings.files++;
}

async function followLinks({ readers, snapshot }: VerifyParts, findings: Findings): Promise<void> {
  const seen = new Set<Cid>();
  if (snapshot.root !== undefined)
    findings.documents = await followTrie(readersOf(snapshot, readers), snapshot.root, 'now', seen, findings);
  const waiting = [...snapshot.head];
  for (let cid = waiting.pop(); cid !== undefined; cid = waiting.pop()) {
    if (seen.has(cid)) continue;
    seen.add(cid);
    // Compaction drops only events before the horizon, and the horizon event replaces them. Any
    // other missing event is damage.
    const event = await attempt(cid, 'now', findings, readers.event);
    if (event === undefined) continue;
    findings.events++;
    // Readers return the horizon without its stamp, so its stored block is decoded.
    const isStamped = event.by !== undefined;
    const stored = isStamped ? event : await attempt(cid, 'now', findings, storedEvent(readers));
    if (stored !== undefined) await findings.authors.add(cid, stored);
    append(waiting, event.parents);
    await followTrie(readers, event.root, 'past', seen, findings);
    for (const { key, value } of event.operations)
      if (value !== undefined) await followDocument(readers, key, value, 'past', seen, findings);
  }
}

const storedEvent =
  ({ block }: Pick<Readers, 'block'>): ReadEvent =>
  async (cid) =>
    decodeEvent(await block(cid));

/** Returns the number of readable documents in a trie. */
async function followTrie(
  readers: Readers,
  root: Cid,
  neededBy: Needed,
  seen: Set<Cid>,
  findings: Findings,
): Promise<number> {
  let documents = 0;
  const waiting = [{ cid: root, path: '' }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { cid, path } = next;
    if (seen.has(cid)) continue;
    seen.add(cid);
    const shard = await attempt(cid, neededBy, findings, readers.shard);
    if (shard !== undefined && shard.prefix !== path)
      findings.damaged.set(cid, 'a misplaced shard of the trie');
    for (const { key, child, value } of shard?.entries ?? []) {
      if (child !== undefined) waiting.push({ cid: child, path: path + key });
      if (value !== undefined && (await followDocument(readers, path + key, value, neededBy, seen, findings)))
        documents++;
    }
  }
  return documents;
}

/**
 * Returns whether the document exists and can be read. Equal documents share one block, so a block
 * that was seen before counts again.
 */
async function followDocument(
  readers: Readers,
  key: string,
  value: Cid,
  neededBy: Needed,
  seen: Set<Cid>,
  findings: Findings,
): Promise<boolean> {
  if (seen.has(value)) {
    const isReadable = !findings.damaged.has(value) && !findings.missing.has(value);
    return key !== GENESIS_KEY && !isDeletion(value) && isReadable;
  }
  seen.add(value);
  const read = await attempt(value, neededBy, findings, async (cid) =>
    decodeStored(await readers.block(cid)),
  );
  if (neededBy === 'now' && read !== undefined && 'doc' in read)
    for (const car of fileArchivesOf(read.doc)) findings.filesNamed.add(car);
  if (read !== undefined && 'doc' in read && saysDeleted(read.doc)) noteDeleted(value);
  return key !== GENESIS_KEY && !isDeletion(value) && read !== undefined;
}

async function attempt<T>(
  cid: Cid,
  neededBy: Needed,
  findings: Findings,
  read: (cid: Cid) => Promise<T>,
): Promise<T | undefined> {
  await findings.step();
  const archive = findings.unreadable.get(cid);
  if (findings.damaged.has(cid)) return undefined;
  if (archive !== undefined) {
    if (findings.damaged.has(archive)) findings.damaged.set(cid, `it lies in archive ${archive}`);
    else findings.missing.set(cid, neededBy);
    return undefined;
  }
  try {
    return await read(cid);
  } catch (cause) {
    note(findings, cid, cause, neededBy);
    return undefined;
  }
}

/** Records damage and missing data as findings. Rethrows other failures. */
function note({ damaged, missing }: Findings, cid: Cid, cause: unknown, neededBy: Needed): void {
  if (isFixpointError(cause, 'MISSING_BLOCK') || isFixpointError(cause, 'MISSING_CARS'))
    missing.set(cid, neededBy);
  else if (
    isFixpointError(cause, 'CORRUPT') ||
    isFixpointError(cause, 'KEY_UNKNOWN') ||
    isFixpointError(cause, 'FORMAT_NEWER')
  )
    damaged.set(cid, cause.message);
  else throw cause;
}
