/** Recognises texts that are dates, so that they get an input for dates. */

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(:\d{2}(?:\.\d{1,3})?)?(Z?)$/;

export interface DateText {
  readonly type: 'date' | 'datetime-local';
  /** The value of the input. */
  readonly value: string;
  /** Whether the moment is in UTC, which its text says at the end. */
  readonly isUtc: boolean;
  /** Returns the text for another value of the input, in the same form. */
  textOf(value: string): string;
}

/** Returns undefined for a text that isn't a date. */
export function dateIn(text: string): DateText | undefined {
  if (DATE.test(text) && isDay(text))
    return { type: 'date', value: text, isUtc: false, textOf: (value) => value };
  const [, minute, seconds = '', zone = ''] = MOMENT.exec(text) ?? [];
  if (minute === undefined || !isDay(text.slice(0, 10))) return undefined;
  return {
    type: 'datetime-local',
    value: minute + seconds,
    isUtc: zone === 'Z',
    // Browsers omit seconds that are zero.
    textOf: (value) =>
      value === ''
        ? ''
        : value + (value.length === minute.length && seconds !== '' ? zeroOf(seconds) : '') + zone,
  };
}

const zeroOf = (seconds: string): string => seconds.replaceAll(/\d/g, '0');

const isDay = (text: string): boolean => {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10));
};
