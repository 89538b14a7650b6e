/**
 * Converts documents to JSON. Writes bytes and links as in DAG-JSON, `{"/": {"bytes": "..."}}` and
 * `{"/": "..."}`. Writes long integers as numbers, which may lose digits.
 */

const PIECE = 0x8000;

export function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return { '/': { bytes: base64Of(value) } };
  if (Array.isArray(value)) return withItems(value, toPlain);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return { '/': String(value) };
  return withFields(value as Fields, toPlain);
}

/** Converts bytes back, but doesn't convert links. */
export function fromPlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return withItems(value, fromPlain);
  return bytesIn(value) ?? withFields(value as Fields, fromPlain);
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the list itself if no item changes, as in nearly all cases. */
function withItems(items: readonly unknown[], how: (part: unknown) => unknown): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let at = 0; at < items.length; at += 1) {
    const part = how(items[at]);
    if (part === items[at]) continue;
    copy ??= [...items];
    copy[at] = part;
  }
  return copy ?? items;
}

/** Returns the object itself if no field changes. */
function withFields(value: Fields, how: (part: unknown) => unknown): Fields {
  const others: [string, unknown][] = [];
  for (const name of Object.keys(value)) {
    const part = how(value[name]);
    if (part !== value[name]) others.push([name, part]);
  }
  // Built from entries, so that a field named `__proto__` is an ordinary one.
  return others.length === 0 ? value : Object.fromEntries([...Object.entries(value), ...others]);
}

function bytesIn(value: object): Uint8Array | undefined {
  if (!Object.hasOwn(value, '/') || Object.keys(value).length !== 1) return undefined;
  const inner = (value as { '/': unknown })['/'];
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
