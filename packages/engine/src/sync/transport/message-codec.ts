import { ERROR_TEXT, type ErrorCode, FixpointError, MESSAGE_VERSION } from '@fixpoint/protocol';
import { type AnswerOf, readAnswer, type StorageAnswer } from '@fixpoint/protocol/storage';
import { textOf } from '../../base/bytes.ts';
import { base58Text } from '../../codec/base58.ts';
import type { Random } from '../../ports/random.ts';
import type { Fields } from './connection.ts';

const ID_BYTES = 12;

export const newId = (random: Random): string => base58Text(random.bytes(ID_BYTES));

/** Encodes a message. @throws FixpointError ENCODE */
export function encodeMessage(type: string, tid: string, token: string, fields: Fields): string {
  const auth = { type: 'fp-cloud-jwk', params: { jwk: token } };
  try {
    return JSON.stringify({ type, tid, version: MESSAGE_VERSION, auth, ...fields });
  } catch (cause) {
    throw new FixpointError('ENCODE', undefined, { cause });
  }
}

/** Decodes a message. @throws FixpointError DECODE, INVALID_MESSAGE */
export function decodeMessage(text: string | Uint8Array): StorageAnswer {
  let value: unknown;
  try {
    value = JSON.parse(typeof text === 'string' ? text : textOf(text));
  } catch (cause) {
    throw new FixpointError('DECODE', undefined, { cause });
  }
  const answer = readAnswer(value);
  if (answer === undefined) throw new FixpointError('INVALID_MESSAGE');
  return answer;
}

/**
 * Returns the answer of the expected type.
 * @throws FixpointError with the gateway's refusal, or UNEXPECTED_RESPONSE
 */
export function expectAnswer<T extends StorageAnswer['type']>(message: StorageAnswer, type: T): AnswerOf<T> {
  if (message.type === type) return message as AnswerOf<T>;
  if (message.type !== 'error') throw new FixpointError('UNEXPECTED_RESPONSE', message.type);
  const { objects } = message;
  const error = new FixpointError(codeOf(message), undefined, objects && { cause: { objects } });
  error.message = message.message;
  throw error;
}

/** Codes by message text, for gateways that send no codes. */
const CODES_OF_TEXTS: readonly (readonly [RegExp, ErrorCode])[] = [
  [
    /^missing auth$|Only fp-cloud-jw[kt]|\bJW[STKE]|signature verification|"(exp|nbf|iat)" claim/,
    'NOT_SIGNED_IN',
  ],
  [/^ensureTendantLedger/, 'FORBIDDEN'],
  [/missing connection/, 'NO_CONNECTION'],
];

function codeOf({ code, message }: AnswerOf<'error'>): ErrorCode {
  if (code !== undefined)
    return Object.hasOwn(ERROR_TEXT, code) ? (code as ErrorCode) : 'UNEXPECTED_RESPONSE';
  return CODES_OF_TEXTS.find(([text]) => text.test(message))?.[1] ?? 'UNEXPECTED_RESPONSE';
}
