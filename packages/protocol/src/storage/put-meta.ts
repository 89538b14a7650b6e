/** Stores entries. An entry replaces the older ones of the same connection; keys are kept for ever. Answered when both are durable. */
import * as v from 'valibot';
import { answered, askedOfMetas } from './envelope.ts';
import { metas } from './metas.ts';

export const reqPutMeta = v.looseObject({ type: v.literal('reqPutMeta'), ...askedOfMetas, meta: metas });
export const resPutMeta = v.looseObject({ type: v.literal('resPutMeta'), ...answered, meta: metas });
