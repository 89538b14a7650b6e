/** Cursors: texts that name the place after a document in an order. */
import { FixpointError } from '@fixpoint/protocol';
import type { SortField } from './plan.ts';

/** The place of a document: the keys of its sort fields, and its id. */
export interface Place {
  readonly keys: readonly string[];
  readonly id: string;
}

const orderOf = (sort: readonly SortField[]): string =>
  sort.map(({ path, isDescending }) => `${isDescending ? '-' : ''}${path.text}`).join();

export const cursorOf = (sort: readonly SortField[], { keys, id }: Place): string =>
  JSON.stringify([orderOf(sort), ...keys, id]);

/** @throws FixpointError QUERY_INVALID for anything but a cursor of this order */
export function parseCursor(sort: readonly SortField[], cursor: unknown): Place {
  const parts = partsOf(cursor);
  const [order, ...keys] = parts;
  const id = keys.pop();
  if (order !== orderOf(sort) || id === undefined || keys.length !== sort.length)
    throw new FixpointError('QUERY_INVALID', 'after is not a cursor of this order');
  return { keys, id };
}

function partsOf(cursor: unknown): readonly string[] {
  try {
    const parts: unknown = JSON.parse(String(cursor));
    return Array.isArray(parts) && parts.every((part) => typeof part === 'string') ? parts : [];
  } catch {
    return [];
  }
}

/** Compares two places in an order. */
export function comparing(sort: readonly SortField[], isBackwards: boolean): (a: Place, b: Place) => number {
  const signs = sort.map(({ isDescending }) => (isDescending ? -1 : 1));
  const idSign = isBackwards ? -1 : 1;
  return (a, b) => {
    for (const [at, sign] of signs.entries()) {
      const [one, other] = [a.keys[at] ?? '', b.keys[at] ?? ''];
      if (one !== other) return one < other ? -sign : sign;
    }
    return a.id === b.id ? 0 : a.id < b.id ? -idSign : idSign;
  };
}
