/**
 * Validates P-256 public keys in records: key agreement throws for anything that isn't on the
 * curve.
 */
const PRIME = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;
const UNCOMPRESSED = 4;
const POINT_BYTES = 65;

/**
 * Returns whether the bytes are an uncompressed point of the curve. They aren't secret, so the
 * check needn't run in constant time.
 */
export function isP256Point(bytes: Uint8Array): boolean {
  if (bytes.length !== POINT_BYTES || bytes[0] !== UNCOMPRESSED) return false;
  const [x, y] = [numberOf(bytes.subarray(1, 33)), numberOf(bytes.subarray(33))];
  if (x >= PRIME || y >= PRIME) return false;
  return (y * y - (x * x * x - 3n * x + B)) % PRIME === 0n;
}

/** Reads 32 bytes, most significant byte first. */
function numberOf(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let number = 0n;
  for (let at = 0; at < bytes.length; at += 8) number = (number << 64n) | view.getBigUint64(at);
  return number;
}
