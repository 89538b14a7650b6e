/**
 * Indexes of a database. The first query that needs an index builds it, and later queries update it
 * with the changes since its head. Declared indexes are built in the background, and updated after
 * each commit. If a text identifies an index (the name of a field, or the source of a map
 * function), the index is saved in the background, and loaded when the database is reopened. Other
 * indexes are only in memory.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { checkBounds } from '../base/check-options.ts';
import { Lru } from '../base/lru.ts';
import { createPace } from '../base/pace.ts';
import type { LocalRows } from '../commit/local-rows.ts';
import type { Snapshot } from '../commit/snapshot.ts';
import { pathOfField } from '../documents/field-path.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { Time } from '../ports/time.ts';
import {
  type DeclaredIndex,
  declaredAmong,
  type IndexDeclaration,
  MISSING_KEY,
  parseDeclarations,
  type TextIndex,
} from './declared.ts';
import {
  createDeclaredIndexes,
  type DeclaredIndexes,
  type DeclaredState,
  type Followed,
} from './declared-indexes.ts';
import { checkMap, definitionOf, type MapDefinition, type MapFunction, type QueryOptions } from './define.ts';
import { createIndexStore } from './index-store.ts';
import { type IndexView, KeptIndex } from './kept-index.ts';
import type { KeyRanges } from './key-ranges.ts';
import { mapIndexRun } from './map-edits.ts';
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
/** The same delay for declared indexes, which change with each commit. */
const SAVE_DECLARED_AFTER_MS = 2000;
/** Work runs this long before it yields. */
const SLICE_MS = 12;
/**
 * Maximum number of attempts of one query. An attempt fails when another tab's save removed a node,
 * or when stored data is damaged. After damage, the index is rebuilt in memory, so that fails only
 * once. The other attempts are for saves of other tabs.
 */
const ATTEMPTS_MAX = 5;
/**
 * A declared index also has entries for null and missing values. A query by the name of a field
 * skips them.
 */
const KEYS_OF_FIELDS: KeyRanges = [
  { from: 'B', to: MISSING_KEY },
  { from: 'M', to: undefined },
];

export interface IndexesParts {
  readonly source: Source;
  /** If undefined, all indexes are only in memory. */
  readonly local: LocalRows | undefined;
  readonly time: Time;
  readonly report: (error: unknown) => void;
  /** The commits that declared indexes follow. Undefined if the source never changes. */
  readonly followed: Followed | undefined;
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
   * Keeps these indexes current from now on, in addition to those declared before. `stored`: those
   * that any application declared in this database.
   * @throws FixpointError CONFIG_INVALID
   */
  declare(declarations: readonly IndexDeclaration[] | 'stored'): Promise<void>;
  /** Returns the declared indexes. */
  declared(): Promise<DeclaredState>;
  /**
   * Calls `read` with these declared indexes at the current snapshot. Calls it again if a stored
   * index turns out to be damaged, or was replaced by another tab.
   * @returns undefined if the head moved while the indexes were updated, so that they are at
   * different snapshots
   */
  readDeclared<T>(
    indexes: readonly (DeclaredIndex | TextIndex)[],
    read: (views: readonly IndexView[], snapshot: Snapshot) => Promise<T>,
  ): Promise<T | undefined>;
  /**
   * Resolves when all saving has stopped. With `save`, first saves the indexes whose save is still
   * pending.
   */
  close(options: { readonly save: boolean }): Promise<void>;
}

export function createIndexes({ source, local, time, followed, ...parts }: IndexesParts): Indexes {
  // An update or a save may run while the database closes.
  const report = (cause: unknown) => {
    if (!isFixpointError(cause, 'DATABASE_CLOSED')) parts.report(cause);
  };
  const store = local && createIndexStore(local);
  const cache = createNodeCache();
  const saves = createSaves(time);
  const newPace = () => createPace(time, SLICE_MS);
  const newIndex = (definition: string | undefined): KeptIndex => {
    const stored = definition === undefined || store === undefined ? undefined : { definition, store };
    return new KeptIndex({ source, cache, stored, now: () => time.now(), newPace, report });
  };
  const declared = createDeclaredIndexes({
    followed,
    time,
    report,
    newIndex,
    // A page that creates an index may be closed soon afterwards.
    onUpdated: (index, isNew) => saves.later(index, isNew ? 0 : SAVE_DECLARED_AFTER_MS),
  });
  const indexFor = createLookup(newIndex);

  /** Returns the declared index that answers a query by the name of a field. */
  async function declaredFor(map: MapDefinition): Promise<DeclaredIndex | undefined> {
    if (typeof map !== 'string') return undefined;
    const field = pathOfField(map).text;
    const { ready } = await declared.state();
    return ready.find(
      ({ fields, prefix }) => prefix === '' && fields.length === 1 && fields[0]?.text === field,
    );
  }

  /** Selects rows of a view, and releases the view. */
  async function answer(view: IndexView, options: QueryOptions, keys?: KeyRanges) {
    const { table, state, snapshot, release } = view;
    try {
      return { rows: await select(table.read, state, options, newPace(), keys), snapshot };
    } finally {
      release();
    }
  }

  return {
    query: async (map, options, sandbox) => {
      checkMap(map);
      checkBounds(options);
      const own = await declaredFor(map);
      if (own !== undefined)
        return reading(async () => answer(await declared.view(own), options, KEYS_OF_FIELDS), declared.lost);
      const index = indexFor(map);
      const view = () => index.view(async () => mapIndexRun(await startMap(map, sandbox)));
      const found = await reading(
        async () => answer(await view(), options),
        (node) => index.lost(node),
      );
      saves.later(index, SAVE_AFTER_MS);
      return found;
    },
    declare: async (declarations) =>
      declared.declare(
        declarations === 'stored'
          ? declaredAmong((await store?.definitions()) ?? [])
          : parseDeclarations(declarations),
      ),
    declared: declared.state,
    readDeclared: (indexes, read) => reading(() => readTogether(declared, indexes, read), declared.lost),
    close: async (options) => {
      await declared.close(options);
      await saves.close(options);
    },
  };
}

/**
 * Returns a function that finds or creates the index of a map. A function that uses only its
 * arguments is identified by its text. Any other function is identified by the function object.
 */
function createLookup(newIndex: (definition: string | undefined) => KeptIndex) {
  const byDefinition = new Lru<string, KeptIndex>(INDEXES_KEPT);
  const byFunction = new WeakMap<MapFunction, KeptIndex>();
  return (map: MapDefinition): KeptIndex => {
    const known = typeof map === 'function' ? byFunction.get(map) : undefined;
    if (known !== undefined) return known;
    const definition = definitionOf(map);
    const index = (definition !== undefined && byDefinition.get(definition)) || newIndex(definition);
    if (definition !== undefined) byDefinition.set(definition, index);
    if (typeof map === 'function') byFunction.set(map, index);
    return index;
  };
}

/** Reads declared indexes at one snapshot; see {@link Indexes.readDeclared}. */
async function readTogether<T>(
  declared: DeclaredIndexes,
  indexes: readonly (DeclaredIndex | TextIndex)[],
  read: (views: readonly IndexView[], snapshot: Snapshot) => Promise<T>,
): Promise<T | undefined> {
  const views: IndexView[] = [];
  try {
    for (const index of indexes) views.push(await declared.view(index));
    const [first, ...others] = views;
    if (first === undefined || others.some(({ snapshot }) => snapshot !== first.snapshot)) return undefined;
    return await read(views, first.snapshot);
  } finally {
    for (const { release } of views) release();
  }
}

/** Repeats a read when a stored node is lost. */
async function reading<T>(read: () => Promise<T>, lost: (node: NodeLost) => Promise<void>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (cause) {
      if (!(cause instanceof NodeLost)) throw cause;
      if (attempt === ATTEMPTS_MAX) throw new FixpointError('CORRUPT', 'an index', { cause: cause.cause });
      await lost(cause);
    }
  }
}

/** Saves indexes in the background. Saves of the same index never run at the same time. */
function createSaves(time: Time) {
  /** Indexes waiting to be saved, each with a function that cancels its timer. */
  const waiting = new Map<KeptIndex, () => void>();
  const saving = new Map<KeptIndex, Promise<void>>();
  let isClosed = false;

  function later(index: KeptIndex, afterMs: number): void {
    if (isClosed || !index.isUnsaved || waiting.has(index) || saving.has(index)) return;
    waiting.set(
      index,
      time.after(afterMs, () => {
        waiting.delete(index);
        const done = index.save().finally(() => {
          saving.delete(index);
          later(index, Math.max(afterMs, SAVE_AFTER_MS));
        });
        saving.set(index, done);
      }),
    );
  }

  return {
    /** Saves an index with unsaved changes after this time. */
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
