import type { Cid } from '../codec/cid.ts';
import { firstAfter, firstFrom } from './locate.ts';
import { type Entry, isLeaf, type ReadNode, type Value } from './node.ts';

/** Limits a scan to keys from `from` (inclusive) to `to` (exclusive). Undefined sets no limit. */
export interface ScanBounds {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly descending?: boolean | undefined;
}

/** Yields the entries within bounds, in order, leaf by leaf. Reads each node only when needed. */
export async function* scan(
  read: ReadNode,
  root: Cid | undefined,
  bounds: ScanBounds,
): AsyncGenerator<readonly Entry<Value>[]> {
  if (root === undefined) return;
  const node = await read(root);
  const { from, to } = bounds;
  if (isLeaf(node)) {
    const found = slice(node.entries, from === undefined ? 0 : firstFrom(node.entries, from), to);
    if (found.length > 0) yield bounds.descending === true ? found.toReversed() : found;
    return;
  }
  const children = slice(
    node.entries,
    from === undefined ? 0 : Math.max(0, firstAfter(node.entries, from) - 1),
    to,
  );
  for (const [, child] of bounds.descending === true ? children.toReversed() : children)
    yield* scan(read, child, bounds);
}

function slice<Payload>(
  entries: readonly Entry<Payload>[],
  start: number,
  to: string | undefined,
): readonly Entry<Payload>[] {
  const end = to === undefined ? entries.length : firstFrom(entries, to);
  return start === 0 && end === entries.length ? entries : entries.slice(start, Math.max(start, end));
}
