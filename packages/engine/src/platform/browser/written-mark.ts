/**
 * A mark outside of IndexedDB that says that a database holds something. A browser that runs out of
 * space removes IndexedDB databases without a word; the mark tells an emptied database from a new
 * one. It lies in localStorage, which a worker doesn't have: there the page at the other end of the
 * bridge keeps it. Without either there is no mark, and a database that was emptied while it was
 * closed looks new.
 */
const markOf = (storageName: string) => `fixpoint.written:${storageName}`;

/**
 * Where a worker's page keeps the marks: what it said of each database when it was opened, and how
 * it hears of changes.
 */
let ofPage: { readonly known: Set<string>; readonly tell: MarkChanged } | undefined;

/** Called with each mark that is set or removed. */
export type MarkChanged = (storageName: string, isWritten: boolean) => void;

export function wasWritten(storageName: string): boolean {
  if (ofPage !== undefined) return ofPage.known.has(storageName);
  return attempt((marks) => marks.getItem(markOf(storageName)) !== null) ?? false;
}

export function rememberWritten(storageName: string): void {
  if (ofPage !== undefined) learn(storageName, true);
  else attempt((marks) => marks.setItem(markOf(storageName), '1'));
}

export function forgetWritten(storageName: string): void {
  if (ofPage !== undefined) learn(storageName, false);
  else attempt((marks) => marks.removeItem(markOf(storageName)));
}

/**
 * In a worker: keeps the marks with the page from now on. Returns what takes in the mark that the
 * page has for a database.
 */
export function keepMarksWithPage(tell: MarkChanged): MarkChanged {
  const { known } = ofPage ?? { known: new Set<string>() };
  ofPage = { known, tell };
  return (storageName, isWritten) => {
    if (isWritten) known.add(storageName);
    else known.delete(storageName);
  };
}

function learn(storageName: string, isWritten: boolean): void {
  if (ofPage === undefined || ofPage.known.has(storageName) === isWritten) return;
  if (isWritten) ofPage.known.add(storageName);
  else ofPage.known.delete(storageName);
  ofPage.tell(storageName, isWritten);
}

function attempt<T>(use: (marks: Storage) => T): T | undefined {
  try {
    return typeof localStorage === 'undefined' ? undefined : use(localStorage);
  } catch {
    return undefined;
  }
}
