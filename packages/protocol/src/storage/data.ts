/**
 * Objects of a ledger: the answer is a signed URL, good for one object, one method and a short time. Those of the write-ahead log have messages of their own,
 * which mean the store `wal` whatever they say; clients of this protocol keep that log in their memory.
 */
import * as z from 'zod/mini';
import { answered, askedOfStore } from './envelope.ts';

export const reqPutData = z.looseObject({ type: z.literal('reqPutData'), ...askedOfStore });
export const reqGetData = z.looseObject({ type: z.literal('reqGetData'), ...askedOfStore });
export const reqDelData = z.looseObject({ type: z.literal('reqDelData'), ...askedOfStore });

export const reqPutWAL = z.looseObject({ type: z.literal('reqPutWAL'), ...askedOfStore });
export const reqGetWAL = z.looseObject({ type: z.literal('reqGetWAL'), ...askedOfStore });
export const reqDelWAL = z.looseObject({ type: z.literal('reqDelWAL'), ...askedOfStore });

const signed = { ...answered, signedUrl: z.string() };
export const resPutData = z.looseObject({ type: z.literal('resPutData'), ...signed });
export const resGetData = z.looseObject({ type: z.literal('resGetData'), ...signed });
export const resDelData = z.looseObject({ type: z.literal('resDelData'), ...signed });
export const resPutWAL = z.looseObject({ type: z.literal('resPutWAL'), ...signed });
export const resGetWAL = z.looseObject({ type: z.literal('resGetWAL'), ...signed });
export const resDelWAL = z.looseObject({ type: z.literal('resDelWAL'), ...signed });
