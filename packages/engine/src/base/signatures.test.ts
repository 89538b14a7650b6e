import { describe, expect, test } from 'vitest';
import { utf8 } from './bytes.ts';
import { newPair } from './p256.ts';
import { isSignedBy, signerOf } from './signatures.ts';

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const signer = async (seed = 1) => signerOf((await newPair(new Uint8Array(32).fill(seed))).both);
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const text = utf8('text');

/** The example of RFC 6979, A.2.5, for the message "sample". */
const SAMPLE = {
  key: bytesOf('0360fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6'),
  r: 'efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716',
  s: 'f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8',
};
const lower = (s: string) => (ORDER - BigInt(`0x${s}`)).toString(16).padStart(64, '0');

describe('a signature', () => {
  test('accepts the example of RFC 6979 with the lower s, and rejects it with the higher one', async () => {
    const { key, r, s } = SAMPLE;
    expect(await isSignedBy(key, utf8('sample'), bytesOf(r + lower(s)))).toBe(true);
    expect(await isSignedBy(key, utf8('sample'), bytesOf(r + s))).toBe(false);
  });

  test('has the lower s, whichever the platform returns', async () => {
    const { publicKey, sign } = await signer();
    for (let n = 0; n < 32; n++) {
      const signature = await sign(Uint8Array.of(n));
      expect(signature.length).toBe(64);
      expect(2n * BigInt(`0x${Buffer.from(signature.subarray(32)).toString('hex')}`) <= ORDER).toBe(true);
      expect(await isSignedBy(publicKey, Uint8Array.of(n), signature)).toBe(true);
    }
  });

  test('rejects another text, another key, and each changed byte', async () => {
    const { publicKey, sign } = await signer();
    const signature = await sign(text);
    expect(await isSignedBy(publicKey, utf8('texts'), signature)).toBe(false);
    expect(await isSignedBy((await signer(2)).publicKey, text, signature)).toBe(false);
    for (let at = 0; at < 64; at++)
      expect(await isSignedBy(publicKey, text, signature.with(at, (signature[at] ?? 0) ^ 1))).toBe(false);
  });

  test.each([
    ['a point that is not on the curve', new Uint8Array(33).fill(2)],
    ['no point', new Uint8Array(33)],
    ['no bytes', new Uint8Array()],
  ])('rejects %s as a key', async (_, key) => {
    expect(await isSignedBy(key, text, await (await signer()).sign(text))).toBe(false);
  });

  /** A platform without compressed keys. Counts the keys that it is asked to import. */
  function limited() {
    const { subtle } = globalThis.crypto;
    const asked: unknown[] = [];
    const importKey = ((
      format: 'raw',
      bytes: Uint8Array<ArrayBuffer>,
      ...more: [object, boolean, ['verify']]
    ) => {
      asked.push(bytes);
      if (bytes.length === 33) return Promise.reject(new DOMException('', 'DataError'));
      return subtle.importKey(format, bytes, ...(more as [EcKeyImportParams, boolean, ['verify']]));
    }) as SubtleCrypto['importKey'];
    return { asked, subtle: { importKey, verify: subtle.verify.bind(subtle) } };
  }

  test("[R4] is unchecked, not wrong, on a platform that can't import compressed keys", async () => {
    const { publicKey, sign } = await signer();
    const { asked, subtle } = limited();
    const check = async () => isSignedBy(publicKey, text, await sign(text), subtle);
    expect([await check(), await check()]).toEqual([undefined, undefined]);
    // One import for each check, and one probe.
    expect(asked).toHaveLength(3);
  });

  test('rejects a signature of another length', async () => {
    const { publicKey, sign } = await signer();
    const signature = await sign(text);
    for (const bytes of [new Uint8Array(), signature.subarray(1), new Uint8Array(65)])
      expect(await isSignedBy(publicKey, text, bytes)).toBe(false);
  });
});

test('[R4] rejects a damaged key pair', async () => {
  await expect(signerOf(new Uint8Array(97).fill(7))).rejects.toMatchObject({ code: 'CORRUPT' });
});
