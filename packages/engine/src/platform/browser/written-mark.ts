/**
 * A mark outside of IndexedDB that something was stored in a database. A browser that is short of space removes IndexedDB databases without a word; then
 * an empty database is not a new one. Where there is no localStorage, in a worker, or where it takes nothing, there is no mark, and eviction goes unnoticed.
 */
const markOf = (storageName: string) => `fixpoint.written:${storageName}`;

export function wasWritten(storageName: string): boolean {
  return attempt((marks) => marks.getItem(markOf(storageName)) !== null) ?? false;
}

export function rememberWritten(storageName: string): void {
  attempt((marks) => marks.setItem(markOf(storageName), '1'));
}

export function forgetWritten(storageName: string): void {
  attempt((marks) => marks.removeItem(markOf(storageName)));
}

function attempt<T>(use: (marks: Storage) => T): T | undefined {
  try {
    return typeof localStorage === 'undefined' ? undefined : use(localStorage);
  } catch {
    return undefined;
  }
}
