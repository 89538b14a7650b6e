/** Reads safety numbers that people copied, or typed from another screen. */

const GROUP = /.{5}(?=.)/g;

/** Returns a safety number in groups of five digits. */
export const inGroups = (number: string): string => number.replace(GROUP, '$& ');

/** `missing`: the number of digits that are left. */
export type Comparison =
  | { readonly result: 'empty' | 'equal' | 'different' | 'no number' }
  | { readonly result: 'missing'; readonly count: number };

/** Compares a safety number with a text from another device. Spaces and line breaks don't count. */
export function compared(own: string, text: string): Comparison {
  const other = text.replace(/[\s.,-]/g, '');
  if (other === '') return { result: 'empty' };
  if (!/^[0-9]+$/.test(other)) return { result: 'no number' };
  // Says so at once, because somebody who types a wrong number shouldn't have to finish it.
  if (!own.startsWith(other.slice(0, own.length))) return { result: 'different' };
  if (other.length < own.length) return { result: 'missing', count: own.length - other.length };
  return { result: other === own ? 'equal' : 'different' };
}
