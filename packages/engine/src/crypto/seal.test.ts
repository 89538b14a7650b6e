import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareBytes } from '../base/bytes.ts';
import { CAR, cidOf } from '../codec/cid.ts';
import { decodeMap, encode } from '../codec/dag-cbor.ts';
import { aesGcm, aesGcmOf } from './aes-gcm.ts';
import { type DataKey, dataKey, keyText, NO_KEYS, parseKeyText } from './keys.ts';
import { isSealedWith, open, openArchive, openPart, seal, sealedStart } from './seal.ts';

const key = dataKey(Uint8Array.from({ length: 16 }, (_, n) => n));
const longKey = dataKey(Uint8Array.from({ length: 32 }, (_, n) => 200 - n));
const keysOf = (...keys: DataKey[]) => new Map(keys.map((one) => [one.id, one]));
const someBytes = fc.uint8Array({ maxLength: 400 });

describe('sealing', () => {
  test('opens sealed bytes with the key whose id they contain, among other keys', async () => {
    await fc.assert(
      fc.asyncProperty(someBytes, fc.constantFrom(key, longKey), async (plain, one) => {
        const sealed = await seal(plain, one);
        expect(await seal(plain, one)).toEqual(sealed);
        expect(await open(sealed, keysOf(key, longKey))).toEqual(plain);
      }),
    );
  });

  test.each([0, 7, 8, 239, 240, 65_519, 65_520, 1_100_000])(
    'writes %i sealed bytes as canonical dag-cbor, and opens them',
    async (length) => {
      const plain = Uint8Array.from({ length }, (_, at) => (at * 7919) >> 3);
      const sealed = await seal(plain, key);
      expect(compareBytes(encode(decodeMap(sealed)), sealed)).toBe(0);
      const opened = await open(sealed, keysOf(key));
      expect(compareBytes(opened, plain)).toBe(0);
      // A slice of a Buffer would share its memory.
      expect(opened.constructor).toBe(Uint8Array);
    },
  );

  test.each([0, 1, 7, 8, 100, 239, 240, 65_519, 65_520, 70_000])(
    'opens any part of %i sealed bytes without the rest, with the same result as the whole',
    async (length) => {
      const plain = Uint8Array.from({ length }, (_, at) => (at * 7919) >> 3);
      const cid = cidOf(CAR, plain);
      for (const one of [key, longKey]) {
        const sealed = await seal(plain, one, cid);
        const start = sealedStart(length, { current: one, all: keysOf(one) });
        for (let at = 0; at <= length; at += 1 + Math.floor(length / 50)) {
          const part = sealed.subarray(start + at, start + Math.min(length, at + 33));
          expect(await openPart(part, one, cid, at)).toEqual(plain.subarray(at, at + 33));
        }
      }
      expect(sealedStart(length, NO_KEYS)).toBe(0);
      expect(await openPart(plain, NO_KEYS.current, cid, 3)).toBe(plain);
    },
  );

  test('gives the same results with the ciphers of Node and of the browser', async () => {
    const web = aesGcmOf(undefined);
    await fc.assert(
      fc.asyncProperty(someBytes, fc.uint8Array({ minLength: 12, maxLength: 12 }), async (plain, iv) => {
        const data = await web.encrypt(key.material, iv, plain);
        expect(await aesGcm.encrypt(key.material, iv, plain)).toEqual(data);
        expect(await aesGcm.decrypt(key.material, iv, data)).toEqual(plain);
        expect(await web.decrypt(key.material, iv, data)).toEqual(plain);
        const bound = await web.encrypt(key.material, iv, plain, iv);
        expect(await aesGcm.encrypt(key.material, iv, plain, iv)).toEqual(bound);
        expect(await aesGcm.decrypt(key.material, iv, bound, iv)).toEqual(plain);
        expect(await web.decrypt(key.material, iv, bound, iv)).toEqual(plain);
        await expect(aesGcm.decrypt(key.material, iv, bound)).rejects.toThrow();
        const at = Math.floor(plain.length / 3);
        const part = data.subarray(at, Math.max(at, data.length - 16));
        expect(await aesGcm.decryptPart(key.material, iv, part, at)).toEqual(plain.subarray(at));
        expect(await web.decryptPart(key.material, iv, part, at)).toEqual(plain.subarray(at));
        const made = await web.derive(key.material, iv, 'purpose');
        expect(await aesGcm.derive(key.material, iv, 'purpose')).toEqual(made);
      }),
      { numRuns: 30 },
    );
  });

  test('[R4] rejects a change of any byte, as corrupt or as sealed with another key', async () => {
    const plain = Uint8Array.from({ length: 60 }, (_, n) => n);
    const sealed = await seal(plain, key);
    for (let at = 0; at < sealed.length; at++) {
      const changed = sealed.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(open(changed, keysOf(key))).rejects.toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^(CORRUPT|KEY_UNKNOWN)$/) as string }),
      );
    }
  });

  test('[R4] reports an archive that opens but is not the requested one as CORRUPT', async () => {
    const [plain, other] = [Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2, 4)];
    const opened = async (bytes: Uint8Array, keys: ReadonlyMap<string, DataKey>) =>
      openArchive(bytes, keys, cidOf(CAR, plain));
    const corrupt = expect.objectContaining({ code: 'CORRUPT' }) as Error;
    expect(await opened(await seal(plain, key), keysOf(key))).toEqual(plain);
    await expect(opened(await seal(other, key), keysOf(key))).rejects.toThrow(corrupt);
    expect(await opened(plain, NO_KEYS.all)).toEqual(plain);
    await expect(opened(other, NO_KEYS.all)).rejects.toThrow(corrupt);
  });

  test('[R4] reports CORRUPT when the archive contains no valid key id', async () => {
    const sealed = await seal(new Uint8Array(5), key);
    expect([isSealedWith(sealed, key), isSealedWith(sealed, longKey)]).toEqual([true, false]);
    for (const keyId of [undefined, 'text', key.idBytes.subarray(1)]) {
      const { iv, data } = decodeMap(sealed);
      const changed = encode({ iv, data, ...(keyId !== undefined && { keyId }) });
      expect(() => isSealedWith(changed, key)).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
    }
  });

  test('[R4] rejects every truncated archive as corrupt', async () => {
    const sealed = await seal(new Uint8Array(5), key);
    for (let length = 0; length < sealed.length; length++)
      await expect(open(sealed.subarray(0, length), keysOf(key))).rejects.toThrow(
        expect.objectContaining({ code: 'CORRUPT' }),
      );
  });

  test('rejects an IV that does not match the content, even if the content can be decrypted', async () => {
    const iv = new Uint8Array(12);
    const { keyId } = decodeMap(await seal(new Uint8Array(), key));
    const data = await aesGcm.encrypt(key.material, iv, Uint8Array.of(1));
    await expect(open(encode({ iv, data, keyId }), keysOf(key))).rejects.toThrow('corrupt: iv missmatch');
  });

  test('does not report an unknown key as damage', async () => {
    await expect(open(await seal(new Uint8Array(), key), keysOf(longKey))).rejects.toThrow(
      expect.objectContaining({ code: 'KEY_UNKNOWN' }),
    );
  });

  test.each([
    ['an empty map', {}],
    ['a map with a short IV', { iv: new Uint8Array(8), data: new Uint8Array(20), keyId: new Uint8Array(32) }],
    ['a map with no tag', { iv: new Uint8Array(12), data: new Uint8Array(15), keyId: new Uint8Array(32) }],
    ['a map of texts', { iv: 'x', data: 'y', keyId: 'z' }],
  ])('rejects %s as a sealed archive', async (_, value) => {
    await expect(open(encode(value), keysOf(key))).rejects.toThrow(
      expect.objectContaining({ code: 'CORRUPT' }),
    );
  });

  test('converts keys to text and back', () => {
    expect(parseKeyText(keyText(longKey))).toEqual(longKey);
    for (const text of ['', 'z', 'not base58!', keyText(key).slice(0, -4), 'z0OIl'])
      expect(() => parseKeyText(text)).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
  });
});
