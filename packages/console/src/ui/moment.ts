/** Moments as people read them, in the language of the browser; a text that is none is shown as it is. */
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export const dayOf = (text: string): string => shown(day, text);
export const timeOf = (text: string): string => shown(time, text);

function shown(format: Intl.DateTimeFormat, text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? text : format.format(ms);
}
