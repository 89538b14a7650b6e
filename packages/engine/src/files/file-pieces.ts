/** Reads new files, piece by piece. */
import { FixpointError } from '@fixpoint/protocol';
import type { NewFile } from './file-input.ts';

/**
 * Reads the content of a new file.
 * @throws FixpointError FILE_INVALID when the source yields anything but bytes, or fails
 */
export async function* piecesOf({ open }: NewFile): AsyncIterable<Uint8Array> {
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
