/**
 * Describes the events that a device withholds, and what accepting one of them brings along
 * (docs/internals/membership-rules.md, E6).
 */
import type { Cid } from '../../codec/cid.ts';
import type { EarlierChanges, WithheldEvent } from '../../crypto/ledger-keys.ts';
import type { Membership } from '../../membership/evaluate.ts';
import type { EventHistory, EventRules } from '../../membership/events.ts';
import { nameIn } from './log-state.ts';

/** Number of newest events of which the earlier changes are listed. */
const NEWEST = 20;
/** Maximum number of earlier changes that are listed with an event. */
const EARLIER_MAX = 100;
/** Why a user can't accept an event: nobody in the list signed it, or the list isn't complete. */
const UNTRUSTED: ReadonlySet<string> = new Set(['unknown device', 'not signed', 'unknown entry']);

/** Returns whether a user who may write can accept an event: a member signed it. */
export const isAcceptable = ({ signer, reason }: WithheldEvent): boolean =>
  signer !== undefined && !UNTRUSTED.has(reason);

/**
 * Describes withheld events.
 * @param cids the events, the newest ones last
 * @param withheld all withheld events that the last walk reached
 */
export type DescribeWithheld = (
  cids: readonly Cid[],
  withheld: ReadonlySet<string>,
) => Promise<readonly WithheldEvent[]>;

/** Returns a function that remembers what it found, as long as the log stays the same. */
export function describerOf(
  rules: Pick<EventRules, 'reasonOf'>,
  { eventOf }: Pick<EventHistory, 'eventOf'>,
  membership: Membership,
): DescribeWithheld {
  const described = new Map<string, WithheldEvent>();
  const earlier = new Map<string, EarlierChanges>();

  async function describe(id: string): Promise<WithheldEvent | undefined> {
    const known = described.get(id);
    const event = known === undefined ? await eventOf(id) : undefined;
    if (event === undefined) return known;
    const { reason, seat } = await rules.reasonOf(event);
    const found = { event: id, reason, signer: nameIn(membership, seat?.person) };
    described.set(id, found);
    return found;
  }

  /** Returns the withheld ancestors of an event, by signer. */
  async function earlierThan(start: string, withheld: ReadonlySet<string>): Promise<EarlierChanges> {
    const counts = new Map<string | undefined, number>();
    const seen = new Set<string>();
    const open = [start];
    for (let id = open.pop(); id !== undefined && seen.size <= EARLIER_MAX; id = open.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      const signer = id === start ? undefined : (await describe(id))?.signer;
      if (id !== start) counts.set(signer, (counts.get(signer) ?? 0) + 1);
      for (const parent of (await eventOf(id))?.parents ?? []) if (withheld.has(parent)) open.push(parent);
    }
    const isNamed = (one: readonly [string | undefined, number]) => one[0] !== undefined;
    const all = [...counts];
    return [...all.filter(isNamed), ...all.filter((one) => !isNamed(one))].map(([signer, count]) => ({
      ...{ signer, count },
    }));
  }

  return async (cids, withheld) => {
    const found: WithheldEvent[] = [];
    for (const [at, cid] of cids.entries()) {
      const one = await describe(cid);
      if (one === undefined) continue;
      const isListed = at >= cids.length - NEWEST && isAcceptable(one);
      // An event that the walk didn't reach keeps its ancestors.
      if (isListed && withheld.has(cid)) earlier.set(cid, await earlierThan(cid, withheld));
      const before = isListed ? earlier.get(cid) : undefined;
      found.push(before === undefined ? one : { ...one, earlier: before });
    }
    return found;
  };
}
