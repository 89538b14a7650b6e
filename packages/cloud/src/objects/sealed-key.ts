/**
 * Finds the id of the key that encrypted an archive of an open-key ledger. These archives are a
 * CBOR map `{iv: 12 bytes, data: bytes, keyId: 32 bytes}`, in this order; `keyId` is the hash of
 * the key. Bytes of another form have no key id.
 */
const IV = Buffer.from([0xa3, 0x62, 0x69, 0x76, 0x4c]);
const IV_BYTES = 12;
const DATA = Buffer.from([0x64, 0x64, 0x61, 0x74, 0x61]);
const KEY_ID = Buffer.from([0x65, 0x6b, 0x65, 0x79, 0x49, 0x64, 0x58, 0x20]);
const KEY_ID_BYTES = 32;

/** The parts of a sealed archive, as views of its bytes. */
export interface SealedParts {
  readonly iv: Buffer;
  /** Cipher text, with the tag at its end. */
  readonly data: Buffer;
  readonly keyId: Buffer;
}

/** Returns undefined for bytes of another form. */
export function sealedPartsOf(bytes: Buffer): SealedParts | undefined {
  const dataAt = IV.length + IV_BYTES;
  const keyAt = bytes.length - KEY_ID_BYTES - KEY_ID.length;
  const lengthAt = dataAt + DATA.length;
  const isForm =
    bytes.subarray(0, IV.length).equals(IV) &&
    bytes.subarray(dataAt, lengthAt).equals(DATA) &&
    keyAt > dataAt &&
    bytes.subarray(keyAt, keyAt + KEY_ID.length).equals(KEY_ID) &&
    endOfBytes(bytes, lengthAt) === keyAt;
  if (!isForm) return undefined;
  return {
    iv: bytes.subarray(IV.length, dataAt),
    data: bytes.subarray(startOfBytes(bytes, lengthAt), keyAt),
    keyId: bytes.subarray(keyAt + KEY_ID.length),
  };
}

/** Returns the id of the key, as hex text. */
export const sealedKeyOf = (bytes: Buffer): string | undefined => sealedPartsOf(bytes)?.keyId.toString('hex');

/** Returns the offset of the content of a CBOR byte string whose head is at `at`. */
const startOfBytes = (bytes: Buffer, at: number): number => {
  const short = (bytes[at] ?? 0) & 31;
  return at + 1 + (short < 24 ? 0 : 1 << (short - 24));
};

/** Returns the offset where the CBOR byte string at `at` ends; undefined if there is none. */
function endOfBytes(bytes: Buffer, at: number): number | undefined {
  const first = bytes[at] ?? 0;
  if (first >> 5 !== 2) return undefined;
  if ((first & 31) < 24) return at + 1 + (first & 31);
  const width = { 24: 1, 25: 2, 26: 4 }[first & 31];
  if (width === undefined || at + 1 + width > bytes.length) return undefined;
  return at + 1 + width + bytes.readUIntBE(at + 1, width);
}
