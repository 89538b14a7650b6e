import { PAGE_MAX } from '@fixpoint/protocol/admin';

export interface Page {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

/**
 * Returns the requested page of a list, and the cursor for the next page. A list that fits on one
 * page, requested without a cursor or limit, keeps its order. Any other list is sorted by id, so
 * adding or removing items between two requests doesn't move the other items.
 */
export function pageOf<T>(
  items: readonly T[],
  idOf: (item: T) => string,
  { limit, after }: Page,
): { readonly items: T[]; readonly next?: string } {
  if (limit === undefined && after === undefined && items.length <= PAGE_MAX) return { items: [...items] };
  const sorted = items
    .filter((item) => after === undefined || idOf(item) > after)
    .sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  const shown = sorted.slice(0, limit ?? PAGE_MAX);
  const last = shown.at(-1);
  return { items: shown, ...(sorted.length > shown.length && last !== undefined && { next: idOf(last) }) };
}
