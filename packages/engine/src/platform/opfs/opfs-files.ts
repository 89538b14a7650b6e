/** The files of a store in the browser's private file system. */
import type { StoreFiles, SyncFile } from '../../ports/sync-file.ts';

/** The parts of OPFS that TypeScript declares only for workers. */
interface AccessHandle {
  read(into: Uint8Array, options: { at: number }): number;
  write(bytes: Uint8Array, options: { at: number }): number;
  truncate(length: number): void;
  getSize(): number;
  flush(): void;
  close(): void;
}
type FileHandle = FileSystemFileHandle & { createSyncAccessHandle?(): Promise<AccessHandle> };

const FOLDER = 'fixpoint';

/** Returns whether this thread can use OPFS. Some private windows still reject each call. */
export const hasOpfs = (): boolean =>
  'locks' in navigator &&
  navigator.storage?.getDirectory !== undefined &&
  typeof FileSystemFileHandle === 'function' &&
  'createSyncAccessHandle' in FileSystemFileHandle.prototype;

/** Storage names have only letters, digits and the characters `.`, `_` and `-`. */
async function folderOf(storageName: string): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  const all = await root.getDirectoryHandle(FOLDER, { create: true });
  return all.getDirectoryHandle(storageName, { create: true });
}

/** Opens the files, and creates missing ones. @throws DOMException if another tab has them open */
export async function openStoreFiles(storageName: string): Promise<StoreFiles> {
  const folder = await folderOf(storageName);
  const opened: SyncFile[] = [];
  try {
    for (const name of ['log-0', 'log-1', 'durable']) opened.push(await openFile(folder, name));
    const [first, second, marker] = opened as [SyncFile, SyncFile, SyncFile];
    return { logs: [first, second], marker };
  } catch (cause) {
    for (const file of opened) file.close();
    throw cause;
  }
}

async function openFile(folder: FileSystemDirectoryHandle, name: string): Promise<SyncFile> {
  const handle: FileHandle = await folder.getFileHandle(name, { create: true });
  const file = await (handle.createSyncAccessHandle as () => Promise<AccessHandle>).call(handle);
  return {
    read: (into, at) => file.read(into, { at }),
    write: (bytes, at) => file.write(bytes, { at }),
    truncate: (length) => file.truncate(length),
    size: () => file.getSize(),
    flush: () => file.flush(),
    close: () => file.close(),
  };
}

/** Removes the files, if they exist. @throws DOMException if a tab has them open */
export async function removeStoreFiles(storageName: string): Promise<void> {
  // Private windows of some browsers have IndexedDB, but reject this call: there are no files.
  const root = await navigator.storage.getDirectory().catch(() => undefined);
  if (root === undefined) return;
  try {
    const all = await root.getDirectoryHandle(FOLDER);
    await all.removeEntry(storageName, { recursive: true });
  } catch (cause) {
    if ((cause as DOMException).name !== 'NotFoundError') throw cause;
  }
}
