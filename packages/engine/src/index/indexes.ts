/**
 * Indexes of a database. The first query that needs an index builds it. Later queries update the
 * index with the changes since the head of the index. Indexes that a text identifies are stored in
 * the background, and loaded when the database is reopened. Other indexes are only in memory.
 */
import { FixpointError } from '@fixpoint/protocol';
import { checkBounds } from '../base/check-options.ts';
import { Lru } from '../base/lru.ts';
import { createPace } from '../base/pace.ts';
import type { LocalRows } from '../commit/local-rows.ts';
import type { Snapshot } from '../commit/snapshot.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { Time } from '../ports/time.ts';
import { checkMap, definitionOf, type MapDefinition, type MapFunction, type QueryOptions } from './define.ts';
import { createIndexStore } from './index-store.ts';
import { KeptIndex } from './kept-index.ts';
import { createNodeCache, NodeLost } from './node-table.ts';
import { startMap } from './run-map.ts';
import { type Row, select } from './select.ts';
import type { Source } from './source.ts';

const INDEXES_KEPT = 50;
/**
 * Delay after a query before its index is saved, together with the changes of other queries in that
 * time.
 */
const SAVE_AFTER_MS = 500;
/** Work runs this long before it yields. */
const SLICE_MS = 12;
/**
 * Maximum number of attempts of one query. Stored nodes can be lost once, and once more for each
 * concurrent save of another tab. Then the index is rebuilt in memory, where nodes aren't lost.
 */
const ATTEMPTS_MAX = 5;

export interface IndexesParts {
  readonly source: Source;
  /** If undefined, all indexes are only in memory. */
  readonly local: LocalRows | undefined;
  readonly time: Time;
  readonly report: (error: unknown) => void;
}

export interface Indexes {
  /**
   * Returns rows, and the snapshot that they reflect. `sandbox` runs the source text of a map
   * function.
   * @throws FixpointError MAP_FAILED with the message of the error that the map function threw;
   * QUERY_INVALID
   */
  query(
    map: MapDefinition,
    options: QueryOptions,
    sandbox?: Sandbox | undefined,
  ): Promise<{ rows: readonly Row[]; snapshot: Snapshot }>;
  /**
   * Resolves when all saving has stopped. With `save`, first saves the indexes whose save is still
   * pending.
   */
  close(options: { readonly save: boolean }): Promise<void>;
}

export function createIndexes({ source, local, time, report }: IndexesParts): Indexes {
  const store = local && createIndexStore(local);
  const cache = createNodeCache();
  const byDefinition = new Lru<string, KeptIndex>(INDEXES_KEPT);
  const byFunction = new WeakMap<MapFunction, KeptIndex>();
  const saves = createSaves(time);

  const newPace = () => createPace(time, SLICE_MS);

  function newIndex(definition: string | undefined): KeptIndex {
    const stored = definition === undefined || store === undefined ? undefined : { definition, store };
    return new KeptIndex({ source, cache, stored, now: () => time.now(), newPace, report });
  }

  /**
   * A function that uses only its arguments is identified by its text. Any other function is
   * identified by the function object.
   */
  function indexFor(map: MapDefinition): KeptIndex {
    const known = typeof map === 'function' ? byFunction.get(map) : undefined;
    if (known !== undefined) return known;
    const definition = definitionOf(map);
    const index = (definition !== undefined && byDefinition.get(definition)) || newIndex(definition);
    if (definition !== undefined) byDefinition.set(definition, index);
    if (typeof map === 'function') byFunction.set(map, index);
    return index;
  }

  async function ask(
    index: KeptIndex,
    map: MapDefinition,
    options: QueryOptions,
    sandbox: Sandbox | undefined,
  ) {
    const { table, state, snapshot, release } = await index.view(() => startMap(map, sandbox));
    try {
      return { rows: await select(table.read, state, options, newPace()), snapshot };
    } finally {
      release();
    }
  }

  return {
    query: async (map, options, sandbox) => {
      checkMap(map);
      checkBounds(options);
      const index = indexFor(map);
      for (let attempt = 1; ; attempt++) {
        try {
          const answer = await ask(index, map, options, sandbox);
          saves.later(index);
          return answer;
        } catch (cause) {
          if (!(cause instanceof NodeLost)) throw cause;
          if (attempt === ATTEMPTS_MAX)
            throw new FixpointError('CORRUPT', 'an index', { cause: cause.cause });
          await index.lost(cause);
        }
      }
    },
    close: saves.close,
  };
}

/** Saves indexes in the background. Saves of the same index never run at the same time. */
function createSaves(time: Time) {
  /** Indexes waiting to be saved, each with a function that cancels its timer. */
  const waiting = new Map<KeptIndex, () => void>();
  const saving = new Map<KeptIndex, Promise<void>>();
  let isClosed = false;

  function later(index: KeptIndex): void {
    if (isClosed || !index.isUnsaved || waiting.has(index) || saving.has(index)) return;
    waiting.set(
      index,
      time.after(SAVE_AFTER_MS, () => {
        waiting.delete(index);
        const done = index.save().finally(() => {
          saving.delete(index);
          later(index);
        });
        saving.set(index, done);
      }),
    );
  }

  return {
    /** Saves an index with unsaved changes after {@link SAVE_AFTER_MS}. */
    later,
    close: async ({ save }: { readonly save: boolean }): Promise<void> => {
      isClosed = true;
      const changed = new Set([...waiting.keys(), ...saving.keys()]);
      for (const cancel of waiting.values()) cancel();
      waiting.clear();
      await Promise.all(saving.values());
      if (save) for (const index of changed) await index.save();
    },
  };
}
