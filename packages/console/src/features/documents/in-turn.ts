/** Work on a document is done one after the other: each reads what the one before wrote. */

const last = new WeakMap<object, Map<string, Promise<void>>>();

/** Begins once all that was given before for this document has ended, well or not. */
export function inTurn<T>(database: object, id: string, work: () => Promise<T>): Promise<T> {
  const ofDatabase = last.get(database) ?? new Map<string, Promise<void>>();
  last.set(database, ofDatabase);
  const done = (ofDatabase.get(id) ?? Promise.resolve()).then(work);
  const end = () => {
    if (ofDatabase.get(id) === ended) ofDatabase.delete(id);
  };
  const ended: Promise<void> = done.then(end, end);
  ofDatabase.set(id, ended);
  return done;
}
