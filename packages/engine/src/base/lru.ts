/**
 * A map that drops the entries that weren't used recently when the sum of the weights exceeds a
 * limit. Entries are in two generations. A use moves an entry to the young generation. When the
 * young generation is full, it becomes the old one, and all entries of the previous old generation
 * are dropped. Nearly every hit is in the young generation. Such a hit changes nothing and costs
 * one look-up.
 */
export class Lru<K, V> {
  readonly #weightMax: number;
  #young = new Map<K, { value: V; weight: number }>();
  #old = new Map<K, { value: V; weight: number }>();
  #youngWeight = 0;

  /**
   * Creates a map. The total weight of its entries stays within this limit, unless a single entry
   * is heavier. When the map drops entries, it keeps about half of the limit or more.
   */
  constructor(weightMax: number) {
    this.#weightMax = weightMax;
  }

  get(key: K): V | undefined {
    const entry = this.#young.get(key);
    if (entry !== undefined) return entry.value;
    const aged = this.#old.get(key);
    if (aged === undefined) return undefined;
    this.#old.delete(key);
    this.#keep(key, aged);
    return aged.value;
  }

  set(key: K, value: V, weight = 1): void {
    // A value for this key in the old generation is now hidden, and is dropped with that
    // generation.
    this.#youngWeight -= this.#young.get(key)?.weight ?? 0;
    this.#keep(key, { value, weight });
  }

  delete(key: K): void {
    this.#youngWeight -= this.#young.get(key)?.weight ?? 0;
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#youngWeight = 0;
  }

  #keep(key: K, entry: { value: V; weight: number }): void {
    if (this.#youngWeight + entry.weight > this.#weightMax / 2 && this.#young.size > 0) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngWeight = 0;
    }
    this.#young.set(key, entry);
    this.#youngWeight += entry.weight;
  }
}
