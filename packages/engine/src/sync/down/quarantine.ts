/**
 * Holds meta entries that couldn't be merged, each with the time of its next try, so that they
 * don't block others.
 */
import type { FixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import type { Platform } from '../../ports/platform.ts';
import { type BackOff, type BackOffPlan, createBackOff } from '../back-off.ts';

const RETRY: BackOffPlan = { firstMs: 200, mostMs: 2000, patientAfter: 150, patientMostMs: 60_000 };

interface Held {
  readonly entry: MetaEntry;
  readonly backOff: BackOff;
  tries: number;
  dueAt: number;
  failure: FixpointError;
}

export interface Quarantine {
  hold(entry: MetaEntry, failure: FixpointError): void;
  release(cid: string): void;
  /** Returns the entries whose next try is due. */
  due(): readonly MetaEntry[];
  /** Makes all entries due, because something changed. */
  makeDue(): void;
  size(): number;
  has(cid: string): boolean;
  cids(): readonly string[];
  /** Returns why the most recently held entry failed. */
  failure(): FixpointError | undefined;
  /** Returns the number of tries of the least-tried entry. */
  triesMin(): number;
}

export function createQuarantine({ time, random }: Pick<Platform, 'time' | 'random'>): Quarantine {
  const held = new Map<string, Held>();
  return {
    hold: (entry, failure) => {
      const known = held.get(entry.cid);
      const backOff = known?.backOff ?? createBackOff(random, RETRY);
      const tries = (known?.tries ?? 0) + 1;
      held.delete(entry.cid);
      held.set(entry.cid, { entry, backOff, tries, dueAt: time.now() + backOff.nextMs(), failure });
    },
    release: (cid) => void held.delete(cid),
    due: () => {
      const now = time.now();
      // No wait is longer than this maximum. A longer one means that the clock was set back.
      const isDue = ({ dueAt }: Held) => dueAt <= now || dueAt > now + RETRY.patientMostMs;
      return [...held.values()].filter(isDue).map(({ entry }) => entry);
    },
    makeDue: () => {
      for (const one of held.values()) one.dueAt = 0;
    },
    size: () => held.size,
    has: (cid) => held.has(cid),
    cids: () => [...held.keys()],
    failure: () => [...held.values()].at(-1)?.failure,
    triesMin: () => {
      let least = Number.POSITIVE_INFINITY;
      for (const { tries } of held.values()) least = Math.min(least, tries);
      return least;
    },
  };
}
