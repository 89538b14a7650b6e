/** Moments as people read them, in the language of the browser; a text that is none is shown as it is. */
export const dayOf = (text: string): string => shown(day, text);
export const timeOf = (text: string): string => shown(time, text);

// Made when one is shown: a page's first formatter costs 25 ms.
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
