/**
 * Adds all items to the end of a list. Don't use `list.push(...items)`: its arguments are on the
 * stack, so that a call with about 120,000 items throws a RangeError.
 */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
