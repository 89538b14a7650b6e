export interface Change {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/**
 * Returns one change from `before` to `after`, without the common beginning and end of both texts;
 * undefined when the texts are equal.
 */
export function smallestChange(before: string, after: string): Change | undefined {
  if (before === after) return undefined;
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before.charCodeAt(head) === after.charCodeAt(head)) head += 1;
  let tail = 0;
  while (
    tail < most - head &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail += 1;
  return { from: head, to: before.length - tail, insert: after.slice(head, after.length - tail) };
}
