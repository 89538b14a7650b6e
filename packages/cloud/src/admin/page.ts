import { PAGE_MAX } from '@fixpoint/protocol/admin';

export interface Page {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

/**
 * The part of a list that was asked for, and the cursor for what follows. A list that fits and that
 * nobody asked in parts keeps its own order. Else it's ordered by id, so that an item that goes or comes
 * between two requests moves no other one.
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
