import type { Cid } from '../codec/cid.ts';
import { type Head, type ReadEvent, sortHead } from './event.ts';
import { walkBack } from './walk.ts';

/**
 * Returns the head after an event became known. No event of a head is an ancestor of another.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export const advance = (head: Head, event: Cid, read: ReadEvent): Promise<Head> =>
  mergeHeads(head, [event], read);

/**
 * Merges two heads: returns their events without those that are ancestors of another. Merging is
 * commutative, associative and idempotent, so replicas agree in whatever order heads arrive (P1). A
 * merge reads back to where the histories meet, and reads every event that only one side has. So a
 * history with a gap never becomes part of a head.
 * @throws FixpointError MISSING_BLOCK when an ancestor cannot be read; CORRUPT
 */
export async function mergeHeads(a: Head, b: Head, read: ReadEvent): Promise<Head> {
  const candidates = sortHead([...a, ...b]);
  if (candidates.length < 2) return candidates;
  const bits = new Map(candidates.map((cid, at) => [cid, 1n << BigInt(at)]));
  let alive = (1n << BigInt(candidates.length)) - 1n;
  await walkBack([...bits], read, {
    isOpen: (reach) => (reach & alive) !== alive,
    onMet: (event, _, walk) => {
      const bit = bits.get(event) ?? 0n;
      if ((alive & bit) === 0n) return;
      alive &= ~bit;
      walk.recount();
    },
  });
  return sortHead([...bits].filter(([, bit]) => (alive & bit) !== 0n).map(([cid]) => cid));
}
