import { type FileHandle, open } from 'node:fs/promises';
import { FixpointError } from '@fixpoint/protocol';

/**
 * Opens an existing file for reading, or creates a new one.
 * @throws FixpointError NOT_FOUND, CONFLICT; rethrows any other error of the system
 */
export async function openFile(path: string, way: 'to read' | 'a new one'): Promise<FileHandle> {
  try {
    return await open(path, way === 'to read' ? 'r' : 'wx');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new FixpointError('CONFLICT', `${path} already exists`, { cause });
    if (code !== 'ENOENT') throw cause;
    const what = way === 'to read' ? 'file' : 'folder for';
    throw new FixpointError('NOT_FOUND', `there is no ${what} ${path}`, { cause });
  }
}
