/** Documents as JSON that loses nothing: bytes and links are written as DAG-JSON does, `{"/": {"bytes": "..."}}` and `{"/": "..."}`. */

const PIECE = 0x8000;

export function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return { '/': { bytes: base64Of(value) } };
  if (Array.isArray(value)) return value.map(toPlain);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return { '/': String(value) };
  return mapped(value, toPlain);
}

/** Bytes become bytes again. Links stay as they are written. */
export function fromPlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(fromPlain);
  const bytes = bytesIn(value);
  return bytes ?? mapped(value, fromPlain);
}

/** Field by field, so that one named `__proto__` is a field as any other. */
function mapped(value: object, how: (part: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, how(part)]));
}

function bytesIn(value: object): Uint8Array | undefined {
  const [entry, ...others] = Object.entries(value);
  if (entry?.[0] !== '/' || others.length > 0) return undefined;
  const inner: unknown = entry[1];
  if (typeof inner !== 'object' || inner === null) return undefined;
  const { bytes } = inner as { bytes?: unknown };
  if (typeof bytes !== 'string' || Object.keys(inner).length !== 1) return undefined;
  try {
    return Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE)
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(text).replace(/=+$/, '');
}
