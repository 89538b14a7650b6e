/** Removes keys from a ledger. Entries stay: a history is never rewritten. */
import * as v from 'valibot';
import { answered, askedOfMetas } from './envelope.ts';
import { metas } from './metas.ts';

export const reqDelMeta = v.looseObject({
  type: v.literal('reqDelMeta'),
  ...askedOfMetas,
  meta: v.optional(metas),
});
export const resDelMeta = v.looseObject({ type: v.literal('resDelMeta'), ...answered });
