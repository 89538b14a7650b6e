/** Previews of values for table cells: a short text, however long the value is. */
import { linkBytes } from '../codec/document-link.ts';
import { isLink } from '../codec/link.ts';

/** Maximum characters of a preview. */
export const PREVIEW_MAX = 256;

/** The kind of value that a cell previews. */
export type CellKind = 'text' | 'number' | 'boolean' | 'null' | 'list' | 'object' | 'bytes' | 'link';

/** The preview of a value in a table. */
export interface Cell {
  readonly kind: CellKind;
  /** At most {@link PREVIEW_MAX} characters of the text, or of a list or an object as JSON. */
  readonly text: string;
  /** Whether the text was cut off. */
  readonly cut: boolean;
}

/** Returns the preview of a document's value. Reads no more of the value than the preview shows. */
export function previewOf(value: unknown): Cell {
  const kind = kindOf(value);
  const text = kind === 'text' ? (value as string) : written(value, '');
  if (text.length <= PREVIEW_MAX) return { kind, text, cut: false };
  return { kind, text: beginning(text), cut: true };
}

function kindOf(value: unknown): CellKind {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value !== 'object') return 'number';
  if (value instanceof Uint8Array) return 'bytes';
  if (isLink(value)) return 'link';
  return Array.isArray(value) ? 'list' : 'object';
}

/** Appends the value to `before`; stops soon after the text exceeds a preview. */
function written(value: unknown, before: string): string {
  switch (kindOf(value)) {
    case 'null':
      return `${before}null`;
    case 'text':
      return before + JSON.stringify(beginning(value as string, PREVIEW_MAX + 1));
    case 'bytes':
      return `${before}${(value as Uint8Array).length} bytes`;
    case 'link':
      return before + linkText(value as object);
    case 'list':
      return writtenList(value as readonly unknown[], `${before}[`);
    case 'object':
      return writtenObject(value as Readonly<Record<string, unknown>>, `${before}{`);
    default:
      return before + String(value);
  }
}

function writtenList(list: readonly unknown[], before: string): string {
  let text = before;
  for (const [at, part] of list.entries()) {
    if (text.length > PREVIEW_MAX) return text;
    text = written(part, at === 0 ? text : `${text}, `);
  }
  return `${text}]`;
}

function writtenObject(object: Readonly<Record<string, unknown>>, before: string): string {
  let text = before;
  for (const name in object) {
    if (text.length > PREVIEW_MAX) return text;
    const separator = text === before ? '' : ', ';
    text = written(object[name], `${text}${separator}${JSON.stringify(beginning(name))}: `);
  }
  return `${text}}`;
}

const linkText = (link: object): string => (linkBytes(link) === undefined ? 'link' : String(link));

/** Returns the first characters, without half of a surrogate pair at the end. */
function beginning(text: string, length = PREVIEW_MAX): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
