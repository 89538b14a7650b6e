/** The order of a log: which entries are in the past of which. */
import type { EntryId, LogEntry } from './entry.ts';

const BITS = 32;

export interface Past {
  /** The entries whose whole past is known. Each one follows all entries of its past. */
  readonly entries: readonly LogEntry[];
  /** Returns whether the first entry is in the past of the second one. No entry is in its own. */
  isBefore(first: EntryId, second: EntryId): boolean;
  /** Returns the length of the longest path back to an entry without a past. */
  depthOf(id: EntryId): number;
}

/** Entries whose past isn't complete are left out, until the missing entries arrive. */
export function pastOf(given: Iterable<LogEntry>): Past {
  const entries = sorted(given);
  const places = new Map(entries.map(({ id }, place) => [id, place]));
  const words = Math.ceil(entries.length / BITS);
  const pasts: Uint32Array[] = [];
  const depths: number[] = [];
  for (const { prev } of entries) {
    const past = new Uint32Array(words);
    let depth = 0;
    for (const id of prev) {
      const place = places.get(id) as number;
      const before = pasts[place] as Uint32Array;
      for (let word = 0; word < words; word++) past[word] = (past[word] as number) | (before[word] as number);
      past[Math.floor(place / BITS)] = (past[Math.floor(place / BITS)] as number) | (1 << (place % BITS));
      depth = Math.max(depth, 1 + (depths[place] as number));
    }
    pasts.push(past);
    depths.push(depth);
  }
  return {
    entries,
    isBefore: (first, second) => {
      const [place, after] = [places.get(first), places.get(second)];
      if (place === undefined || after === undefined) return false;
      const word = (pasts[after] as Uint32Array)[Math.floor(place / BITS)] as number;
      return ((word >>> (place % BITS)) & 1) === 1;
    },
    depthOf: (id) => depths[places.get(id) ?? -1] ?? 0,
  };
}

/** Sorts entries so that each one follows all entries of its past. */
function sorted(given: Iterable<LogEntry>): LogEntry[] {
  const all = new Map<EntryId, LogEntry>();
  for (const entry of given) all.set(entry.id, entry);
  const followers = new Map<EntryId, LogEntry[]>();
  const missing = new Map<EntryId, number>();
  for (const entry of all.values()) {
    const prev = new Set(entry.prev);
    missing.set(entry.id, prev.size);
    for (const id of prev) followers.set(id, [...(followers.get(id) ?? []), entry]);
  }
  const ready = [...all.values()].filter(({ prev }) => prev.length === 0);
  const found: LogEntry[] = [];
  for (let entry = ready.pop(); entry !== undefined; entry = ready.pop()) {
    found.push(entry);
    for (const next of followers.get(entry.id) ?? []) {
      const left = (missing.get(next.id) as number) - 1;
      missing.set(next.id, left);
      if (left === 0) ready.push(next);
    }
  }
  return found;
}
