/** A past state of a database, as the search part of an address. */
import type { Head } from 'fixpoint';

export const atSearch = (head: readonly string[]): string => `at=${head.map(encodeURIComponent).join(',')}`;

/** The search part of an address, at another head. */
export function searchAt(parameters: URLSearchParams, head: readonly string[]): string {
  const others = new URLSearchParams(parameters);
  others.delete('at');
  return [atSearch(head), others.toString()].filter(Boolean).join('&');
}

/** In an address beside a head: what differs from then is shown, and not all documents. */
export const COMPARED = 'changes';

/** The head that an address names; undefined for now. */
export function headIn(parameters: URLSearchParams): readonly string[] | undefined {
  const events = parameters.get('at')?.split(',').filter(Boolean) ?? [];
  return events.length === 0 ? undefined : events;
}

export const sameHead = (a: Head | readonly string[], b: Head | readonly string[]): boolean =>
  a.length === b.length && a.every((event, at) => event === b[at]);
