/** Keeps the steps that users can undo and redo: one stack for each database of this tab. */
import { useSyncExternalStore } from 'react';
import { failureText } from '../ui/text/failure-text.ts';

/**
 * `ask`: write nothing if this would overwrite a later change of somebody else. `rest`: leave such
 * documents as they are. `all`: overwrite them.
 */
export type Mode = 'ask' | 'rest' | 'all';

/** A document that somebody else changed after the step, or that has a conflict. */
export interface Overwrite {
  readonly id: string;
  /** Whether the document has a conflict, which the write would end. */
  readonly hasConflict?: boolean;
  /** Whether the document was deleted since. */
  readonly isGone: boolean;
  /** The fields whose later values would be lost. */
  readonly fields: readonly { readonly field: string; readonly now: unknown }[];
}

export interface Outcome {
  /** Number of documents that were written. */
  readonly written: number;
  /** Documents that weren't written, or with `ask`, documents because of which nothing was. */
  readonly others: readonly Overwrite[];
}

type Run = (mode: Mode) => Promise<Outcome | undefined>;

/** Something that a user did, and can undo. */
export interface Step {
  /** Says in the past tense what the step did, without a period: "Changed title of doc-1". */
  readonly label: string;
  /** A sentence about what Undo doesn't restore. */
  readonly undoNote?: string;
  /** Number of documents that the step wrote; 1 by default. */
  readonly documents?: number;
  /** Approximate memory that the step occupies. */
  readonly bytes?: number;
  /** Undoes the step. A step that ignores the mode never asks. @throws FixpointError */
  readonly undo: Run;
  /** Does the step again. @throws FixpointError */
  readonly redo: Run;
}

export type Direction = 'undo' | 'redo';

/** Asks whether to overwrite the changes of others. */
export interface Question {
  readonly direction: Direction;
  readonly step: Step;
  readonly others: readonly Overwrite[];
  /** Number of documents written before the question; undefined before the first write. */
  readonly written?: number;
}

export interface UndoState {
  /** The latest step is the last one. */
  readonly done: readonly Step[];
  readonly undone: readonly Step[];
  /** Says what happened last; empty at first. */
  readonly news: string;
  /** Whether `news` reports a failure. */
  readonly hasFailed: boolean;
  readonly question: Question | undefined;
  readonly isBusy: boolean;
  /** When the last step was recorded, in ms since 1970. */
  readonly recordedAt: number;
}

export interface UndoStack {
  subscribe(listener: () => void): () => void;
  current(): UndoState;
  record(step: Step): void;
  /** Undoes or redoes the next step, after earlier calls. Does nothing if there is no step. */
  run(direction: Direction): Promise<void>;
  /** Answers the question; undefined leaves everything as it is. */
  answer(mode: 'rest' | 'all' | undefined): Promise<void>;
}

const STEPS_MAX = 200;
const BYTES_MAX = 32 * 1024 * 1024;
/** Number of databases whose steps are kept. The least recently used ones are dropped. */
const STACKS_MAX = 8;
const STEP_BYTES = 500;
/** Number of documents from which undoing a step takes so long that the bar says so. */
const LONG_STEP = 2000;

const NOTHING: UndoState = {
  done: [],
  undone: [],
  news: '',
  hasFailed: false,
  question: undefined,
  isBusy: false,
  recordedAt: 0,
};

interface Held {
  state: UndoState;
  readonly listeners: Set<() => void>;
  /** Settles when all earlier calls have ended. */
  turn: Promise<void>;
}

export function createUndoStack(): UndoStack {
  const held: Held = { state: NOTHING, listeners: new Set(), turn: Promise.resolve() };
  const inTurn = (work: () => Promise<void>) => {
    held.turn = held.turn.then(work);
    return held.turn;
  };
  return {
    subscribe: (listener) => {
      held.listeners.add(listener);
      return () => void held.listeners.delete(listener);
    },
    current: () => held.state,
    record: (step) =>
      show(held, {
        done: withinMemory([...held.state.done, step]),
        undone: [],
        news: `${step.label}.${noteOf(step)}`,
        hasFailed: false,
        question: undefined,
        recordedAt: Date.now(),
      }),
    run: (direction) => inTurn(() => runNext(held, direction, 'ask')),
    answer: (mode) => {
      const { question } = held.state;
      show(held, { question: undefined });
      if (question === undefined || mode === undefined) return Promise.resolve();
      return inTurn(() => runNext(held, question.direction, mode, question));
    },
  };
}

function show(held: Held, next: Partial<UndoState>): void {
  held.state = { ...held.state, ...next };
  for (const listener of [...held.listeners]) listener();
}

/** Drops the oldest steps. The latest one always stays. */
function withinMemory(steps: readonly Step[]): readonly Step[] {
  let bytes = 0;
  let kept = 0;
  for (const step of steps.toReversed()) {
    bytes += STEP_BYTES + (step.bytes ?? 0);
    if (kept > 0 && (kept === STEPS_MAX || bytes > BYTES_MAX)) break;
    kept += 1;
  }
  return steps.slice(-kept);
}

const stepFor = ({ done, undone }: UndoState, direction: Direction): Step | undefined =>
  direction === 'undo' ? done.at(-1) : undone.at(-1);

/** @param asked the question that was answered; another step may have been recorded since */
async function runNext(held: Held, direction: Direction, mode: Mode, asked?: Question): Promise<void> {
  const step = stepFor(held.state, direction);
  if (step === undefined || held.state.question !== undefined) return;
  if (asked !== undefined && asked.step !== step) return;
  const { news } = held.state;
  show(held, { isBusy: true, ...((step.documents ?? 1) >= LONG_STEP && runningNews(direction, step)) });
  try {
    const outcome = (await step[direction](mode)) ?? { written: step.documents ?? 1, others: [] };
    const written = outcome.written + (asked?.written ?? 0);
    const result = newsOf(direction, step, { ...outcome, written });
    const others = outcome.others.filter(({ hasConflict }) => mode === 'ask' || hasConflict === true);
    // With `all`, these conflicts have versions that the question didn't name.
    if (mode !== 'rest' && others.length > 0)
      show(held, {
        ...(written > 0 ? result : { news, hasFailed: false }),
        question: { direction, step, others, ...((written > 0 || mode === 'all') && { written }) },
      });
    else show(held, { ...(result.hasFailed !== true && moved(held.state, direction, step)), ...result });
  } catch (error) {
    show(held, { news: `Couldn’t ${direction} “${step.label}”: ${failureText(error)}`, hasFailed: true });
  } finally {
    show(held, { isBusy: false });
  }
}

/** Returns the steps after one was run. Steps that were recorded in the meantime stay. */
function moved({ done, undone }: UndoState, direction: Direction, step: Step): Partial<UndoState> {
  const without = (steps: readonly Step[]) => steps.filter((one) => one !== step);
  return direction === 'undo'
    ? { done: without(done), undone: [...undone, step] }
    : { undone: without(undone), done: withinMemory([...done, step]) };
}

const runningNews = (direction: Direction, { label }: Step): Partial<UndoState> => ({
  news: `${direction === 'undo' ? 'Undoing' : 'Redoing'} “${label}”...`,
  hasFailed: false,
});

const noteOf = ({ undoNote }: Step): string => (undoNote === undefined ? '' : ` ${undoNote}`);

/** Says what was written. It is a failure if nothing was, because of other documents. */
function newsOf(direction: Direction, step: Step, { written, others }: Outcome): Partial<UndoState> {
  const changed = others.filter(({ hasConflict }) => hasConflict !== true).length;
  const left = [
    changed > 0 && `${documentsText(changed)} that changed since`,
    others.length > changed && `${documentsText(others.length - changed)} with a conflict`,
  ]
    .filter(Boolean)
    .join(' and ');
  const did = direction === 'undo' ? 'Undid' : 'Redid';
  const text =
    written > 0
      ? `${did} “${step.label}”${left === '' ? '' : `, but not in ${left}`}.${noteOf(step)}`
      : left === ''
        ? `“${step.label}” is already ${direction === 'undo' ? 'undone' : 'redone'}.`
        : `Couldn’t ${direction} “${step.label}” in ${left}.`;
  return { news: text, hasFailed: written === 0 && left !== '', question: undefined };
}

export const documentsText = (count: number): string =>
  count === 1 ? '1 document' : `${count.toLocaleString('en')} documents`;

const stacks = new Map<string, UndoStack>();

/** Returns the stack of a database. It lasts until this tab is closed or reloaded. */
export function undoStackOf(database: string): UndoStack {
  const stack = stacks.get(database) ?? createUndoStack();
  stacks.delete(database);
  stacks.set(database, stack);
  for (const name of stacks.keys()) {
    if (stacks.size <= STACKS_MAX) break;
    stacks.delete(name);
  }
  return stack;
}

/** Adds a step to the stack of a database, and discards the steps that could be redone. */
export const recordStep = ({ name }: { readonly name: string }, step: Step): void =>
  undoStackOf(name).record(step);

/** Must be called when a database is deleted: another one may get the same name. */
export const forgetSteps = (database: string): void => void stacks.delete(database);

let active: UndoStack | undefined;
const watchers = new Set<() => void>();

function setActive(stack: UndoStack | undefined): void {
  active = stack;
  for (const watcher of [...watchers]) watcher();
}

/** Makes a stack the one that keys and commands use; returns a function that ends this. */
export function activate(stack: UndoStack): () => void {
  setActive(stack);
  return () => {
    if (active === stack) setActive(undefined);
  };
}

/** Returns the stack of the open page; undefined on pages without a database. */
export const activeStack = (): UndoStack | undefined => active;

function watch(listener: () => void): () => void {
  const stops = new Set<() => void>();
  const follow = () => {
    for (const stop of stops) stop();
    stops.clear();
    if (active !== undefined) stops.add(active.subscribe(listener));
    listener();
  };
  watchers.add(follow);
  if (active !== undefined) stops.add(active.subscribe(listener));
  return () => {
    watchers.delete(follow);
    for (const stop of stops) stop();
  };
}

/** Returns the state of the open page's stack, live. */
export const useActiveUndo = (): UndoState => useSyncExternalStore(watch, () => active?.current() ?? NOTHING);
