/** What a cell shows of a value: at most 256 characters, whatever the size of the value. */

export const CELL_CHARS_MAX = 256;

/** A value that ends before it is written out is marked by an ellipsis. Nothing is more than read as far as it is shown. */
export function cellText(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return cut(value);
  const parts: string[] = [];
  let room = CELL_CHARS_MAX + 1;
  write(value, (text) => {
    parts.push(text.slice(0, room));
    room -= text.length;
    return room > 0;
  });
  return cut(parts.join(''));
}

const cut = (text: string): string =>
  text.length <= CELL_CHARS_MAX ? text : `${whole(text.slice(0, CELL_CHARS_MAX - 1))}…`;

/** Without the half of a character that a cut may leave. */
const whole = (text: string): string => text.replace(/[\uD800-\uDBFF]$/, '');

/** Takes a piece of text; false when no more is wanted. */
type Take = (text: string) => boolean;

function write(value: unknown, take: Take): boolean {
  if (typeof value === 'string') return take(JSON.stringify(value.slice(0, CELL_CHARS_MAX)));
  if (Array.isArray(value)) return writeAll('[', value.entries(), ']', (item) => write(item, take), take);
  if (value instanceof Uint8Array) return take(`${value.length} bytes`);
  if (typeof value !== 'object' || value === null) return take(String(value));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return take(String(value));
  const fields = Object.entries(value);
  const writeField = (item: unknown, name: number | string) =>
    take(`${JSON.stringify(String(name).slice(0, CELL_CHARS_MAX))}:`) && write(item, take);
  return writeAll('{', fields, '}', writeField, take);
}

function writeAll<Name>(
  open: string,
  items: Iterable<[Name, unknown]>,
  close: string,
  writeItem: (item: unknown, name: Name) => boolean,
  take: Take,
): boolean {
  let first = true;
  if (!take(open)) return false;
  for (const [name, item] of items) {
    if (!first && !take(',')) return false;
    first = false;
    if (!writeItem(item, name)) return false;
  }
  return take(close);
}
