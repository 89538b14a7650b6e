/** Keeps declared indexes current: updates them in the background after each commit. */
import type { Commits } from '../commit/commits-interface.ts';
import type { Time } from '../ports/time.ts';
import { type DeclaredIndex, isTextIndex, runOf, type TextIndex } from './declared.ts';
import type { IndexView, KeptIndex } from './kept-index.ts';
import { NodeLost } from './node-table.ts';

/** Delay between a commit and the update of the indexes, which then covers all commits since. */
const FOLLOW_AFTER_MS = 20;
/** While commits follow each other, updates take at most one fifth of the time. */
const UPDATE_SHARE = 5;

export interface DeclaredState {
  /** All declared indexes, in the order of their declaration. */
  readonly all: readonly (DeclaredIndex | TextIndex)[];
  /** Indexes of fields that can answer. */
  readonly ready: readonly DeclaredIndex[];
  /** Indexes that are being built for the first time. */
  readonly building: readonly (DeclaredIndex | TextIndex)[];
  /** Full-text indexes, in the order of their declaration. */
  readonly texts: readonly TextIndex[];
}

export interface DeclaredIndexes {
  declare(indexes: readonly (DeclaredIndex | TextIndex)[]): void;
  /** Doesn't wait for indexes that are being built. */
  state(): Promise<DeclaredState>;
  /** Updates an index, or builds it, and returns it. @throws NodeLost */
  view(index: DeclaredIndex | TextIndex): Promise<IndexView>;
  /** Call this when a view could not read a node. */
  lost(node: NodeLost): Promise<void>;
  /**
   * Ends the updates. With `save`, first updates the indexes that can answer, so that the next open
   * need not.
   */
  close(options: { readonly save: boolean }): Promise<void>;
}

/** The commits that the indexes follow. */
export type Followed = Pick<Commits, 'subscribe' | 'hold'>;

export interface DeclaredIndexesParts {
  readonly followed: Followed | undefined;
  readonly time: Time;
  readonly report: (error: unknown) => void;
  readonly newIndex: (definition: string) => KeptIndex;
  /** Called after an index was updated; `isNew` if it was built. */
  readonly onUpdated: (index: KeptIndex, isNew: boolean) => void;
}

interface Kept {
  readonly declared: DeclaredIndex | TextIndex;
  readonly index: KeptIndex;
  /** Resolves when it is known whether the index has to be built. */
  readonly loaded: Promise<void>;
  isBuilt: boolean;
}

export function createDeclaredIndexes(parts: DeclaredIndexesParts): DeclaredIndexes {
  const kept = new Map<string, Kept>();
  const loop = createLoop(parts, async (isClosing) => {
    for (const one of kept.values()) if (!isClosing()) await update(one, parts);
  });

  function add(declared: DeclaredIndex | TextIndex): void {
    if (kept.has(declared.definition)) return;
    const index = parts.newIndex(declared.definition);
    const loaded = index.isBuilt().then((isBuilt) => {
      one.isBuilt = isBuilt;
    });
    loaded.catch(parts.report);
    const one: Kept = { declared, index, isBuilt: false, loaded };
    kept.set(declared.definition, one);
  }

  return {
    declare: (indexes) => {
      for (const declared of indexes) add(declared);
      if (kept.size > 0) loop.start();
    },
    state: async () => {
      const all = [...kept.values()];
      await Promise.all(all.map(({ loaded }) => loaded));
      return {
        all: all.map(({ declared }) => declared),
        ready: all.flatMap(({ isBuilt, declared }) => (isBuilt && !isTextIndex(declared) ? declared : [])),
        building: all.filter(({ isBuilt }) => !isBuilt).map(({ declared }) => declared),
        texts: all.map(({ declared }) => declared).filter(isTextIndex),
      };
    },
    view: async ({ definition }) => {
      const one = kept.get(definition) as Kept;
      const view = await one.index.view(async () => runOf(one.declared));
      updated(one, parts);
      return view;
    },
    lost: async (node) => {
      for (const { index } of kept.values()) await index.lost(node);
    },
    close: async ({ save }) => {
      await loop.end();
      await Promise.allSettled([...kept.values()].map(({ loaded }) => loaded));
      if (save) for (const one of kept.values()) if (one.isBuilt) await update(one, parts);
    },
  };
}

/** Updates an index to the current head. Reports failures. */
async function update(one: Kept, parts: DeclaredIndexesParts): Promise<void> {
  const { declared, index } = one;
  const { followed, report } = parts;
  const held = followed?.hold();
  try {
    await one.loaded;
    (await index.view(async () => runOf(declared))).release();
    updated(one, parts);
  } catch (cause) {
    if (cause instanceof NodeLost) await index.lost(cause);
    else report(cause);
  } finally {
    held?.release();
  }
}

function updated(one: Kept, { onUpdated }: DeclaredIndexesParts): void {
  const isNew = !one.isBuilt;
  one.isBuilt = true;
  onUpdated(one.index, isNew);
}

interface Loop {
  /** Starts an update soon, and after each commit from now on. */
  start(): void;
  /** Resolves when no update runs, and none will. */
  end(): Promise<void>;
}

/** Runs updates after commits, one at a time. */
function createLoop(
  { followed, time }: Pick<DeclaredIndexesParts, 'followed' | 'time'>,
  updateAll: (isClosing: () => boolean) => Promise<void>,
): Loop {
  let updating: Promise<void> | undefined;
  let cancelNext: (() => void) | undefined;
  let stopFollowing: (() => void) | undefined;
  let isBehind = false;
  let isEnded = false;
  let tookMs = 0;

  function updateSoon(): void {
    isBehind = true;
    if (isEnded || cancelNext !== undefined || updating !== undefined) return;
    const waitMs = Math.max(FOLLOW_AFTER_MS, tookMs * (UPDATE_SHARE - 1));
    cancelNext = time.after(waitMs, () => {
      cancelNext = undefined;
      updating = run();
    });
  }

  async function run(): Promise<void> {
    const begunAt = time.now();
    isBehind = false;
    await updateAll(() => isEnded);
    tookMs = time.now() - begunAt;
    updating = undefined;
    if (isBehind) updateSoon();
  }

  return {
    start: () => {
      stopFollowing ??= followed?.subscribe(updateSoon);
      updateSoon();
    },
    end: async () => {
      isEnded = true;
      stopFollowing?.();
      cancelNext?.();
      await updating;
    },
  };
}
