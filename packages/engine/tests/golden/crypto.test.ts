import { expect, test } from 'vitest';
import { CAR, type Cid, cidOf } from '../../src/codec/cid.ts';
import { decodeMap } from '../../src/codec/dag-cbor.ts';
import { dataKey, keyText, parseKeyText } from '../../src/crypto/keys.ts';
import { open, seal } from '../../src/crypto/seal.ts';
import { fromHex, toHex, vectors } from './vectors.fixture.ts';

interface Vector {
  alg: string;
  keyHex: string;
  keyBase58btc: string;
  fingerprint: string;
  plain: string;
  iv: string;
  keyId: string;
  cipherAndTag: string;
  encoded: string;
  cid: Cid;
}
const given = vectors<{ vectors: Vector[]; unencrypted: { plain: string; cid: Cid } }>('crypto.json');

test.each(given.vectors.map((vector, at) => [at, vector.alg, vector] as const))(
  'golden sealing %i, %s: reproduces IV, cipher text, envelope, key id and CID',
  async (_, __, { keyHex, keyBase58btc, fingerprint, plain, iv, keyId, cipherAndTag, encoded, cid }) => {
    const key = dataKey(fromHex(keyHex));
    expect([keyText(key), key.id, parseKeyText(keyBase58btc)]).toEqual([keyBase58btc, fingerprint, key]);
    expect(cidOf(CAR, fromHex(plain))).toBe(cid);
    const sealed = await seal(fromHex(plain), key);
    expect(toHex(sealed)).toBe(encoded);
    const parts = decodeMap(sealed) as Record<'iv' | 'data' | 'keyId', Uint8Array>;
    expect([toHex(parts.iv), toHex(parts.data), toHex(parts.keyId)]).toEqual([iv, cipherAndTag, keyId]);
    expect(toHex(await open(sealed, new Map([[key.id, key]])))).toBe(plain);
  },
);

test('golden archive without sealing: has the CID of its plain bytes', () => {
  expect(cidOf(CAR, fromHex(given.unencrypted.plain))).toBe(given.unencrypted.cid);
});
