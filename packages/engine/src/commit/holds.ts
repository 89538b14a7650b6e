/** Tracks the snapshots of slow readers, which compaction must keep. */
import type { Snapshot } from './snapshot.ts';

export interface Hold {
  readonly snapshot: Snapshot;
  /** Releases the snapshot. Call it once, when the reader is done or gave up. */
  release(): void;
}

export interface Holds {
  take(snapshot: Snapshot): Hold;
  list(): readonly Snapshot[];
}

export function createHolds(): Holds {
  const holds = new Set<Hold>();
  return {
    take: (snapshot) => {
      const hold: Hold = { snapshot, release: () => void holds.delete(hold) };
      holds.add(hold);
      return hold;
    },
    list: () => [...new Set([...holds].map(({ snapshot }) => snapshot))],
  };
}
