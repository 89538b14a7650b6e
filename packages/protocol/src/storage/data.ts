/** Objects of a ledger: the answer is a signed URL, good for one object, one method and a short time. */
import * as z from 'zod/mini';
import { answered, askedOfStore } from './envelope.ts';

export const reqPutData = z.looseObject({ type: z.literal('reqPutData'), ...askedOfStore });
export const reqGetData = z.looseObject({ type: z.literal('reqGetData'), ...askedOfStore });
export const reqDelData = z.looseObject({ type: z.literal('reqDelData'), ...askedOfStore });

const signed = { ...answered, signedUrl: z.string() };
export const resPutData = z.looseObject({ type: z.literal('resPutData'), ...signed });
export const resGetData = z.looseObject({ type: z.literal('resGetData'), ...signed });
export const resDelData = z.looseObject({ type: z.literal('resDelData'), ...signed });
