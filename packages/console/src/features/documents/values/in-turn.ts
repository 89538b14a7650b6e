/** Serializes work on a document, so that each step reads what the previous one wrote. */

const last = new WeakMap<object, Map<string, Promise<void>>>();

/** Starts the work after all earlier work on this document has settled. */
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
