/** File inputs that an application may pass. */

/** Content with its metadata. `lastModified` defaults to the time of the write. */
export interface FileContent {
  readonly bytes?: Uint8Array;
  readonly stream?: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;
  readonly type?: string;
  readonly lastModified?: number;
}

/**
 * A file to attach: a File or Blob, bytes (also a Buffer), a stream of bytes, or an object that
 * contains bytes or a stream and the media type.
 */
export type FileInput =
  | Blob
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | FileContent;

/** A stream of bytes, as far as an application keeps its promise. */
type FileSource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** A file that is being attached. */
export interface NewFile {
  readonly type: string;
  readonly lastModified: number | undefined;
  /** Returns the source of the content, which can be read once. Read it with `piecesOf`. */
  open(): FileSource;
}

/**
 * Returns the file that an application passed, or undefined if the value isn't a new file. Such a
 * value may still be the entry of a stored file. Copies bytes immediately, because the caller may
 * change them later.
 */
export function fileInput(value: unknown): NewFile | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof Uint8Array) return fromBytes(value, {});
  if (isBlob(value)) {
    const { type, lastModified } = value as Blob & { lastModified?: number };
    return newFile(type, lastModified, () => value.stream() as ReadableStream<Uint8Array>);
  }
  if (isStream(value)) return newFile('', undefined, () => value);
  const { bytes, stream, ...about } = value as FileContent;
  if (bytes instanceof Uint8Array) return fromBytes(bytes, about);
  if (typeof stream === 'object' && stream !== null && isStream(stream))
    return newFile(about.type, about.lastModified, () => stream);
  return undefined;
}

function fromBytes(bytes: Uint8Array, { type, lastModified }: FileContent): NewFile {
  const copy = Uint8Array.from(bytes);
  return newFile(type, lastModified, async function* () {
    yield copy;
  });
}

const newFile = (type: unknown, lastModified: unknown, open: () => FileSource): NewFile => ({
  type: typeof type === 'string' ? type : '',
  lastModified:
    typeof lastModified === 'number' && Number.isFinite(lastModified) ? Math.trunc(lastModified) : undefined,
  open,
});

const isBlob = (value: object): value is Blob =>
  'stream' in value &&
  typeof value.stream === 'function' &&
  'size' in value &&
  typeof value.size === 'number' &&
  'arrayBuffer' in value;

const isStream = (value: object): value is FileSource =>
  'getReader' in value || Symbol.asyncIterator in value;
