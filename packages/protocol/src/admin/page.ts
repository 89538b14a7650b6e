import * as z from 'zod/mini';

/** Maximum number of items in an answer. `next` is present when the list is longer. */
export const PAGE_MAX = 1000;

/** Request fields that page through a list. */
export const page = {
  /** Returns only the first N items. With `limit` or `after`, the list is ordered by item id. */
  limit: z.optional(z.int().check(z.minimum(1), z.maximum(PAGE_MAX))),
  /** Starts after this item: the `next` of the previous answer. */
  after: z.optional(
    z.string().check(z.regex(/^[A-Za-z0-9_-]{1,128}$/, 'must be 1 to 128 letters, digits, - or _')),
  ),
};

/** Present when there are more items: send it as `after`. */
export const next = z.optional(z.string());
