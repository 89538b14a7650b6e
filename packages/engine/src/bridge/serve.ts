/** The worker's end of the bridge: serves databases to the page at the other end. */
import { FixpointError } from '@fixpoint/protocol';
import type { Database, DatabaseOptions } from '../database/database.ts';
import { type BridgePort, lineOver } from './line.ts';
import type { ToPage, ToWorker, WorkerMarks } from './messages.ts';
import { createPageEnd, type PageEnd } from './page-end.ts';
import { databaseThing, type Thing } from './things.ts';
import { type PackParts, pack, type UnpackParts, unpack } from './values.ts';

/** The worker sends neither functions nor signals to the page. */
const FOR_PAGE: PackParts = { fn: () => 0, signal: () => 0, areOwn: true };
const packForPage = (value: unknown): unknown => pack(value, FOR_PAGE);

/** Opens a database in the worker. */
export type OpenInWorker = (name: string, options: DatabaseOptions) => Database;

interface ServeState {
  readonly open: OpenInWorker;
  readonly post: (message: ToPage) => void;
  /** Records whether the page remembers that something was stored under this name. */
  readonly learnMark: (storageName: string, isWritten: boolean) => void;
  readonly things: Map<number, Thing>;
  readonly signals: Map<number, AbortController>;
  readonly asked: Map<number, (answer: { value: unknown; failed: boolean }) => void>;
  asks: number;
  readonly pageEnd: PageEnd;
}

export function serveWith(port: BridgePort, open: OpenInWorker, marks: WorkerMarks): void {
  const line = lineOver(port, {
    onMessage: (message) => receive(state, message as ToWorker),
    // Other events, such as errors of the worker's own script, don't end the page.
    onEnd: (reason) => reason === 'close' && pageEnd.end(),
  });
  const pageEnd = createPageEnd();
  const post = (message: ToPage) => line.post(message);
  const state: ServeState = {
    open,
    post,
    learnMark: marks((storageName, isWritten) => post({ do: 'mark', storageName, isWritten })),
    things: new Map(),
    signals: new Map(),
    asked: new Map(),
    asks: 0,
    pageEnd,
  };
}

function receive(state: ServeState, message: ToWorker): void {
  const { things, signals, asked } = state;
  switch (message.do) {
    case 'open':
      return void things.set(message.as, openThing(state, message));
    case 'call':
      call(state, message);
      return;
    case 'drop':
      return void things.delete(message.on);
    case 'abort':
      signals.get(message.signal)?.abort();
      return void signals.delete(message.signal);
    case 'answer':
      asked.get(message.id)?.({ value: unpack(message.value, partsOf(state)), failed: message.failed });
      return void asked.delete(message.id);
  }
}

/**
 * Opens a database. If opening fails, each call of the database rejects with the reason, and other
 * databases stay usable.
 */
function openThing(
  { open, learnMark, pageEnd }: ServeState,
  { name, options, isWritten }: Extract<ToWorker, { do: 'open' }>,
): Thing {
  try {
    learnMark(name, isWritten);
    return databaseThing(open(name, options as DatabaseOptions), pageEnd);
  } catch (cause) {
    return { call: () => Promise.reject(cause) };
  }
}

/**
 * Starts a call before awaiting anything, so that calls start in the order in which they arrive.
 */
function call(state: ServeState, { id, on, verb, args, as }: Extract<ToWorker, { do: 'call' }>): void {
  const thing = state.things.get(on);
  const answer = (value: unknown, failed: boolean) =>
    state.post({ do: 'answer', id, value: packForPage(value), failed });
  const done = (result: unknown): void => {
    if (as !== undefined) state.things.set(as, result as Thing);
    thing?.beforeAnswer?.();
    answer(as === undefined ? result : undefined, false);
  };
  const failed = (cause: unknown) => answer(cause instanceof Error ? cause : new Error(String(cause)), true);
  try {
    if (thing === undefined) throw new FixpointError('DATABASE_CLOSED');
    const result = thing.call(verb, unpack(args, partsOf(state)) as unknown[]);
    if (result instanceof Promise) result.then(done, failed);
    else done(result);
  } catch (cause) {
    failed(cause);
  }
}

/**
 * Returns the functions that unpack arguments. The worker reaches functions and signals of the page
 * by their numbers.
 */
const partsOf = (state: ServeState): UnpackParts => ({
  fn:
    (fn) =>
    (...args) =>
      askPage(state, fn, args),
  signal: (id) => {
    const controller = state.signals.get(id) ?? new AbortController();
    state.signals.set(id, controller);
    return controller.signal;
  },
  file: () => Promise.reject(new FixpointError('NOT_IMPLEMENTED')),
});

/** Calls a function of the page. */
function askPage(state: ServeState, fn: number, args: unknown[]): Promise<unknown> {
  const answer = new Promise<unknown>((resolve, reject) => {
    state.asks += 1;
    state.asked.set(state.asks, ({ value, failed }) => {
      if (failed) reject(value);
      else resolve(value);
    });
    state.post({ do: 'ask', id: state.asks, fn, args: packForPage(args) });
  });
  // If the caller ignores the result, a failure must not become an unhandled rejection.
  answer.catch(() => undefined);
  return answer;
}
