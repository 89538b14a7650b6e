/** All messages of FP-MSG-1.0 that this product speaks. The chat of the protocol is known, and refused. */
import * as z from 'zod/mini';
import { MESSAGE_VERSION } from '../version.ts';
import { bindGetMeta, eventGetMeta } from './bind-get-meta.ts';
import {
  reqDelData,
  reqDelWAL,
  reqGetData,
  reqGetWAL,
  reqPutData,
  reqPutWAL,
  resDelData,
  resDelWAL,
  resGetData,
  resGetWAL,
  resPutData,
  resPutWAL,
} from './data.ts';
import { reqDelMeta, resDelMeta } from './del-meta.ts';
import { error } from './error.ts';
import { reqGestalt, resGestalt } from './gestalt.ts';
import { reqClose, reqOpen, resClose, resOpen } from './open.ts';
import { reqPutMeta, resPutMeta } from './put-meta.ts';

export const requests = z.discriminatedUnion('type', [
  reqGestalt,
  reqOpen,
  reqClose,
  reqPutData,
  reqGetData,
  reqDelData,
  reqPutWAL,
  reqGetWAL,
  reqDelWAL,
  reqPutMeta,
  bindGetMeta,
  reqDelMeta,
]);
export type StorageRequest = z.infer<typeof requests>;
export type RequestOf<T extends StorageRequest['type']> = Extract<StorageRequest, { type: T }>;

/** Requests that clients of this protocol may send, and that this product answers with "Not implemented". */
export const REFUSED_REQUESTS = ['reqChat'] as const;

export const answers = z.discriminatedUnion('type', [
  resGestalt,
  resOpen,
  resClose,
  resPutData,
  resGetData,
  resDelData,
  resPutWAL,
  resGetWAL,
  resDelWAL,
  resPutMeta,
  eventGetMeta,
  resDelMeta,
  error,
]);
export type StorageAnswer = z.infer<typeof answers>;
export type AnswerOf<T extends StorageAnswer['type']> = Extract<StorageAnswer, { type: T }>;

/** A request as it goes over the wire. `fields` are those of its type; `token` is a cloud token. */
export const requestMessage = <T extends StorageRequest['type'], F extends object>(
  type: T,
  tid: string,
  token: string,
  fields: F,
) => ({
  type,
  tid,
  version: MESSAGE_VERSION,
  auth: { type: 'fp-cloud-jwk' as const, params: { jwk: token } },
  ...fields,
});
