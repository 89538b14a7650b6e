/** Formats a date in the browser's language. A text that is not a date is shown unchanged. */
export const dayOf = (text: string): string => shown(day, text);
export const timeOf = (text: string): string => shown(time, text);

// Created on first use: a page's first formatter costs 25 ms.
const day = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }));
const time = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }));

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function shown(format: () => Intl.DateTimeFormat, text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? text : format().format(ms);
}
