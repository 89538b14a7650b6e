/**
 * Puts the content of new files into archives. A file of at most {@link PART_BYTES} is one raw
 * block, and such files of one map share an archive, as the format specifies. A longer file is
 * split into parts of that size. Each part is a raw block in a separate archive, so that only one
 * part is in memory at a time. The CID of such a file is still the hash of the whole content.
 */
import { FixpointError, LIMITS } from '@fixpoint/protocol';
import { type FileArchive, packFiles } from '../archive/file-archive.ts';
import { concatBytes } from '../base/bytes.ts';
import type { Block } from '../codec/block.ts';
import { type Cid, cidOfDigest, cidOfLong, RAW } from '../codec/cid.ts';
import { runningSha256 } from '../codec/sha256.ts';
import type { OperationFiles } from '../commit/attached-files.ts';
import { encodeFileEntry, type FileEntry, parseFileEntry } from '../documents/file-entry.ts';
import type { NewFile } from './file-input.ts';
import { piecesOf } from './file-pieces.ts';
import type { FileMap, TakenFiles } from './take.ts';

const PART_BYTES = LIMITS.fileBlockBytesMax;

export interface SplitFiles extends OperationFiles {
  /** The file maps as they will be in the document. */
  readonly maps: Readonly<Record<string, unknown>>;
}

export interface SplitOptions {
  /**
   * Stores an archive immediately. Content that may exceed memory can't wait for the commit of the
   * document.
   */
  stage(archive: FileArchive): Promise<void>;
  readonly nowMs: number;
}

/** @throws FixpointError FILE_INVALID, LIMIT_REACHED, STORE_FULL, STORE_FAILED */
export async function splitFiles(taken: TakenFiles, { stage, nowMs }: SplitOptions): Promise<SplitFiles> {
  const archives: FileArchive[] = [];
  const staged: Cid[] = [];
  const maps: Record<string, unknown> = {};
  let heldBytes = 0;

  async function store(archive: FileArchive, isPart: boolean): Promise<Cid> {
    if (isPart || heldBytes + archive.bytes.length > PART_BYTES) {
      await stage(archive);
      staged.push(archive.cid);
    } else {
      archives.push(archive);
      heldBytes += archive.bytes.length;
    }
    return archive.cid;
  }

  for (const [name, map] of Object.entries(taken.maps)) maps[name] = await splitMap(map, store, nowMs);
  return { maps, archives, staged };
}

type Store = (archive: FileArchive, isPart: boolean) => Promise<Cid>;
/** A new file that waits for the archive that it shares with others. */
interface Waiting {
  readonly name: string;
  readonly file: NewFile;
  readonly block: Block;
}

async function splitMap(map: FileMap, store: Store, nowMs: number): Promise<Record<string, unknown>> {
  const entries = new Map<string, unknown>(map);
  let waiting: Waiting[] = [];
  let waitingBytes = 0;
  let isShared = true;

  /**
   * Stores the waiting files in one archive. If the archive contains all new files of a map, its
   * roots are all files of that map, also those stored earlier.
   */
  async function storeWaiting(isLast: boolean): Promise<void> {
    if (waiting.length === 0) return;
    const own = new Map(waiting.map(({ name, block }) => [name, block.cid]));
    const roots =
      isLast && isShared
        ? [...entries].flatMap(([name, value]) => own.get(name) ?? cidIn(value))
        : [...own.values()];
    const car = await store(
      await packFiles(
        roots,
        waiting.map(({ block }) => block),
      ),
      false,
    );
    for (const { name, file, block } of waiting)
      entries.set(name, entryOf(file, { cid: block.cid, car: [car], size: block.bytes.length }, nowMs));
    waiting = [];
    waitingBytes = 0;
    isShared = false;
  }

  for (const [name, file] of map) {
    if (!isNewFile(file)) continue;
    const content = await readContent(file, store);
    if ('car' in content) {
      isShared = false;
      entries.set(name, entryOf(file, content, nowMs));
      continue;
    }
    if (waitingBytes + content.bytes.length > PART_BYTES) await storeWaiting(false);
    waiting.push({ name, file, block: content });
    waitingBytes += content.bytes.length;
  }
  await storeWaiting(true);
  return Object.fromEntries(entries);
}

/** Returns a short file as a block, and stores a long file part by part. */
async function readContent(
  file: NewFile,
  store: Store,
): Promise<Block | Pick<FileEntry, 'cid' | 'car' | 'size'>> {
  const whole = runningSha256();
  const car: Cid[] = [];
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let size = 0;
  for await (const piece of piecesOf(file)) {
    size += piece.length;
    if (size > LIMITS.fileBytesMax)
      throw new FixpointError('LIMIT_REACHED', `a file of more than ${LIMITS.fileBytesMax} bytes`);
    for (let at = 0; at < piece.length; ) {
      // Store a full part only if more content follows, so that a file of exactly one part counts
      // as a short file.
      if (heldBytes === PART_BYTES) {
        car.push(await storePart(concatBytes(held), whole, store));
        held = [];
        heldBytes = 0;
      }
      const next = piece.subarray(at, at + PART_BYTES - heldBytes);
      held.push(next.slice());
      heldBytes += next.length;
      at += next.length;
    }
  }
  const last = concatBytes(held);
  if (car.length === 0) return rawBlock(last);
  car.push(await storePart(last, whole, store));
  return { cid: cidOfDigest(RAW, whole.digest()), car, size };
}

async function storePart(
  bytes: Uint8Array,
  whole: ReturnType<typeof runningSha256>,
  store: Store,
): Promise<Cid> {
  whole.update(bytes);
  const block = await rawBlock(bytes);
  return store(await packFiles([block.cid], [block]), true);
}

const rawBlock = async (bytes: Uint8Array): Promise<Block> => ({ cid: await cidOfLong(RAW, bytes), bytes });

const entryOf = (
  { type, lastModified }: NewFile,
  content: Pick<FileEntry, 'cid' | 'car' | 'size'>,
  nowMs: number,
) => encodeFileEntry({ ...content, type, lastModified: lastModified ?? nowMs });

const isNewFile = (value: unknown): value is NewFile =>
  typeof value === 'object' && value !== null && 'open' in value && typeof value.open === 'function';

const cidIn = (value: unknown): Cid[] => {
  const entry = parseFileEntry(value);
  return entry === undefined ? [] : [entry.cid];
};
