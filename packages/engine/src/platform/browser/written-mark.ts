/**
 * A mark outside of IndexedDB that says that a database has content. A browser that runs out of
 * space silently removes IndexedDB databases; the mark distinguishes an emptied database from a new
 * one. The mark is in localStorage. A worker has no localStorage, so the page at the other end of
 * the bridge stores the mark. If no mark can be stored, a database that was emptied while it was
 * closed looks new.
 */
const markOf = (storageName: string) => `fixpoint.written:${storageName}`;

/**
 * Set in a worker whose marks the page stores: the marks that the page sent when databases were
 * opened, and the callback that reports changes to the page.
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
 * From now on, the page stores the marks of this worker, which `tell` sends to it. Returns a
 * function that applies a mark that the page sent.
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
