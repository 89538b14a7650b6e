/** Takes keys out of a ledger. Entries stay: a history is never rewritten. */
import * as z from 'zod/mini';
import { answered, askedOfMetas } from './envelope.ts';
import { metas } from './metas.ts';

export const reqDelMeta = z.looseObject({
  type: z.literal('reqDelMeta'),
  ...askedOfMetas,
  meta: z.optional(metas),
});
export const resDelMeta = z.looseObject({ type: z.literal('resDelMeta'), ...answered });
