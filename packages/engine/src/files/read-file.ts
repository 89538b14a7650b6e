/** Adds the functions that read an attached file to its entry in a document. */
import type { LoadContents } from '../archive/file-contents.ts';
import type { ReadBlock } from '../codec/block.ts';
import { fileMapsOf, parseFileEntry } from '../documents/file-entry.ts';

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
 * @param load loads the code that reads contents, which many applications don't use
 */
export function withFiles<T extends Readonly<Record<string, unknown>>>(
  doc: T,
  readArchive: ReadBlock,
  load: LoadContents,
): T {
  if (doc['_files'] === undefined && doc['_publicFiles'] === undefined) return doc;
  for (const map of fileMapsOf(doc))
    for (const [name, value] of Object.entries(map)) {
      const entry = parseFileEntry(value);
      if (entry === undefined) continue;
      const content = async () => (await load()).contentOf(entry, readArchive);
      Object.defineProperties(value, {
        file: { value: async () => (await load()).toFile(await content(), name, entry) },
        stream: { value: () => streamOf(content) },
      });
    }
  return doc;
}

function streamOf(begin: () => Promise<AsyncGenerator<Uint8Array, void>>): ReadableStream<Uint8Array> {
  let content: AsyncGenerator<Uint8Array, void> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        content ??= await begin();
        const { done, value } = await content.next();
        if (done) controller.close();
        else controller.enqueue(value.slice());
      },
      cancel: async () => void (await content?.return()),
    },
    { highWaterMark: 0 },
  );
}
