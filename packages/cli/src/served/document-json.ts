/**
 * Converts documents to JSON and back. Bytes and links have the form of DAG-JSON, `{"/": {"bytes":
 * "..."}}` and `{"/": "..."}`. Everything else is ordinary JSON. Integers beyond 2^53 are written
 * as numbers, which may lose digits.
 */
import { createHash } from 'node:crypto';
import { TextDecoder } from 'node:util';
import { FixpointError } from '@fixpoint/protocol';

/** Deeper than any document or filter. Deeper JSON could exhaust the stack. */
const DEPTH_MAX = 250;

/** Returns the JSON of a document, or of anything that contains documents. */
export const jsonOf = (value: unknown): string => JSON.stringify(value, asJson);

function asJson(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (value instanceof Uint8Array) return { '/': { bytes: base64Of(value) } };
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? value : { '/': String(value) };
}

const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

/**
 * Identifies the content of a document, as an entity tag. Equal documents have equal tags, on all
 * devices, whatever the order of their fields.
 */
export const tagOf = (doc: object): string =>
  `"${createHash('sha256').update(JSON.stringify(doc, asSortedJson)).digest('base64url').slice(0, 32)}"`;

function asSortedJson(key: string, value: unknown): unknown {
  const part = asJson(key, value);
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
  return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Parses JSON. Fields with names such as `__proto__` are ordinary ones.
 * @throws FixpointError REQUEST_INVALID
 */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new FixpointError('REQUEST_INVALID', 'not UTF-8', { cause });
  }
  requireShallow(text);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FixpointError('REQUEST_INVALID', 'not JSON', { cause });
  }
}

const BRACKET_OR_TEXT = /"(?:[^"\\]|\\.)*"|[[\]{}]/gs;

function requireShallow(text: string): void {
  let depth = 0;
  for (const [token] of text.matchAll(BRACKET_OR_TEXT)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    if (depth > DEPTH_MAX)
      throw new FixpointError('REQUEST_INVALID', `nested deeper than ${DEPTH_MAX} levels`);
  }
}

/** Converts the bytes in parsed JSON to what the engine stores. */
export function storedForm(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(storedForm);
  // Built from entries, so that a field named `__proto__` is an ordinary one.
  return (
    bytesIn(value) ??
    Object.fromEntries(Object.entries(value).map(([name, part]) => [name, storedForm(part)]))
  );
}

/** Returns bytes only if they have this very JSON, so that all other objects stay as they are. */
function bytesIn(value: object): Uint8Array | undefined {
  const inner = onlyFieldOf(value, '/');
  const text = typeof inner === 'object' && inner !== null ? onlyFieldOf(inner, 'bytes') : undefined;
  if (typeof text !== 'string') return undefined;
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return base64Of(bytes) === text ? bytes : undefined;
}

function onlyFieldOf(value: object, name: string): unknown {
  const [entry, ...others] = Object.entries(value);
  return others.length === 0 && entry?.[0] === name ? entry[1] : undefined;
}
