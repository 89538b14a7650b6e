/**
 * Encodes values for messages. A structured clone would silently change links, errors, files,
 * functions and signals. So each of them is sent in a `Map` with one entry, which no document can
 * contain. Values that no document may contain are sent in the same way, so that the other end
 * rejects them as this end would.
 */
import { type ErrorCode, FixpointError } from '@fixpoint/protocol';
import { DocumentLink, linkBytes } from '../codec/document-link.ts';

/** Maximum nesting. No document is nested that deeply. */
const DEPTH_MAX = 1100;

export interface PackParts {
  /** Returns the number by which the other end calls the function. */
  fn(fn: (...args: never[]) => unknown): number;
  signal(signal: AbortSignal): number;
  /**
   * Whether the engine created the objects. If so, none of them is a proxy, which can't be cloned,
   * and objects without values to convert are sent without copying.
   */
  readonly areOwn?: true;
}

export interface UnpackParts {
  /** Only pages send functions and signals. */
  fn?(id: number): (...args: unknown[]) => Promise<unknown>;
  signal?(id: number): AbortSignal;
  /** Returns the content of an attached file, by the file's name and entry. */
  file(name: string, entry: unknown): Promise<File>;
}

/** Replaces a value of a kind that can't be sent. */
class Foreign {}

type Tag = 'link' | 'error' | 'file' | 'entry' | 'fn' | 'signal' | 'foreign';
const tagged = (tag: Tag, content: unknown) => new Map([[tag, content]]);

export function pack(value: unknown, parts: PackParts, name = '', depth = 0): unknown {
  if (typeof value === 'function') return tagged('fn', parts.fn(value as () => unknown));
  if (typeof value === 'symbol' || depth > DEPTH_MAX) return tagged('foreign', undefined);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return packItems(value, parts, depth);
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (value instanceof AbortSignal) return tagged('signal', parts.signal(value));
  if (value instanceof Error) return tagged('error', { code: codeOf(value), message: value.message });
  if (value instanceof File)
    return tagged('file', [value.slice(0, value.size, value.type), value.name, value.lastModified]);
  if (value instanceof Blob) return value;
  if (!isPlain(value)) {
    const bytes = linkBytes(value);
    return bytes === undefined ? tagged('foreign', undefined) : tagged('link', bytes);
  }
  const packed = packFields(value as Record<string, unknown>, parts, depth);
  const isEntry = Object.getOwnPropertyDescriptor(value, 'stream')?.enumerable === false;
  return isEntry ? tagged('entry', [name, packed]) : packed;
}

function packItems(value: readonly unknown[], parts: PackParts, depth: number): readonly unknown[] {
  if (parts.areOwn !== true) return Array.from(value, (part) => pack(part, parts, '', depth + 1));
  let copy: unknown[] | undefined;
  for (let at = 0; at < value.length; at += 1) {
    const packed = pack(value[at], parts, '', depth + 1);
    if (packed === value[at]) continue;
    copy ??= [...value];
    copy[at] = packed;
  }
  return copy ?? value;
}

function packFields(value: Record<string, unknown>, parts: PackParts, depth: number): object {
  let copy = parts.areOwn === true ? undefined : copyOf(value);
  for (const key of Object.keys(value)) {
    const part = value[key];
    const packed = pack(part, parts, key, depth + 1);
    if (packed === part) continue;
    copy ??= copyOf(value);
    set(copy, key, packed);
  }
  return copy ?? value;
}

/**
 * Decodes a received value. Nothing else refers to the value, so encoded values are replaced in
 * place. This avoids another copy of large results, such as a hundred thousand rows.
 */
export function unpack(value: unknown, parts: UnpackParts): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Map) {
    const [entry] = value as Map<Tag, unknown>;
    return entry && unpackTagged(entry[0], entry[1], parts);
  }
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) value[at] = unpack(value[at], parts);
    return value;
  }
  if (!isPlain(value)) return value;
  const held = value as Record<string, unknown>;
  for (const key of Object.keys(held)) {
    const part = held[key];
    if (typeof part === 'object' && part !== null) set(held, key, unpack(part, parts));
  }
  return value;
}

function unpackTagged(tag: Tag, content: unknown, parts: UnpackParts): unknown {
  switch (tag) {
    case 'link':
      return new DocumentLink(content as Uint8Array);
    case 'error':
      return errorOf(content as PackedError);
    case 'fn':
      return parts.fn?.(content as number);
    case 'signal':
      return parts.signal?.(content as number);
    case 'file': {
      const [blob, name, lastModified] = content as [Blob, string, number];
      return new File([blob], name, { type: blob.type, lastModified });
    }
    case 'entry': {
      const [name, packed] = content as [string, object];
      const entry = unpack(packed, parts) as object;
      const file = () => parts.file(name, { ...entry });
      return Object.defineProperties(entry, {
        file: { value: file },
        stream: { value: () => streamOf(file) },
      });
    }
    default:
      return new Foreign();
  }
}

interface PackedError {
  readonly code: ErrorCode | undefined;
  readonly message: string;
}

const codeOf = (error: Error): ErrorCode | undefined =>
  error instanceof FixpointError ? error.code : undefined;

/** Keeps the message unchanged, because not every message starts with the text of its code. */
const errorOf = ({ code, message }: PackedError): Error =>
  code === undefined ? new Error(message) : Object.assign(new FixpointError(code), { message });

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Copies the own properties of an object. */
function copyOf(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) set(copy, key, value[key]);
  return copy;
}

/** Sets a property, even if the key is `__proto__`. */
function set(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

function streamOf(file: () => Promise<File>): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  file()
    .then(
      (whole) => whole.stream().pipeTo(writable),
      (cause) => writable.abort(cause),
    )
    .catch(() => undefined);
  return readable;
}
