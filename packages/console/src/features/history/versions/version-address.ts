/** Encodes a past version of a database in the search part of an address. */
import type { Head } from 'fixpoint';

export const atSearch = (head: readonly string[]): string => `at=${head.map(encodeURIComponent).join(',')}`;

/** Returns the search part of an address with another head; keeps other parameters. */
export function searchAt(parameters: URLSearchParams, head: readonly string[]): string {
  const others = new URLSearchParams(parameters);
  others.delete('at');
  return [atSearch(head), others.toString()].filter(Boolean).join('&');
}

/** Address parameter: show the differences since the head instead of all documents. */
export const COMPARED = 'changes';

/** Returns the head that an address names; undefined for the current version. */
export function headIn(parameters: URLSearchParams): readonly string[] | undefined {
  const events = parameters.get('at')?.split(',').filter(Boolean) ?? [];
  return events.length === 0 ? undefined : events;
}

export const sameHead = (a: Head | readonly string[], b: Head | readonly string[]): boolean =>
  a.length === b.length && a.every((event, at) => event === b[at]);
