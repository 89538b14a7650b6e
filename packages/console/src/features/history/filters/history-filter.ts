/** The filter of the history pages, which is part of their address. */
import type { EventStamp } from 'fixpoint';
import { type People, whenWritten, whoWrote } from '../../../values/who-wrote.ts';

export interface HistoryFilter {
  /** The id of an author. */
  readonly who: string;
  /** Part of the id of a document. */
  readonly document: string;
  /** The name of a field. */
  readonly field: string;
  /** First and last day, such as `2026-11-29`, in the time zone of the browser. */
  readonly from: string;
  readonly to: string;
}

const PARAMETERS: Readonly<Record<keyof HistoryFilter, string>> = {
  who: 'who',
  document: 'document',
  field: 'changed',
  from: 'from',
  to: 'to',
};
const NAMES = Object.keys(PARAMETERS) as (keyof HistoryFilter)[];

export function filterIn(parameters: URLSearchParams): HistoryFilter {
  const of = (name: keyof HistoryFilter) => parameters.get(PARAMETERS[name]) ?? '';
  return { who: of('who'), document: of('document'), field: of('field'), from: of('from'), to: of('to') };
}

/** Returns the parameters of an address with another filter. */
export function withHistoryFilter(
  parameters: URLSearchParams,
  filter: Partial<HistoryFilter>,
): URLSearchParams {
  const next = new URLSearchParams(parameters);
  for (const name of NAMES) {
    const value = filter[name];
    if (value === '') next.delete(PARAMETERS[name]);
    else if (value !== undefined) next.set(PARAMETERS[name], value);
  }
  return next;
}

export const isHistoryFiltered = (filter: HistoryFilter): boolean =>
  NAMES.some((name) => filter[name] !== '');

/** Returns whether the author and the time of an event match. */
export function isStampWanted(
  { who, from, to }: HistoryFilter,
  stamp: EventStamp,
  own: string | undefined,
  people: People,
): boolean {
  if (who !== '' && whoWrote(stamp, own, people).id !== who) return false;
  if (from === '' && to === '') return true;
  const written = whenWritten(stamp);
  if (written === undefined) return false;
  const [first, last] = [startOf(from), startOf(to)];
  return (first === undefined || written >= first) && (last === undefined || written < nextDay(last));
}

/** Returns when a day starts; undefined for a text that is no date. */
function startOf(day: string): number | undefined {
  const ms = day === '' ? Number.NaN : new Date(`${day}T00:00`).getTime();
  return Number.isNaN(ms) ? undefined : ms;
}

/** Days of a change to or from summer time don't have 24 hours. */
function nextDay(ms: number): number {
  const next = new Date(ms);
  next.setDate(next.getDate() + 1);
  return next.getTime();
}
