/** The bytes of a QR code: text, padding and the correction of Reed and Solomon, in blocks that are dealt out in turn. */

/** By version, from 1 on: correction bytes of a block, and blocks, at level M. */
const CORRECTION = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10];
const VERSION_MAX = CORRECTION.length;

const correctionOf = (version: number): number => CORRECTION[version - 1] ?? 0;
const blocksOf = (version: number): number => BLOCKS[version - 1] ?? 0;

/** All bytes that the modules of a version hold. */
function bytesOf(version: number): number {
  let modules = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const alignments = Math.floor(version / 7) + 2;
    modules -= (25 * alignments - 10) * alignments - 55;
    if (version >= 7) modules -= 36;
  }
  return modules >>> 3;
}

const dataBytesOf = (version: number): number => bytesOf(version) - correctionOf(version) * blocksOf(version);
const lengthBits = (version: number): number => (version < 10 ? 8 : 16);

/** The smallest version that holds so many bytes. @throws RangeError */
export function versionFor(length: number): number {
  for (let version = 1; version <= VERSION_MAX; version += 1)
    if (4 + lengthBits(version) + length * 8 <= dataBytesOf(version) * 8) return version;
  throw new RangeError(`${length} bytes are too many for a code`);
}

/** The bytes with what says that they are bytes and how many, filled up to what the version holds. */
export function dataFor(bytes: Uint8Array, version: number): Uint8Array {
  const bits: number[] = [];
  const push = (value: number, count: number) => {
    for (let at = count - 1; at >= 0; at -= 1) bits.push((value >>> at) & 1);
  };
  push(0b0100, 4);
  push(bytes.length, lengthBits(version));
  for (const byte of bytes) push(byte, 8);
  const capacity = dataBytesOf(version) * 8;
  push(0, Math.min(4, capacity - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  for (let filler = 0xec; bits.length < capacity; filler ^= 0xec ^ 0x11) push(filler, 8);
  const data = new Uint8Array(capacity / 8);
  for (const [at, bit] of bits.entries()) data[at >>> 3] = ((data[at >>> 3] ?? 0) << 1) | bit;
  return data;
}

/** Data and correction as they lie in the code. */
export function correctionFor(data: Uint8Array, version: number): Uint8Array {
  const [count, correction] = [blocksOf(version), correctionOf(version)];
  const short = Math.floor(data.length / count);
  const longFrom = count - (data.length % count);
  const divisor = divisorOf(correction);
  const blocks: Uint8Array[] = [];
  for (let block = 0, at = 0; block < count; block += 1) {
    const length = short + (block < longFrom ? 0 : 1);
    blocks.push(data.subarray(at, at + length));
    at += length;
  }
  const rests = blocks.map((block) => remainderOf(block, divisor));
  const dealt: number[] = [];
  for (let at = 0; at <= short; at += 1)
    for (const block of blocks) if (at < block.length) dealt.push(block[at] ?? 0);
  for (let at = 0; at < correction; at += 1) for (const rest of rests) dealt.push(rest[at] ?? 0);
  return Uint8Array.from(dealt);
}

/** In the field of 256 elements whose polynomial is 0x11d. */
function times(a: number, b: number): number {
  let product = 0;
  for (let at = 7; at >= 0; at -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((b >>> at) & 1) * a;
  }
  return product;
}

/** Coefficients of (x - 2^0)(x - 2^1)..., without the first, which is 1. */
function divisorOf(degree: number): number[] {
  const divisor = new Array<number>(degree).fill(0);
  divisor[degree - 1] = 1;
  let root = 1;
  for (let factor = 0; factor < degree; factor += 1) {
    for (let at = 0; at < degree; at += 1)
      divisor[at] = times(divisor[at] ?? 0, root) ^ (divisor[at + 1] ?? 0);
    root = times(root, 2);
  }
  return divisor;
}

function remainderOf(data: Uint8Array, divisor: readonly number[]): number[] {
  const rest = new Array<number>(divisor.length).fill(0);
  for (const byte of data) {
    const factor = byte ^ (rest.shift() ?? 0);
    rest.push(0);
    for (const [at, coefficient] of divisor.entries())
      rest[at] = (rest[at] ?? 0) ^ times(coefficient, factor);
  }
  return rest;
}
