import { ERROR_TEXT, type ErrorCode, FixpointError, MESSAGE_VERSION } from '@fixpoint/protocol';
import { type AnswerOf, answers, type StorageAnswer } from '@fixpoint/protocol/storage';
import { textOf } from '../../base/bytes.ts';
import { base58Text } from '../../crypto/base58.ts';
import type { Random } from '../../ports/random.ts';

export const newTid = (random: Random): string => base58Text(random.bytes(12));

export function encodeMessage(
  type: string,
  tid: string,
  token: string,
  fields: Readonly<Record<string, unknown>>,
): string {
  const auth = { type: 'fp-cloud-jwk', params: { jwk: token } };
  return JSON.stringify({ type, tid, version: MESSAGE_VERSION, auth, ...fields });
}

/** @throws FixpointError DECODE, INVALID_MESSAGE */
export function decodeMessage(text: string | Uint8Array): StorageAnswer {
  let value: unknown;
  try {
    value = JSON.parse(typeof text === 'string' ? text : textOf(text));
  } catch (cause) {
    throw new FixpointError('DECODE', undefined, { cause });
  }
  const parsed = answers.safeParse(value);
  if (!parsed.success) throw new FixpointError('INVALID_MESSAGE');
  return parsed.data;
}

/** The answer of the expected type. @throws FixpointError with what the gateway refused, or UNEXPECTED_RESPONSE */
export function expectAnswer<T extends StorageAnswer['type']>(message: StorageAnswer, type: T): AnswerOf<T> {
  if (message.type === type) return message as AnswerOf<T>;
  if (message.type !== 'error') throw new FixpointError('UNEXPECTED_RESPONSE', message.type);
  const { code, message: text } = message;
  const known =
    code !== undefined && Object.hasOwn(ERROR_TEXT, code) ? (code as ErrorCode) : 'UNEXPECTED_RESPONSE';
  const error = new FixpointError(known);
  error.message = text;
  throw error;
}
