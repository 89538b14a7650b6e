/** Answers the requests of all tabs, in the tab that has the files. */
import { equalBytes } from '../../base/bytes.ts';
import type { Guard, StoreChange } from '../../ports/byte-store.ts';
import {
  append,
  attempt,
  closeLog,
  commit,
  type LogParts,
  type LogState,
  openLog,
  readRow,
  shrink,
} from './opfs-log.ts';

/** Prefix of keys that the store itself uses. */
const OWN = '\0';
const DONE = `${OWN}done/`;

/** Identifies a write of another tab, so that it is applied at most once. */
interface WriteName {
  readonly client: string;
  /** Increases with each write of the client, which sends one write at a time. */
  readonly number: number;
}

export interface WriteRequest {
  readonly do: 'write';
  readonly changes: readonly StoreChange[];
  readonly guard?: Pick<Guard, 'key' | 'bytes'> | undefined;
  readonly name?: WriteName | undefined;
}

export type StoreRequest =
  | { readonly do: 'read'; readonly key: string; readonly from?: number; readonly length?: number }
  | { readonly do: 'readPrefix' | 'keys'; readonly prefix: string }
  | { readonly do: 'sync' | 'shrink' }
  | WriteRequest;

export interface Leader {
  answer(request: StoreRequest): Promise<unknown>;
  /** Completes the writes that wait, and closes the files. */
  close(): Promise<void>;
}

interface Waiting {
  readonly request: WriteRequest;
  resolve(isDone: boolean): void;
  reject(cause: unknown): void;
}

interface LeaderState {
  readonly log: LogState;
  /** The last write of each client, and its answer. */
  readonly answers: Map<string, { readonly number: number; readonly answer: Promise<boolean> }>;
  waiting: Waiting[];
}

/**
 * Opens the log. Closes the files if that fails, because another tab can't open them otherwise.
 * @param isKnown whether the store was written before
 * @param liveClients returns the clients that may repeat a write
 * @param turn resolves after the messages that have already arrived
 * @throws FixpointError CORRUPT, STORE_LOST; DOMException
 */
export async function openLeader(
  parts: LogParts,
  isKnown: boolean,
  liveClients: () => Promise<ReadonlySet<string>>,
  turn: () => Promise<void>,
): Promise<Leader> {
  try {
    return createLeader(openLog(parts, isKnown), await liveClients(), turn);
  } catch (cause) {
    closeLog(parts);
    throw cause;
  }
}

function createLeader(log: LogState, liveClients: ReadonlySet<string>, turn: () => Promise<void>): Leader {
  const state: LeaderState = { log, answers: new Map(), waiting: [] };
  let writing: Promise<void> = Promise.resolve();
  forgetDead(log, liveClients);
  const enqueue = (request: WriteRequest) =>
    new Promise<boolean>((resolve, reject) => {
      state.waiting.push({ request, resolve, reject });
      if (state.waiting.length === 1) writing = turn().then(() => writeWaiting(state));
    });
  return {
    answer: async (request) =>
      request.do === 'write' ? writeOnce(state, request, enqueue) : answerNow(log, request),
    close: async () => {
      await writing;
      closeLog(log);
    },
  };
}

/**
 * Removes the numbers of clients that have ended. Ignores a failure, because the store must open
 * even on a full disk, so that the user can delete documents. The next leader tries again.
 */
function forgetDead(log: LogState, liveClients: ReadonlySet<string>): void {
  const dead = [...log.rows.keys()].filter(
    (key) => key.startsWith(DONE) && !liveClients.has(key.slice(DONE.length)),
  );
  if (dead.length === 0) return;
  attempt(() => {
    append(
      log,
      dead.map((key) => ({ key, bytes: undefined })),
    );
    commit(log);
  });
}

function answerNow(log: LogState, request: Exclude<StoreRequest, WriteRequest>): unknown {
  switch (request.do) {
    case 'read':
      return readRow(log, request.key, request.from, request.length);
    case 'keys':
      return keysOf(log, request.prefix);
    case 'readPrefix':
      return new Map(keysOf(log, request.prefix).map((key) => [key, readRow(log, key) as Uint8Array]));
    case 'sync':
      return commit(log, true);
    case 'shrink':
      return shrink(log);
  }
}

const keysOf = ({ rows }: LogState, prefix: string): string[] =>
  [...rows.keys()].filter((key) => key.startsWith(prefix) && !key.startsWith(OWN)).sort();

/** A repeated write gets the answer of the first attempt, also from a new leader. */
function writeOnce(
  { log, answers }: LeaderState,
  request: WriteRequest,
  enqueue: (request: WriteRequest) => Promise<boolean>,
): Promise<boolean> {
  const { name } = request;
  if (name === undefined) return enqueue(request);
  const last = answers.get(name.client);
  if (last?.number === name.number) return last.answer;
  if (numberIn(log, name.client) === name.number) return Promise.resolve(true);
  const answer = enqueue(request);
  answers.set(name.client, { number: name.number, answer });
  return answer;
}

function numberIn(log: LogState, client: string): number | undefined {
  const bytes = readRow(log, DONE + client);
  return bytes && new DataView(bytes.buffer).getFloat64(0);
}

/** Writes everything that waits, with one flush. */
function writeWaiting(state: LeaderState): void {
  const { log, waiting } = state;
  state.waiting = [];
  const written: Waiting[] = [];
  for (const one of waiting) {
    try {
      if (!guardHolds(log, one.request.guard)) one.resolve(false);
      else {
        append(log, [...one.request.changes, ...doneRow(one.request.name)]);
        written.push(one);
      }
    } catch (cause) {
      one.reject(cause);
    }
  }
  if (written.length === 0) return;
  try {
    commit(log);
    for (const { resolve } of written) resolve(true);
  } catch (cause) {
    for (const { reject } of written) reject(cause);
  }
}

function guardHolds(log: LogState, guard: WriteRequest['guard']): boolean {
  if (guard === undefined) return true;
  const found = readRow(log, guard.key);
  return found && guard.bytes ? equalBytes(found, guard.bytes) : found === guard.bytes;
}

function doneRow(name: WriteName | undefined): readonly StoreChange[] {
  if (name === undefined) return [];
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, name.number);
  return [{ key: DONE + name.client, bytes }];
}
