/**
 * Reads and writes the bytes of key records, and of entries of the membership log: a canonical
 * dag-cbor map of texts, byte strings and lists of byte strings. Devices and the gateway share
 * these functions, so that both read the same meaning.
 */
export type RecordField = string | Uint8Array | readonly Uint8Array[];

/** The mark of key records, and that of entries of the membership log. */
type Mark = 'S1.' | 'S2.';
const NAME_CHARS_MAX = 24;

/**
 * Parses the text of a record. Returns undefined for any other form, including text that isn't
 * canonical.
 */
export function recordFields(text: string, mark: Mark = 'S1.'): ReadonlyMap<string, RecordField> | undefined {
  const bytes = text.startsWith(mark) ? bytesOf(text.slice(mark.length)) : undefined;
  return bytes && readMap(bytes);
}

/** Returns the text of a record with these bytes. */
export const recordText = (bytes: Uint8Array, mark: Mark = 'S1.'): string => mark + base64Url(charsOf(bytes));

/** Returns the only encoding of a record. @param fields by their names, which are ASCII */
export function recordBytes(fields: Readonly<Record<string, RecordField>>): Uint8Array {
  const names = Object.keys(fields).sort((a, b) => (isBehind(a, b) ? 1 : -1));
  const items = names.map((name) => concatBytes([...itemOf(name), ...itemOf(fields[name] as RecordField)]));
  return concatBytes([headOf(5, names.length), ...items]);
}

/** Returns the only encoding of a list. */
export const listBytes = (items: readonly (string | Uint8Array)[]): Uint8Array =>
  concatBytes([headOf(4, items.length), ...items.flatMap(itemOf)]);

/** Returns the encoding of a value, in parts. */
function itemOf(field: RecordField): Uint8Array[] {
  if (typeof field === 'string') {
    const text = new TextEncoder().encode(field);
    return [headOf(3, text.length), text];
  }
  if (field instanceof Uint8Array) return [headOf(2, field.length), field];
  return [headOf(4, field.length), ...field.flatMap(itemOf)];
}

/** Returns the start of an item, with the shortest form of its count. */
function headOf(major: number, count: number): Uint8Array {
  const type = major << 5;
  if (count < 24) return Uint8Array.of(type | count);
  if (count < 0x100) return Uint8Array.of(type | 24, count);
  if (count < 0x1_0000) return Uint8Array.of(type | 25, count >> 8, count & 255);
  return Uint8Array.of(type | 26, count >>> 24, (count >> 16) & 255, (count >> 8) & 255, count & 255);
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const charsOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');

const base64Url = (chars: string): string =>
  btoa(chars).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const NO_DIGIT = 255;
/** The values of digits by their character codes. */
const VALUES = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) => {
  const value = DIGITS.indexOf(String.fromCharCode(code));
  return value < 0 ? NO_DIGIT : value;
});

/**
 * Returns the bytes of a text in base64url, if it is their only encoding: no digit is left over,
 * and the bits that no byte needs are zero. Logs have thousands of such texts, and the functions of
 * platforms are several times slower.
 * @param start where the digits start
 * @param into what the bytes are stored in; by default memory of their own
 */
export function bytesOf(text: string, start = 0, into?: Uint8Array): Uint8Array | undefined {
  const length = ((text.length - start) * 6) >> 3;
  const bytes = into?.subarray(0, length) ?? new Uint8Array(length);
  let [bits, count, at] = [0, 0, 0];
  for (let place = start; place < text.length; place++) {
    const value = VALUES[text.charCodeAt(place)] ?? NO_DIGIT;
    if (value === NO_DIGIT) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes[at++] = bits >> count;
  }
  return count < 6 && (bits & ((1 << count) - 1)) === 0 ? bytes : undefined;
}

interface Head {
  readonly major: number;
  readonly count: number;
  /** Offset of the content. */
  readonly at: number;
}
interface Read<T> {
  readonly value: T;
  readonly next: number;
}
/**
 * For each CBOR length code: the number of bytes of the count that follows, and the smallest count
 * that needs this many bytes.
 */
const SHORTER: Readonly<Record<number, readonly [bytes: number, from: number]>> = {
  24: [1, 24],
  25: [2, 0x100],
  26: [4, 0x1_0000],
};

function headAt(bytes: Uint8Array, at: number): Head | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  const [major, short] = [first >> 5, first & 31];
  if (short < 24) return { major, count: short, at: at + 1 };
  const [length, from] = SHORTER[short] ?? [0, 0];
  if (length === 0 || at + 1 + length > bytes.length) return undefined;
  let count = 0;
  for (const byte of bytes.subarray(at + 1, at + 1 + length)) count = count * 256 + byte;
  return count < from ? undefined : { major, count, at: at + 1 + length };
}

function readBytes(bytes: Uint8Array, { count, at }: Head): Read<Uint8Array> | undefined {
  return at + count <= bytes.length ? { value: bytes.subarray(at, at + count), next: at + count } : undefined;
}

function readText(bytes: Uint8Array, head: Head | undefined): Read<string> | undefined {
  if (head?.major !== 3 || head.count > NAME_CHARS_MAX) return undefined;
  const next = head.at + head.count;
  if (next > bytes.length) return undefined;
  let value = '';
  for (let at = head.at; at < next; at++) {
    const byte = bytes[at] as number;
    if (byte > 126) return undefined;
    value += String.fromCharCode(byte);
  }
  return { value, next };
}

function readField(bytes: Uint8Array, at: number): Read<RecordField> | undefined {
  const head = headAt(bytes, at);
  if (head === undefined) return undefined;
  if (head.major === 2) return readBytes(bytes, head);
  return head.major === 4 ? readList(bytes, head) : readText(bytes, head);
}

function readList(bytes: Uint8Array, { count, at }: Head): Read<Uint8Array[]> | undefined {
  const value: Uint8Array[] = [];
  let next = at;
  for (let item = 0; item < count; item++) {
    const head = headAt(bytes, next);
    const read = head?.major === 2 ? readBytes(bytes, head) : undefined;
    if (read === undefined) return undefined;
    value.push(read.value);
    next = read.next;
  }
  return { value, next };
}

/** Returns the map that these bytes are the only encoding of. */
export function readMap(bytes: Uint8Array): Map<string, RecordField> | undefined {
  const map = headAt(bytes, 0);
  if (map?.major !== 5) return undefined;
  const fields = new Map<string, RecordField>();
  let [at, before] = [map.at, ''];
  for (let entry = 0; entry < map.count; entry++) {
    const name = readText(bytes, headAt(bytes, at));
    const field = name && readField(bytes, name.next);
    if (name === undefined || field === undefined || (entry > 0 && !isBehind(name.value, before)))
      return undefined;
    fields.set(name.value, field.value);
    [at, before] = [field.next, name.value];
  }
  return at === bytes.length ? fields : undefined;
}

/** Returns whether a name sorts after the previous one: by length first, then by bytes. */
const isBehind = (name: string, before: string): boolean =>
  name.length === before.length ? name > before : name.length > before.length;
