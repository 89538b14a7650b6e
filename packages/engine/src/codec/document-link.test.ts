import { CID } from 'multiformats/cid';
import { describe, expect, test } from 'vitest';
import { DocumentLink, linkBytes } from './document-link.ts';

const TEXTS = [
  'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
  'bafyreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
  'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG',
  // An identity hash of one byte, and a codec of two bytes.
  CID.createV1(0x55, {
    code: 0,
    size: 1,
    digest: new Uint8Array([7]),
    bytes: new Uint8Array([0, 1, 7]),
  }).toString(),
  CID.createV1(0x0129, CID.parse('QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG').multihash).toString(),
];

describe('a link in a document', () => {
  test.each(TEXTS)('has the fields of a CID, and is recognised as a CID: %s', (text) => {
    const cid = CID.parse(text);
    const link = new DocumentLink(cid.bytes);
    const { version, code, multihash, bytes } = cid;
    expect(link).toMatchObject({ version, code, bytes, '/': bytes });
    const { size, digest } = multihash;
    expect(link.multihash).toMatchObject({ code: multihash.code, size, digest, bytes: multihash.bytes });
    expect(`${link}`).toBe(text);
    expect(JSON.stringify(link)).toBe(JSON.stringify(cid));
    expect(CID.asCID(link)?.equals(cid)).toBe(true);
    expect(link.equals(cid)).toBe(true);
    expect(cid.equals(link as unknown as CID)).toBe(true);
    expect(linkBytes(cid)).toEqual(cid.bytes);
  });

  test('differs from other links and other values', () => {
    const [one, other] = TEXTS.map((text) => new DocumentLink(CID.parse(text).bytes));
    expect(one?.equals(other)).toBe(false);
    for (const value of [undefined, null, 'text', {}, new Uint8Array(36)])
      expect(one?.equals(value)).toBe(false);
  });

  test.each([
    ['a link without bytes', []],
    ['an unknown version', [2, 0x55, 0x12, 1, 0]],
    ['a digest that is too short', [1, 0x55, 0x12, 2, 0]],
    ['a digest that is too long', [1, 0x55, 0x12, 1, 0, 0]],
    ['a number that does not end', [1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]],
  ])('rejects %s as CORRUPT', (_, bytes) => {
    const corrupt = expect.objectContaining({ code: 'CORRUPT' }) as Error;
    expect(() => new DocumentLink(new Uint8Array(bytes))).toThrow(corrupt);
  });

  test('differs from a plain object with the same fields, and from objects that only claim to be a CID', () => {
    const plain: { asCID?: unknown; bytes: Uint8Array } = { bytes: CID.parse(TEXTS[0] ?? '').bytes };
    plain.asCID = plain;
    expect(linkBytes(plain)).toBeUndefined();
    class Liar {
      readonly bytes = new Uint8Array([1]);
      get asCID() {
        return this;
      }
    }
    expect(linkBytes(new Liar())).toBeUndefined();
  });
});
