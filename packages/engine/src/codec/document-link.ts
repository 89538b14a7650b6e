/** Links that applications put into documents. */
import { FixpointError } from '@fixpoint/protocol';
import { equalBytes } from '../base/bytes.ts';
import { encodeBase58 } from './base58.ts';
import { textOfCidBytes } from './cid.ts';

const DAG_PB = 0x70;
const SHA2_256 = 0x12;
/** Length of a link of version 0, which is only the hash: `0x12 0x20` and the digest. */
const VERSION_0_BYTES = 34;

/**
 * A link in a document. A link has the fields of a `CID` of multiformats, and `CID.asCID(link)`
 * converts the link to that class. Applications may also write a `CID` instead.
 */
export class DocumentLink {
  readonly version: 0 | 1;
  /** The codec, such as 0x71 for dag-cbor. */
  readonly code: number;
  readonly multihash: {
    readonly code: number;
    readonly size: number;
    readonly digest: Uint8Array;
    readonly bytes: Uint8Array;
  };
  readonly bytes: Uint8Array;
  readonly '/': Uint8Array;

  /** @throws FixpointError CORRUPT */
  constructor(bytes: Uint8Array) {
    const isVersion0 = bytes.length === VERSION_0_BYTES && bytes[0] === SHA2_256 && bytes[1] === 0x20;
    let at = 0;
    const next = () => {
      let value = 0;
      for (let scale = 1; scale <= 2 ** 42; scale *= 128) {
        const byte = bytes[at++] ?? 0x80;
        value += (byte & 0x7f) * scale;
        if (byte < 0x80) return value;
      }
      throw notALink();
    };
    if (!isVersion0 && next() !== 1) throw notALink();
    this.version = isVersion0 ? 0 : 1;
    this.code = isVersion0 ? DAG_PB : next();
    const hash = bytes.subarray(at);
    const code = next();
    const size = next();
    const digest = bytes.subarray(at);
    if (digest.length !== size) throw notALink();
    this.multihash = { code, size, digest, bytes: hash };
    this.bytes = bytes;
    this['/'] = bytes;
  }

  /** Marks the object as a CID for multiformats. */
  get asCID(): this {
    return this;
  }

  get [Symbol.toStringTag](): string {
    return 'CID';
  }

  toString(): string {
    return this.version === 0 ? encodeBase58(this.bytes) : textOfCidBytes(this.bytes);
  }

  toJSON(): { readonly '/': string } {
    return { '/': this.toString() };
  }

  equals(other: unknown): boolean {
    const bytes = linkBytes(other);
    return bytes !== undefined && equalBytes(bytes, this.bytes);
  }
}

const notALink = () => new FixpointError('CORRUPT', 'not a link');

/**
 * Returns the bytes of the CID in a link of a document, or undefined when the value isn't a link. A
 * plain object with the same fields is an ordinary map.
 */
export function linkBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof DocumentLink) return value.bytes;
  if (typeof value !== 'object' || value === null || !('asCID' in value) || value.asCID !== value)
    return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return undefined;
  const { bytes } = value as { readonly bytes?: unknown };
  if (!(bytes instanceof Uint8Array)) return undefined;
  try {
    return new DocumentLink(bytes).bytes;
  } catch {
    return undefined;
  }
}
