import * as z from 'zod/mini';

/** The longest list that an answer holds. A longer one says with `next` that there is more. */
export const PAGE_MAX = 1000;

/** Fields by which a list is read in parts. */
export const page = {
  /** Returns only so many. With `limit` or `after`, a list is ordered by the ids of its items. */
  limit: z.optional(z.int().check(z.minimum(1), z.maximum(PAGE_MAX))),
  /** Starts after the item that the answer before named in `next`. */
  after: z.optional(
    z.string().check(z.regex(/^[A-Za-z0-9_-]{1,128}$/, 'must be 1 to 128 letters, digits, - or _')),
  ),
};

/** Present when there is more: send it as `after`. */
export const next = z.optional(z.string());
