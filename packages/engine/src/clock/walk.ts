/**
 * Walks back from several start events at once. The walk finds from which starts each visited event
 * can be reached. If histories meet, the walk stops long before the first event. Events carry no
 * generation numbers, so one path may pass the event where another path joins. When the other path
 * arrives there, the walk updates the events that it has already visited.
 */
import type { Cid } from '../codec/cid.ts';
import type { ReadEvent } from './event.ts';

/** A set of starts: bit n stands for start n. */
export type Reach = bigint;

export interface Visit {
  /** The starts that are known to descend from the event. A start reaches itself. */
  reach: Reach;
  /** Empty until the event is read. */
  parents: readonly Cid[];
  isRead: boolean;
}

interface Walk {
  readonly visits: ReadonlyMap<Cid, Visit>;
  /** Recounts open events. Call this when `isOpen` has become false for more reaches. */
  recount(): void;
}

export interface WalkRules {
  /**
   * Returns whether the walk can still find anything below an event with this reach. Once the
   * result is false for a reach, it must remain false when the reach gets more starts. The walk
   * stops when no unread event is open.
   */
  isOpen(reach: Reach): boolean;
  /** Called when the walk reaches a known event from more starts. */
  onMet?(event: Cid, reach: Reach, walk: Walk): void;
  /**
   * Called for an event without parents. Returns whether to read back to the first events even if
   * no event is open.
   */
  readsAll?(event: Cid, reach: Reach): boolean;
}

/** Walks back from the starts. @throws FixpointError MISSING_BLOCK, CORRUPT */
export async function walkBack(
  starts: readonly (readonly [Cid, Reach])[],
  read: ReadEvent,
  rules: WalkRules,
): Promise<ReadonlyMap<Cid, Visit>> {
  const visits = new Map<Cid, Visit>();
  const waiting: (Visit & { readonly cid: Cid })[] = [];
  let next = 0;
  let open = 0;
  let readsAll = false;
  const walk: Walk = {
    visits,
    recount: () => {
      open = waiting.slice(next).filter(({ reach }) => rules.isOpen(reach)).length;
    },
  };

  function reachedFrom(event: Cid, reach: Reach): void {
    const told: [Cid, Reach][] = [[event, reach]];
    for (let step = told.pop(); step !== undefined; step = told.pop()) {
      const [cid, more] = step;
      const visit = visits.get(cid);
      if (visit === undefined) {
        const fresh = { cid, reach: more, parents: [], isRead: false };
        visits.set(cid, fresh);
        waiting.push(fresh);
        if (rules.isOpen(more)) open++;
        continue;
      }
      const all = visit.reach | more;
      if (all === visit.reach) continue;
      if (!visit.isRead && rules.isOpen(visit.reach) && !rules.isOpen(all)) open--;
      visit.reach = all;
      rules.onMet?.(cid, all, walk);
      for (const parent of visit.parents) told.push([parent, all]);
    }
  }

  for (const [event, reach] of starts) reachedFrom(event, reach);
  while (open > 0 || readsAll) {
    const visit = waiting[next];
    if (visit === undefined) break;
    const { parents } = await read(visit.cid);
    next++;
    if (rules.isOpen(visit.reach)) open--;
    visit.parents = parents;
    visit.isRead = true;
    if (parents.length === 0 && rules.readsAll?.(visit.cid, visit.reach) === true) readsAll = true;
    for (const parent of parents) reachedFrom(parent, visit.reach);
  }
  return visits;
}
