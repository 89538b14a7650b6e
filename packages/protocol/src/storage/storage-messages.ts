/**
 * All messages of FP-MSG-1.0 that Fixpoint supports. Fixpoint rejects the chat messages of the
 * protocol.
 */

import { FieldError, fieldPath, mustBe } from '../field-error.ts';
import { MESSAGE_VERSION } from '../version.ts';
import { bindGetMeta, eventGetMeta } from './bind-get-meta.ts';
import { answered, askedOfStore } from './envelope.ts';
import { error } from './error.ts';
import { reqClose, reqGestalt, reqOpen, resClose, resGestalt, resOpen } from './handshake.ts';
import { reqPresence, resPresence } from './presence-messages.ts';
import * as v from './shape.ts';
import { reqDelMeta, reqPutMeta, resDelMeta, resPutMeta } from './write-metas.ts';

/*
 * Requests about a ledger's objects. The answer is a signed URL, valid for one object, one method
 * and a short time. The write-ahead log has separate messages. They always refer to the store
 * `wal`, even if a message contains another store. Clients of this protocol keep their write-ahead
 * log in memory.
 */
const reqPutData = v.looseObject({ type: v.literal('reqPutData'), ...askedOfStore });
const reqGetData = v.looseObject({ type: v.literal('reqGetData'), ...askedOfStore });
const reqDelData = v.looseObject({ type: v.literal('reqDelData'), ...askedOfStore });

const reqPutWAL = v.looseObject({ type: v.literal('reqPutWAL'), ...askedOfStore });
const reqGetWAL = v.looseObject({ type: v.literal('reqGetWAL'), ...askedOfStore });
const reqDelWAL = v.looseObject({ type: v.literal('reqDelWAL'), ...askedOfStore });

const signed = { ...answered, signedUrl: v.string() };
const resPutData = v.looseObject({ type: v.literal('resPutData'), ...signed });
const resGetData = v.looseObject({ type: v.literal('resGetData'), ...signed });
const resDelData = v.looseObject({ type: v.literal('resDelData'), ...signed });
const resPutWAL = v.looseObject({ type: v.literal('resPutWAL'), ...signed });
const resGetWAL = v.looseObject({ type: v.literal('resGetWAL'), ...signed });
const resDelWAL = v.looseObject({ type: v.literal('resDelWAL'), ...signed });

/** Request schemas by type. A message is checked only against the schema of its own type. */
export const requests = {
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
  reqPresence,
} as const;
type Outputs<S extends Readonly<Record<string, v.Shape<unknown>>>> = v.InferOutput<S[keyof S]>;
export type StorageRequest = Outputs<typeof requests>;
export type RequestOf<T extends StorageRequest['type']> = Extract<StorageRequest, { type: T }>;

export const requestTypes = () => Object.keys(requests) as StorageRequest['type'][];

/**
 * Requests that clients of this protocol may send, and that are answered with "Not implemented".
 */
export const REFUSED_REQUESTS = ['reqChat'] as const;

export const answers = {
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
  resPresence,
  error,
} as const;
export type StorageAnswer = Outputs<typeof answers>;
export type AnswerOf<T extends StorageAnswer['type']> = Extract<StorageAnswer, { type: T }>;

/** Parses a request; returns undefined when the value isn't a request. */
export const readRequest = (value: unknown): StorageRequest | undefined =>
  read<StorageRequest>(requests, value);

/**
 * Parses a request on the server and reports what is invalid.
 * @throws FieldError
 */
export function checkRequest(value: unknown): StorageRequest {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FieldError('', 'must be an object');
  const { type } = value as { type?: unknown };
  if (typeof type !== 'string') throw new FieldError('type', mustBe('string', type === undefined));
  const schema = Object.hasOwn(requests, type) ? requests[type as keyof typeof requests] : undefined;
  if (schema === undefined) throw new FieldError('type', 'is unknown');
  const mismatch = v.mismatchOf(schema, value);
  if (mismatch === undefined) return value as StorageRequest;
  throw new FieldError(fieldPath(mismatch.path), mustBe(mismatch.wanted, mismatch.isMissing));
}

/** Parses an answer; returns undefined when the value isn't an answer. */
export const readAnswer = (value: unknown): StorageAnswer | undefined => read<StorageAnswer>(answers, value);

function read<T>(schemas: Readonly<Record<string, v.Shape<T>>>, value: unknown): T | undefined {
  const type = (value as { type?: unknown } | null | undefined)?.type;
  const schema = typeof type === 'string' && Object.hasOwn(schemas, type) ? schemas[type] : undefined;
  return schema !== undefined && v.mismatchOf(schema, value) === undefined ? (value as T) : undefined;
}

/** Returns a request in wire format. `fields` are those of its type; `token` is a cloud token. */
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
