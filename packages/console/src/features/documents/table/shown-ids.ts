/**
 * Finds the ids of a table's rows by position, as the table shows them. The database may have
 * changed since, so only the rows after a shown one are read from it, never a position.
 */

interface ShownRows {
  rowAt(at: number): { readonly id: string } | undefined;
  /** Returns up to `limit` ids of the rows that follow this one. @throws FixpointError */
  after(id: string, limit: number): Promise<readonly string[]>;
}

const PAGE = 5000;
const CHANGED = 'the rows changed at the same time. Try again.';

/**
 * Returns fewer than `count` ids at the end of the table.
 * @throws FixpointError; an Error with a text for users if the rows changed, or aren't loaded
 */
export async function shownIds(
  { rowAt, after }: ShownRows,
  from: number,
  count: number,
): Promise<readonly string[]> {
  // Read at once, because the table may change while other rows are read.
  const shown = Array.from({ length: count }, (_, at) => rowAt(from + at)?.id);
  const ids: string[] = [];
  while (ids.length < count) {
    const known = shown[ids.length];
    if (known !== undefined) {
      ids.push(known);
      continue;
    }
    const last = ids.at(-1);
    if (last === undefined) throw new Error('the first row isn’t loaded. Scroll to it, then try again.');
    const end = nextShown(shown, ids.length);
    const page = await after(last, Math.min(PAGE, end - ids.length));
    for (const id of page) ids.push(id);
    if (page.length === 0 && end === count) break;
    const isThere =
      ids.length < end || end === count || (await after(ids.at(-1) ?? last, 1))[0] === shown[end];
    if (page.length === 0 || !isThere) throw new Error(CHANGED);
  }
  return ids;
}

/** Returns the position of the next shown row, or else the end. */
function nextShown(shown: readonly (string | undefined)[], from: number): number {
  let at = from;
  while (at < shown.length && shown[at] === undefined) at += 1;
  return at;
}

/** Returns the ids after this one. @throws an Error with a text for users if it isn't there */
export function idsAfter(ids: readonly string[], id: string, limit: number): readonly string[] {
  const at = ids.indexOf(id);
  if (at < 0) throw new Error(CHANGED);
  return ids.slice(at + 1, at + 1 + limit);
}
