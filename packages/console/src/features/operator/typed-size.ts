/** Reads and writes sizes in text fields, such as `10 GB`. */
import { bytesText } from '../../values/bytes-text.ts';

const UNITS = ['b', 'kb', 'mb', 'gb', 'tb'];

/** Returns the bytes of a typed size; null for an empty field; undefined if it isn't a size. */
export function bytesIn(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  const [, number = '', unit = ''] = /^(\d{1,16}(?:[.,]\d{1,3})?)\s*([kmgt]?b)$/i.exec(text.trim()) ?? [];
  const step = UNITS.indexOf(unit.toLowerCase());
  const bytes = Math.round(Number(number.replace(',', '.')) * 1000 ** step);
  return step >= 0 && Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Returns the text of a size, which {@link bytesIn} reads as exactly this size. */
export function sizeFieldOf(bytes: number | undefined): string {
  if (bytes === undefined) return '';
  const short = bytesText(bytes);
  return bytesIn(short) === bytes ? short : `${bytes} B`;
}
