/**
 * Creates key records of a sealed ledger, in the format of devices. Their encrypted fields are
 * random bytes.
 */
import { createECDH, randomBytes } from 'node:crypto';

type Value = Buffer | string | readonly Buffer[];

const headOf = (major: number, length: number) => {
  const kind = major * 32;
  if (length < 24) return [kind + length];
  return length < 256 ? [kind + 24, length] : [kind + 25, length >> 8, length & 255];
};

function encoded(value: Value): Buffer {
  if (typeof value === 'string')
    return Buffer.concat([Buffer.from(headOf(3, value.length)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([Buffer.from(headOf(2, value.length)), value]);
  return Buffer.concat([Buffer.from(headOf(4, value.length)), ...value.map(encoded)]);
}

export const recordOf = (fields: readonly (readonly [string, Value])[]) =>
  `S1.${Buffer.concat([
    Buffer.from(headOf(5, fields.length)),
    ...fields.flatMap(([name, value]) => [encoded(name), encoded(value)]),
  ]).toString('base64url')}`;

export const publicKey = (): Buffer => createECDH('prime256v1').generateKeys();
export const keyId = () => randomBytes(16);
export const lock = () => randomBytes(113);

export const device = (pub = publicKey()) =>
  recordOf([
    ['t', 'device'],
    ['pub', pub],
  ]);

/** A key granted to a device or, with `locked`, to a recovery code. */
export const grant = (pub: Buffer, locked?: Buffer, { key = keyId(), boxBytes = 60 } = {}) =>
  recordOf([
    ['t', 'grant'],
    ['box', randomBytes(boxBytes)],
    ['eph', publicKey()],
    ['key', key],
    ['pub', pub],
    ['proof', randomBytes(28)],
    ...(locked === undefined ? [] : ([['locked', locked]] as const)),
  ]);

export const rotation = (prev: Buffer, pubs: readonly Buffer[], key = keyId()) =>
  recordOf([
    ['t', 'rotate'],
    ['eph', publicKey()],
    ['key', key],
    ['back', randomBytes(63)],
    ['prev', prev],
    ['pubs', pubs],
    ['boxes', pubs.map(() => randomBytes(48))],
    ['proof', randomBytes(28)],
  ]);

/** Leads from earlier keys to a later one. @param earlier the ids of the earlier keys */
export const chain = (key: Buffer, earlier: readonly Buffer[]) =>
  recordOf([
    ['t', 'chain'],
    ['box', randomBytes(63)],
    ['key', key],
    ['proofs', earlier.map((id) => Buffer.concat([id, randomBytes(28)]))],
  ]);
