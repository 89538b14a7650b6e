/** Formats a date in the browser's language. A text that is not a date is shown unchanged. */
export const dayOf = (text: string): string => shown(day, text);
export const timeOf = (text: string): string => shown(time, text);
/** Formats the day without its year, such as "Nov 20". */
export const shortDayOf = (ms: number): string => shortDay().format(ms);
/** Formats the time of day. */
export const clockOf = (ms: number): string => clock().format(ms);
/** Formats date and time with seconds. */
export const secondOf = (ms: number): string => second().format(ms);

// Created on first use: a page's first formatter costs 25 ms.
const day = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }));
const shortDay = once(() => new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' }));
const time = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }));
const second = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }));
const clock = once(() => new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }));

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Formats the day and the time of day, such as "Today, 2:29 PM". */
export function momentOf(ms: number): string {
  const date = new Date(ms);
  const isToday = date.toDateString() === new Date().toDateString();
  return `${isToday ? 'Today' : dayOf(date.toISOString())}, ${clockOf(ms)}`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Times further in the past are shown as dates. */
const NEAR_MS = 7 * DAY_MS;

/**
 * Returns how long ago a time was, such as "3 minutes ago". Returns date and time instead if that
 * was at least a week ago, or if it is more than a minute ahead.
 */
export function agoOf(ms: number, nowMs: number): string {
  const passed = nowMs - ms;
  if (passed < -MINUTE_MS || passed >= NEAR_MS) return timeOf(new Date(ms).toISOString());
  if (passed < MINUTE_MS) return 'just now';
  const [size, unit] =
    passed < HOUR_MS ? [MINUTE_MS, 'minute'] : passed < DAY_MS ? [HOUR_MS, 'hour'] : [DAY_MS, 'day'];
  const count = Math.floor(passed / Number(size));
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}

function shown(format: () => Intl.DateTimeFormat, text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? text : format().format(ms);
}
