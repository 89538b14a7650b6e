/**
 * Requests about a ledger's objects. The answer is a signed URL, valid for one object, one method
 * and a short time. The write-ahead log has messages of its own, which always mean the store `wal`,
 * whatever store they name; clients of this protocol keep that log in memory.
 */
import * as v from 'valibot';
import { answered, askedOfStore } from './envelope.ts';

export const reqPutData = v.looseObject({ type: v.literal('reqPutData'), ...askedOfStore });
export const reqGetData = v.looseObject({ type: v.literal('reqGetData'), ...askedOfStore });
export const reqDelData = v.looseObject({ type: v.literal('reqDelData'), ...askedOfStore });

export const reqPutWAL = v.looseObject({ type: v.literal('reqPutWAL'), ...askedOfStore });
export const reqGetWAL = v.looseObject({ type: v.literal('reqGetWAL'), ...askedOfStore });
export const reqDelWAL = v.looseObject({ type: v.literal('reqDelWAL'), ...askedOfStore });

const signed = { ...answered, signedUrl: v.string() };
export const resPutData = v.looseObject({ type: v.literal('resPutData'), ...signed });
export const resGetData = v.looseObject({ type: v.literal('resGetData'), ...signed });
export const resDelData = v.looseObject({ type: v.literal('resDelData'), ...signed });
export const resPutWAL = v.looseObject({ type: v.literal('resPutWAL'), ...signed });
export const resGetWAL = v.looseObject({ type: v.literal('resGetWAL'), ...signed });
export const resDelWAL = v.looseObject({ type: v.literal('resDelWAL'), ...signed });
