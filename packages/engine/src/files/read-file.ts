/** Reads the content of an attached file, and verifies its CID before returning the last part. */
import { FixpointError } from '@fixpoint/protocol';
import { fileBlocks } from '../archive/file-archive.ts';
import type { ReadBlock } from '../codec/block.ts';
import { cidOfDigest, RAW } from '../codec/cid.ts';
import { runningSha256 } from '../codec/sha256.ts';
import { type FileEntry, fileMapsOf, parseFileEntry } from '../documents/file-entry.ts';

/** The entry of a file in a document that was read. */
export interface StoredFile {
  /** The hash of the content, as a link. */
  readonly cid: unknown;
  /** Links to the archives that contain the content. */
  readonly car: readonly unknown[];
  /** In bytes. */
  readonly size: number;
  readonly type: string;
  /** In ms since 1970. */
  readonly lastModified: number;
  /**
   * Returns the whole file. Fetches the file from the ledger if it isn't on this device.
   * @throws FixpointError MISSING_CARS when the file can't be fetched, CORRUPT when the content
   * doesn't match the entry
   */
  file(): Promise<File>;
  /**
   * Returns the content as a stream. Fails like {@link file}. The content is unverified until the
   * stream ends.
   */
  stream(): ReadableStream<Uint8Array>;
}

/**
 * Adds `file` and `stream` to the entries of a document. They are not enumerable: a copied or
 * printed entry shows only what is stored.
 */
export function withFiles<T extends Readonly<Record<string, unknown>>>(doc: T, readArchive: ReadBlock): T {
  if (doc['_files'] === undefined && doc['_publicFiles'] === undefined) return doc;
  for (const map of fileMapsOf(doc))
    for (const [name, value] of Object.entries(map)) {
      const entry = parseFileEntry(value);
      if (entry === undefined) continue;
      Object.defineProperties(value, {
        file: { value: () => readFile(name, entry, readArchive) },
        stream: { value: () => streamOf(entry, readArchive) },
      });
    }
  return doc;
}

async function readFile(name: string, entry: FileEntry, readArchive: ReadBlock): Promise<File> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const part of contentOf(entry, readArchive)) parts.push(new Uint8Array(part));
  const { type, lastModified } = entry;
  return new File(parts, name, { type, lastModified });
}

function streamOf(entry: FileEntry, readArchive: ReadBlock): ReadableStream<Uint8Array> {
  const content = contentOf(entry, readArchive);
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await content.next();
        if (done) controller.close();
        else controller.enqueue(value.slice());
      },
      cancel: async () => void (await content.return(undefined)),
    },
    { highWaterMark: 0 },
  );
}

/** @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN */
async function* contentOf({ cid, car }: FileEntry, readArchive: ReadBlock): AsyncGenerator<Uint8Array, void> {
  const [only, ...more] = car;
  if (only !== undefined && more.length === 0) {
    const block = (await fileBlocks(await readArchive(only))).find((one) => one.cid === cid);
    if (block === undefined) throw new FixpointError('CORRUPT', `file ${cid} is not in its archive`);
    if (block.bytes.length > 0) yield block.bytes;
    return;
  }
  const whole = runningSha256();
  for (const [at, part] of car.entries()) {
    const [block, ...others] = await fileBlocks(await readArchive(part));
    if (block === undefined || others.length > 0)
      throw new FixpointError('CORRUPT', `archive ${part} is not a part of a file`);
    whole.update(block.bytes);
    if (at === car.length - 1 && cidOfDigest(RAW, whole.digest()) !== cid)
      throw new FixpointError('CORRUPT', `file ${cid} has other content`);
    yield block.bytes;
  }
}
