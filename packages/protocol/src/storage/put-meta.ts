/** Stores entries. An entry replaces the older ones of the same connection; keys are kept for ever. Answered when both are durable. */
import * as z from 'zod/mini';
import { answered, askedOfMetas } from './envelope.ts';
import { metas } from './metas.ts';

export const reqPutMeta = z.looseObject({ type: z.literal('reqPutMeta'), ...askedOfMetas, meta: metas });
export const resPutMeta = z.looseObject({ type: z.literal('resPutMeta'), ...answered, meta: metas });
