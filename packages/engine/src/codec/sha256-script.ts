/**
 * SHA-256 (FIPS 180-4) in JavaScript, for platforms without a synchronous implementation. Most
 * inputs are blocks and entries of less than a kilobyte, so a call allocates nothing but its
 * result.
 */

export const DIGEST_BYTES = 32;
const BLOCK_BYTES = 64;
/**
 * Content bytes that fit in the last block. A byte 0x80 and the length in bits follow the content.
 */
const CONTENT_BYTES_OF_LAST = BLOCK_BYTES - 9;

/** Returns the first 64 primes. */
function primes(): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < 64; n++) if (found.every((prime) => n % prime > 0)) found.push(n);
  return found;
}

/**
 * The first 32 bits of the fractional part. None of the roots below is so close to the next value
 * that an engine's rounding of `Math.cbrt` could change it: the margin is thousands of times the
 * rounding error.
 */
const fraction = (root: number): number => (root % 1) * 2 ** 32;

const ROUNDS = Int32Array.from(primes(), (prime) => fraction(Math.cbrt(prime)));
const INITIAL = Int32Array.from(primes().slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

const schedule = new Int32Array(64);
const last = new Uint8Array(BLOCK_BYTES);
const state = new Int32Array(8);

export function sha256InScript(bytes: Uint8Array): Uint8Array {
  state.set(INITIAL);
  return finish(state, bytes, takeBlocks(state, bytes, 0), bytes.length);
}

/** Hashes content that arrives in pieces. */
export class RunningSha256InScript {
  readonly #state = INITIAL.slice();
  readonly #begun = new Uint8Array(BLOCK_BYTES);
  #begunBytes = 0;
  #bytes = 0;

  update(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    let at = 0;
    if (this.#begunBytes > 0) {
      at = this.#begin(bytes);
      if (this.#begunBytes < BLOCK_BYTES) return;
      takeBlocks(this.#state, this.#begun, 0);
      this.#begunBytes = 0;
    }
    this.#begin(bytes.subarray(takeBlocks(this.#state, bytes, at)));
  }

  digest(): Uint8Array {
    return finish(this.#state, this.#begun.subarray(0, this.#begunBytes), 0, this.#bytes);
  }

  /** Buffers the first bytes, up to a whole block. Returns how many bytes it buffered. */
  #begin(bytes: Uint8Array): number {
    const part = bytes.subarray(0, BLOCK_BYTES - this.#begunBytes);
    this.#begun.set(part, this.#begunBytes);
    this.#begunBytes += part.length;
    return part.length;
  }
}

/** Hashes the whole blocks from `at` on. Returns where they end. */
function takeBlocks(into: Int32Array, bytes: Uint8Array, at: number): number {
  let from = at;
  for (; from + BLOCK_BYTES <= bytes.length; from += BLOCK_BYTES) takeBlock(into, bytes, from);
  return from;
}

/**
 * Hashes the bytes after the last whole block. `contentBytes` is the length of the whole content.
 */
function finish(into: Int32Array, bytes: Uint8Array, from: number, contentBytes: number): Uint8Array {
  const rest = bytes.length - from;
  last.fill(0);
  last.set(bytes.subarray(from));
  last[rest] = 0x80;
  if (rest > CONTENT_BYTES_OF_LAST) {
    takeBlock(into, last, 0);
    last.fill(0);
  }
  putWord(last, BLOCK_BYTES - 8, Math.floor(contentBytes / 2 ** 29));
  putWord(last, BLOCK_BYTES - 4, contentBytes << 3);
  takeBlock(into, last, 0);
  const digest = new Uint8Array(DIGEST_BYTES);
  for (let at = 0; at < DIGEST_BYTES; at += 4) putWord(digest, at, into[at >> 2] as number);
  return digest;
}

function putWord(bytes: Uint8Array, at: number, word: number): void {
  bytes[at] = word >>> 24;
  bytes[at + 1] = word >>> 16;
  bytes[at + 2] = word >>> 8;
  bytes[at + 3] = word;
}

// All indexes are within the arrays. `as number` costs nothing here, while `?? 0` would cost a
// comparison in each step.
function takeBlock(into: Int32Array, bytes: Uint8Array, from: number): void {
  for (let at = 0; at < 16; at++) {
    const byte = from + at * 4;
    schedule[at] =
      ((bytes[byte] as number) << 24) |
      ((bytes[byte + 1] as number) << 16) |
      ((bytes[byte + 2] as number) << 8) |
      (bytes[byte + 3] as number);
  }
  for (let at = 16; at < 64; at++) {
    const x = schedule[at - 15] as number;
    const y = schedule[at - 2] as number;
    const sigma0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const sigma1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    schedule[at] = ((schedule[at - 16] as number) + sigma0 + (schedule[at - 7] as number) + sigma1) | 0;
  }
  let a = into[0] as number;
  let b = into[1] as number;
  let c = into[2] as number;
  let d = into[3] as number;
  let e = into[4] as number;
  let f = into[5] as number;
  let g = into[6] as number;
  let h = into[7] as number;
  for (let at = 0; at < 64; at++) {
    const sum1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const choice = (e & f) ^ (~e & g);
    const t = (h + sum1 + choice + (ROUNDS[at] as number) + (schedule[at] as number)) | 0;
    const sum0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + t) | 0;
    d = c;
    c = b;
    b = a;
    a = (t + sum0 + majority) | 0;
  }
  into[0] = ((into[0] as number) + a) | 0;
  into[1] = ((into[1] as number) + b) | 0;
  into[2] = ((into[2] as number) + c) | 0;
  into[3] = ((into[3] as number) + d) | 0;
  into[4] = ((into[4] as number) + e) | 0;
  into[5] = ((into[5] as number) + f) | 0;
  into[6] = ((into[6] as number) + g) | 0;
  into[7] = ((into[7] as number) + h) | 0;
}
