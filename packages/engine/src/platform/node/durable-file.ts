import { dirname } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import type { FileSystem, OpenFile } from '../../ports/file-system.ts';

/**
 * The largest write that runs on this thread. Such a write only copies bytes into the system's
 * memory, which costs less than using another thread.
 */
const COPIED_BYTES_MAX = 65_536;

/** Writes all bytes. After a failure, the file may contain a part of them. */
export async function writeAll(file: OpenFile, bytes: Uint8Array, from: number): Promise<void> {
  let at = bytes.length <= COPIED_BYTES_MAX ? file.writeNow(bytes, from) : 0;
  while (at < bytes.length) {
    const written = await file.write(bytes.subarray(at), from + at);
    if (written === 0) throw new FixpointError('STORE_FAILED', 'nothing was written');
    at += written;
  }
}

/**
 * Replaces a file durably: after a crash, the file has either the old content or the new.
 * @param inStep runs the one step in which the new content replaces the old
 */
export async function replaceFile(
  files: FileSystem,
  path: string,
  bytes: Uint8Array,
  inStep: (swap: () => Promise<void>) => Promise<void> = (swap) => swap(),
): Promise<void> {
  const draft = `${path}.new`;
  const file = await files.open(draft, 'empty');
  try {
    await writeAll(file, bytes, 0);
    await file.sync();
  } catch (cause) {
    // On a full disk, the draft takes the space that the next attempt needs.
    await files.remove(draft).catch(() => undefined);
    throw cause;
  } finally {
    await file.close();
  }
  await inStep(() => files.rename(draft, path));
  await files.syncFolder(dirname(path));
}
