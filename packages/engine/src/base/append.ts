/**
 * Adds all items to the end of a list. Use it instead of `list.push(...items)`, whose arguments
 * lie on the stack: from about 120,000 items on, such a call throws a RangeError.
 */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
