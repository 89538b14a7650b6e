import { describe, expect, test } from 'vitest';
import { DAG_CBOR, isCidOf, RAW, readCid, readCidBytes, sha256 } from './content-id.ts';

const HELLO = new TextEncoder().encode('hello world');
/** The CIDv1 of these bytes with the codec raw, as any IPFS tool prints it. */
const CID = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e';

describe('a CID', () => {
  test('contains the codec and the sha-256 of its content', () => {
    const cid = readCid(CID);
    expect(cid?.codec).toBe(RAW);
    expect(cid?.digest).toEqual(sha256(HELLO));
    expect(cid?.digest.toString('hex')).toMatch(/^b94d27b9934d3e08/);
  });

  test('matches its bytes only under its codec', () => {
    expect(isCidOf(CID, RAW, HELLO)).toBe(true);
    expect(isCidOf(CID, DAG_CBOR, HELLO)).toBe(false);
    expect(isCidOf(CID, RAW, HELLO.slice(1))).toBe(false);
    expect(isCidOf('not a CID', RAW, HELLO)).toBe(false);
  });

  test.each([
    ['too short', CID.slice(0, -1)],
    ['too long', `${CID}a`],
    ['in upper case', CID.toUpperCase()],
    ['of version 0', 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG'],
    ['in another base', `z${CID.slice(1)}`],
    ['written with letters that base32 lacks', CID.replace('k', '1')],
    ['not canonical in its last bits', `${CID.slice(0, -1)}f`],
  ])('is rejected when it is %s', (_, text) => expect(readCid(text)).toBeUndefined());

  test.each([
    ['with another version', 0, 2],
    ['with a codec of two bytes', 1, 0x80],
    ['with another hash function', 2, 0x13],
    ['with another hash length', 3, 0x1f],
  ])('is not readable from bytes %s', (_, at, value) => {
    const bytes = Buffer.concat([Buffer.from([1, RAW, 0x12, 0x20]), sha256(HELLO)]);
    expect(readCidBytes(bytes)?.codec).toBe(RAW);
    bytes[at] = value;
    expect(readCidBytes(bytes)).toBeUndefined();
    expect(readCidBytes(bytes.subarray(1))).toBeUndefined();
  });
});
