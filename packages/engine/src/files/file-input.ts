/** File inputs that an application may pass, and their content in pieces. */
import { FixpointError } from '@fixpoint/protocol';

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

/** A file that is being attached. */
export interface NewFile {
  readonly type: string;
  readonly lastModified: number | undefined;
  /**
   * Returns the content, which can be read once.
   * @throws FixpointError FILE_INVALID when the source yields anything but bytes, or fails
   */
  pieces(): AsyncIterable<Uint8Array>;
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

const newFile = (
  type: unknown,
  lastModified: unknown,
  open: () => ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
): NewFile => ({
  type: typeof type === 'string' ? type : '',
  lastModified:
    typeof lastModified === 'number' && Number.isFinite(lastModified) ? Math.trunc(lastModified) : undefined,
  pieces: () => checked(open),
});

async function* checked(
  open: () => ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  try {
    const source = open();
    for await (const piece of 'getReader' in source ? readAll(source) : source) {
      if (!(piece instanceof Uint8Array))
        throw new FixpointError('FILE_INVALID', 'a stream of values that are not bytes');
      yield piece;
    }
  } catch (cause) {
    if (cause instanceof FixpointError) throw cause;
    throw new FixpointError('FILE_INVALID', 'its content could not be read', { cause });
  }
}

/** Iterates a stream, which not every browser can do directly. */
async function* readAll(stream: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  const reader = stream.getReader();
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isDone = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!isDone) await reader.cancel();
  }
}

const isBlob = (value: object): value is Blob =>
  'stream' in value &&
  typeof value.stream === 'function' &&
  'size' in value &&
  typeof value.size === 'number' &&
  'arrayBuffer' in value;

const isStream = (value: object): value is ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> =>
  'getReader' in value || Symbol.asyncIterator in value;
