/** Copies cells as text, and keeps the values for a paste in this tab. */
import type { Values } from './block-text.ts';

let last: { readonly text: string; readonly values: Values } | undefined;

/**
 * Returns the values that were copied as this text, so that their types survive. Undefined if the
 * text is from somewhere else.
 */
export const copiedValues = (text: string): Values | undefined =>
  last !== undefined && plain(last.text) === plain(text) ? last.values : undefined;

/** Some systems change line ends in the clipboard. */
const plain = (text: string): string => text.replaceAll('\r\n', '\n').replace(/\n$/, '');

export function rememberCopied(text: string, values: Values): void {
  last = { text, values };
}

/**
 * Writes a text into the clipboard that is still being read. Browsers allow this only soon after a
 * key or click; a promise in the clipboard item keeps the permission.
 */
export async function copyText(text: Promise<string>): Promise<void> {
  if (typeof ClipboardItem === 'undefined') return navigator.clipboard.writeText(await text);
  const blob = text.then((value) => new Blob([value], { type: 'text/plain' }));
  await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
}
