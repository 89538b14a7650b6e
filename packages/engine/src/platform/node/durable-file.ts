import { dirname } from 'node:path';
import type { FileSystem } from '../../ports/file-system.ts';

/** Replaces a file so that after a crash there is the old content or the new, and makes the folder remember it. */
export async function replaceFile(files: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.new`;
  const file = await files.open(draft, 'empty');
  try {
    for (let at = 0; at < bytes.length; ) at += await file.write(bytes.subarray(at), at);
    await file.sync();
  } finally {
    await file.close();
  }
  await files.rename(draft, path);
  await files.syncFolder(dirname(path));
}
