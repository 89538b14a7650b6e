/**
 * Reuses the objects of the previous result where the new objects are equal, so that unchanged rows
 * needn't render again.
 */

interface Row {
  /** Key in an index, otherwise the id of the document. Rows of a window have no key. */
  readonly key?: unknown;
  readonly id?: string;
}

/**
 * Returns the current rows, with equal ones replaced by the previous objects; returns the previous
 * list when all are equal.
 */
export function keepEqualRows<R extends Row>(before: readonly R[], now: readonly R[]): readonly R[] {
  if (before.length === 0) return now;
  const known = new Map<string, R[]>();
  for (const row of before) {
    const id = idOf(row);
    const list = known.get(id);
    if (list === undefined) known.set(id, [row]);
    else list.push(row);
  }
  // A document may have several rows. Compares them in order with its previous rows.
  const kept = now.map((row) => {
    const same = known.get(idOf(row))?.shift();
    return same !== undefined && isEqual(same, row) ? same : row;
  });
  const isSame = kept.length === before.length && kept.every((row, at) => row === before[at]);
  return isSame ? before : kept;
}

const idOf = ({ id, key }: Row): string => id ?? String(key);

/**
 * Returns whether two values of documents are equal. Links are equal when their texts are equal.
 */
export function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Uint8Array && b instanceof Uint8Array)
    return a.length === b.length && a.every((byte, at) => byte === b[at]);
  // Stored values contain no dates, but the initial rows of an application may contain some.
  if (a instanceof Date && b instanceof Date) return Object.is(a.getTime(), b.getTime());
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, at) => isEqual(item, b[at]))
    );
  if (isLink(a) || isLink(b)) return isLink(a) && isLink(b) && String(a) === String(b);
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isEqual(valueIn(a, name), valueIn(b, name)))
  );
}

/**
 * Returns whether the value is a link, whose `asCID` is the link itself. A document can't contain
 * itself, so a document with a field named `asCID` never counts as a link.
 */
const isLink = (value: object): boolean => valueIn(value, 'asCID') === value;

const valueIn = (object: object, name: string): unknown =>
  (object as Readonly<Record<string, unknown>>)[name];
