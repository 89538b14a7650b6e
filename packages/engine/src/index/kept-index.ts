/**
 * Maintains one index: it follows the head of its database, is loaded and saved, and is rebuilt
 * when its stored data is lost.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { Pace } from '../base/pace.ts';
import type { Head } from '../clock/event.ts';
import { isGone } from '../commit/reads.ts';
import type { Snapshot } from '../commit/snapshot.ts';
import type { IndexStore, StoredRecord } from './index-store.ts';
import { type NodeCache, NodeLost, NodeTable } from './node-table.ts';
import type { Source } from './source.ts';
import { EMPTY, type IndexState } from './state.ts';
import { type IndexRun, updated } from './update.ts';

/** Precision of the stored time of last use. */
const USE_NOTED_MS = 86_400_000;

export interface KeptIndexParts {
  readonly source: Source;
  readonly cache: NodeCache;
  /** If undefined, the index is only in memory. */
  readonly stored: { readonly definition: string; readonly store: IndexStore } | undefined;
  readonly now: () => number;
  readonly newPace: () => Pace;
  readonly report: (error: unknown) => void;
}

export interface IndexView {
  readonly table: NodeTable;
  readonly state: IndexState;
  /** The snapshot whose documents the index contains. */
  readonly snapshot: Snapshot;
  /** Call this after the view was read. */
  readonly release: () => void;
}

export class KeptIndex {
  readonly #parts: KeptIndexParts;
  #table: NodeTable;
  /** Undefined until loaded. */
  #state: IndexState | undefined;
  #saved: IndexState | undefined;
  #record: StoredRecord;
  #tidy = true;
  /** Changes of the index run one after another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: KeptIndexParts) {
    this.#parts = parts;
    this.#table = this.#newTable();
    if (parts.stored === undefined) this.#state = EMPTY;
  }

  #newTable(): NodeTable {
    const { cache, stored } = this.#parts;
    return new NodeTable({
      cache,
      readPack: stored && ((pack) => stored.store.readPack(stored.definition, pack)),
    });
  }

  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /**
   * Returns the index at the current head. Concurrent calls share one update.
   * @throws FixpointError MAP_FAILED; NodeLost
   */
  view(start: () => Promise<IndexRun>): Promise<IndexView> {
    return this.#exclusive(async () => {
      const before = this.#state ?? (await this.#load());
      this.#state = before;
      const snapshot = this.#parts.source.snapshot();
      if (isSame(before.head, snapshot.head)) return this.#viewOf(before, snapshot);
      const run = await start();
      try {
        return await this.#follow(before, run);
      } finally {
        run.close();
      }
    });
  }

  /** Returns whether the index was built before, or there is nothing to build it from. */
  isBuilt(): Promise<boolean> {
    return this.#exclusive(async () => {
      this.#state ??= await this.#load();
      return this.#state.head.length > 0 || this.#parts.source.snapshot().head.length === 0;
    });
  }

  #viewOf(state: IndexState, snapshot: Snapshot): IndexView {
    return { table: this.#table, state, snapshot, release: this.#table.hold() };
  }

  /**
   * Updates the index to the current snapshot. Blocks may disappear while they are read: blocks of
   * a snapshot when the head moves, and blocks of old events when the database is compacted.
   */
  async #follow(before: IndexState, run: IndexRun): Promise<IndexView> {
    const { source, newPace } = this.#parts;
    const snapshot = source.snapshot();
    try {
      const update = await updated(before, snapshot, {
        read: this.#table.read,
        readers: source.readers,
        run,
        pace: newPace(),
      });
      for (const change of update.changes) this.#table.apply(change);
      this.#state = update.state;
      return this.#viewOf(update.state, snapshot);
    } catch (cause) {
      if (!isGone(cause)) throw cause;
      if (snapshot !== source.snapshot()) return this.#follow(before, run);
      if (before.head.length === 0) throw cause;
      this.#beginAnew();
      return this.#follow(EMPTY, run);
    }
  }

  #beginAnew(): void {
    this.#table = this.#newTable();
    this.#state = EMPTY;
    this.#tidy = true;
  }

  async #load(): Promise<IndexState> {
    const { stored, now } = this.#parts;
    if (stored === undefined) return EMPTY;
    try {
      const { record, loaded } = await stored.store.load(stored.definition, this.#table);
      this.#record = record;
      this.#tidy = true;
      if (loaded !== undefined) {
        if (now() - loaded.usedAt < USE_NOTED_MS) this.#saved = loaded.state;
        return loaded.state;
      }
    } catch (cause) {
      await this.#discard(cause);
    }
    this.#beginAnew();
    return EMPTY;
  }

  /** Removes and reports damaged stored data. A store failure is only reported. */
  async #discard(cause: unknown): Promise<void> {
    const { stored, report } = this.#parts;
    if (!isDamage(cause)) return report(cause);
    report(new FixpointError('CORRUPT', 'an index; it is rebuilt', { cause }));
    this.#record = undefined;
    await stored?.store.discard(stored.definition).catch(report);
  }

  /**
   * Handles a node of a view that could not be read. Another tab may have saved the index and
   * removed the node. Otherwise, the stored data is damaged.
   */
  lost(lost: NodeLost): Promise<void> {
    return this.#exclusive(async () => {
      if (lost.table !== this.#table) return;
      const { stored } = this.#parts;
      const isOvertaken = async () => !(await stored?.store.isCurrent(stored.definition, this.#record));
      if (await isOvertaken().catch(() => false)) return this.#reload();
      await this.#discard(lost.cause);
      this.#beginAnew();
    });
  }

  #reload(): void {
    this.#table = this.#newTable();
    this.#state = undefined;
    this.#saved = undefined;
  }

  get isUnsaved(): boolean {
    const { stored } = this.#parts;
    return stored !== undefined && this.#state !== undefined && this.#state !== this.#saved;
  }

  /** Stores unsaved nodes, while queries and updates continue. Reports failures. */
  async save(): Promise<void> {
    const { stored, now, newPace, report } = this.#parts;
    const state = this.#state;
    const table = this.#table;
    if (stored === undefined || state === undefined || !this.isUnsaved) return;
    try {
      const record = await stored.store.save({
        definition: stored.definition,
        state,
        table,
        record: this.#record,
        usedAt: now(),
        tidy: this.#tidy,
        pace: newPace(),
      });
      await this.#exclusive(async () => {
        if (table !== this.#table) return;
        if (record === undefined) return this.#reload();
        this.#record = record;
        this.#saved = state;
        this.#tidy = false;
      });
    } catch (cause) {
      // The nodes stay in memory, and the next change retries.
      this.#saved = state;
      if (cause instanceof NodeLost) return this.lost(cause);
      if (!isDamage(cause)) return report(cause);
      await this.#exclusive(async () => {
        await this.#discard(cause);
        this.#beginAnew();
      });
    }
  }
}

/** Returns whether an error shows that the content of a row differs from what was written. */
const isDamage = (cause: unknown): boolean =>
  isFixpointError(cause) && ['CORRUPT', 'FORMAT_NEWER', 'KEY_UNKNOWN', 'MISSING_BLOCK'].includes(cause.code);

const isSame = (a: Head, b: Head): boolean =>
  a.length === b.length && a.every((event, at) => event === b[at]);
