/** Indexes of a database: each follows the head by the changes since its own. They live in memory and are built by the first query. */
import { isFixpointError } from '@fixpoint/protocol';
import { Lru } from '../base/lru.ts';
import type { Snapshot } from '../commit/snapshot.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import { capturesNothing } from './captures.ts';
import { checkMap, checkOptions, type MapDefinition, type MapFunction, type QueryOptions } from './define.ts';
import { type MapRun, startMap } from './run-map.ts';
import { type Row, select } from './select.ts';
import type { Source } from './source.ts';
import { EMPTY, type IndexState } from './state.ts';
import { updated } from './update.ts';

const INDEXES_KEPT = 50;

interface Index {
  state: IndexState;
  /** Updates go one after another. */
  updating: Promise<void>;
}

export interface Indexes {
  /**
   * Rows as of the snapshot that comes with them. `sandbox` runs the text of a map function.
   * @throws FixpointError MAP_FAILED with the message of what the map function threw; QUERY_INVALID
   */
  query(
    map: MapDefinition,
    options: QueryOptions,
    sandbox?: Sandbox | undefined,
  ): Promise<{ rows: readonly Row[]; snapshot: Snapshot }>;
}

export function createIndexes(source: Source): Indexes {
  const byText = new Lru<string, Index>(INDEXES_KEPT);
  const byFunction = new WeakMap<MapFunction, Index>();

  /** A function that sees nothing but its arguments is its text; another one is known only by itself. */
  function indexFor(map: MapDefinition): Index {
    if (typeof map === 'function') {
      const known = byFunction.get(map);
      if (known !== undefined) return known;
      const text = map.toString();
      const index = capturesNothing(text) ? indexOfText(`function:${text}`) : newIndex();
      byFunction.set(map, index);
      return index;
    }
    return indexOfText(typeof map === 'string' ? `field:${map}` : `source:${map.source}`);
  }

  function indexOfText(identity: string): Index {
    const index = byText.get(identity) ?? newIndex();
    byText.set(identity, index);
    return index;
  }

  async function bringUp(index: Index, map: MapDefinition, sandbox: Sandbox | undefined): Promise<void> {
    if (isSame(index.state.snapshot, source.snapshot())) return;
    const run = await startMap(map, sandbox);
    try {
      index.state = await follow(index.state, run);
    } finally {
      run.close();
    }
  }

  /** Blocks may go while they are read: those of a snapshot when the head moves on, and those of old events when the database is compacted. */
  async function follow(before: IndexState, run: MapRun): Promise<IndexState> {
    const snapshot = source.snapshot();
    try {
      return await updated(before, source.readers, snapshot, run);
    } catch (cause) {
      if (!isFixpointError(cause, 'MISSING_BLOCK')) throw cause;
      if (snapshot !== source.snapshot()) return follow(before, run);
      if (before.snapshot.head.length === 0) throw cause;
      return follow(EMPTY, run);
    }
  }

  return {
    query: async (map, options, sandbox) => {
      checkMap(map);
      checkOptions(options);
      const index = indexFor(map);
      const done = index.updating.then(() => bringUp(index, map, sandbox));
      index.updating = done.catch(() => undefined);
      await done;
      const { state } = index;
      return { rows: await select(state, options), snapshot: state.snapshot };
    },
  };
}

const newIndex = (): Index => ({ state: EMPTY, updating: Promise.resolve() });

const isSame = (a: Snapshot, b: Snapshot): boolean =>
  a.head.length === b.head.length && a.head.every((event, at) => event === b.head[at]);
