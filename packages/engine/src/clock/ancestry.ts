import type { Cid } from '../codec/cid.ts';

/**
 * Maximum number of entries in all lists of ancestors, about 16 MB. Histories in which hundreds of
 * devices write at the same time, or that somebody made up, may need more.
 */
const ENTRIES_MAX = 4_000_000;

interface Place {
  readonly chain: number;
  /** The number of earlier events in the chain. */
  readonly at: number;
  /**
   * The number of events at the start of each other chain that are ancestors. Events that follow
   * each other share it.
   */
  readonly seen: Uint32Array;
}

/**
 * Says whether an event is an ancestor of another one, without reading events. Each event has a
 * place in a chain, in which each event is an ancestor of the next one. There are about as many
 * chains as devices that write at the same time.
 */
export class Ancestry {
  readonly #places = new Map<Cid, Place>();
  readonly #lengths: number[] = [];
  #left: number;

  constructor(entriesMax = ENTRIES_MAX) {
    this.#left = entriesMax;
  }

  /** Adds an event. The caller adds its parents first. */
  add(cid: Cid, parents: readonly Cid[]): void {
    const places: Place[] = [];
    for (const parent of parents) {
      const place = this.#places.get(parent);
      if (place === undefined) return;
      places.push(place);
    }
    const last = places.find(({ chain, at }) => this.#lengths[chain] === at + 1);
    if (last !== undefined && places.length === 1) {
      this.#put(cid, last.chain, last.seen);
      return;
    }
    this.#left -= this.#lengths.length;
    if (this.#left < 0) return;
    const seen = new Uint32Array(this.#lengths.length);
    for (const place of places) {
      for (const [chain, count] of place.seen.entries()) seen[chain] = Math.max(seen[chain] as number, count);
      seen[place.chain] = Math.max(seen[place.chain] as number, place.at + 1);
    }
    const free = last?.chain ?? this.#lengths.findIndex((length, chain) => seen[chain] === length);
    this.#put(cid, free === -1 ? this.#lengths.push(0) - 1 : free, seen);
  }

  /** Returns undefined if only a walk can tell. */
  isAncestor(cid: Cid, of: Cid): boolean | undefined {
    const [place, other] = [this.#places.get(cid), this.#places.get(of)];
    if (place === undefined || other === undefined) return undefined;
    if (place.chain === other.chain) return place.at < other.at;
    return (other.seen[place.chain] ?? 0) > place.at;
  }

  #put(cid: Cid, chain: number, seen: Uint32Array): void {
    const at = this.#lengths[chain] as number;
    this.#lengths[chain] = at + 1;
    this.#places.set(cid, { chain, at, seen });
  }
}
