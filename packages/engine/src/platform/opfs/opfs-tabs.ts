/**
 * Connects the tabs of one store. The tab that has the lock opens the files and answers the
 * requests of all tabs. Each tab repeats its unanswered requests when another tab becomes the
 * leader.
 */
import { type ErrorCode, FixpointError } from '@fixpoint/protocol';
import { createTurns, type Turns } from '../../base/turns.ts';
import type { Time } from '../../ports/time.ts';
import { storeFailure } from '../browser/transaction.ts';
import type { Leader, StoreRequest, WriteRequest } from './opfs-leader.ts';

export type TabMessage =
  | { readonly kind: 'who' }
  /** Answers `who` while the tab that has the lock opens the files, or moves a database there. */
  | { readonly kind: 'opening' }
  | { readonly kind: 'lead'; readonly leader: string }
  | {
      readonly kind: 'ask';
      readonly leader: string;
      readonly from: string;
      readonly id: number;
      readonly request: StoreRequest;
    }
  | {
      readonly kind: 'answer';
      readonly leader: string;
      readonly to: string;
      readonly id: number;
      readonly value?: unknown;
      readonly error?: { readonly code: ErrorCode; readonly message: string };
    };

export interface TabsParts {
  /** The random name of this tab. */
  readonly client: string;
  readonly channel: {
    post(message: TabMessage): void;
    listen(fn: (message: TabMessage) => void): void;
    close(): void;
  };
  /**
   * Calls `fn` when this tab has the lock, and keeps the lock until the returned promise settles.
   * The returned function cancels the request.
   */
  lock(fn: () => Promise<void>): () => void;
  /** Opens the files, which no other tab has open. */
  openLeader(): Promise<Leader>;
  readonly after: Time['after'];
}

/** How often a tab that waits asks for a sign of life, and how many may be missing. */
const [SIGN_MS, MISSING_MAX] = [5000, 6];

interface Asked {
  readonly request: StoreRequest;
  /** Whether a leader may have received the request already. */
  isSent: boolean;
  resolve(value: unknown): void;
  reject(cause: unknown): void;
}

interface TabsState extends TabsParts {
  readonly asked: Map<number, Asked>;
  readonly inTurn: Turns;
  /** Writes that wait for the answers of earlier ones. */
  queued: number;
  ids: number;
  /** The tab that leads; undefined until this tab learns of one. */
  leader: string | undefined;
  own: Leader | undefined;
  /** Why this tab couldn't open the files; undefined again once another tab leads. */
  failure: FixpointError | undefined;
  /** Whether this tab has the lock. */
  hasLock: boolean;
  /** Rejects the opening of this tab; undefined once it is open. */
  rejectOpening: ((cause: FixpointError) => void) | undefined;
  /** Signs of life of other tabs that are missing in a row. */
  missing: number;
  /** Stops the timer that runs while this tab waits for another one. */
  stopTimer: (() => void) | undefined;
  isClosed: boolean;
}

export interface Tabs {
  ask(request: Exclude<StoreRequest, WriteRequest>): Promise<unknown>;
  write(request: Omit<WriteRequest, 'name'>): Promise<boolean>;
  /** Whether this tab has the files. */
  isLeader(): boolean;
  close(): Promise<void>;
}

/**
 * Resolves once a tab leads, which may be this one.
 * @throws FixpointError CORRUPT, STORE_LOST, STORE_FAILED if this tab couldn't open the files;
 * STORE_LOCKED if a tab has the files and doesn't answer
 */
export async function openTabs(parts: TabsParts): Promise<Tabs> {
  const state: TabsState = {
    ...parts,
    asked: new Map(),
    inTurn: createTurns(),
    queued: 0,
    ids: 0,
    leader: undefined,
    own: undefined,
    failure: undefined,
    hasLock: false,
    rejectOpening: undefined,
    missing: 0,
    stopTimer: undefined,
    isClosed: false,
  };
  let release: () => void = () => undefined;
  let cancel: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await new Promise<void>((resolve, reject) => {
    state.rejectOpening = reject;
    const seek = () => {
      cancel = parts.lock(async () => {
        if (state.isClosed) return;
        state.hasLock = true;
        try {
          await lead(state);
          resolve();
          await released;
        } catch (cause) {
          state.leader = undefined;
          state.failure = storeFailure(cause);
          reject(state.failure);
          fail(state, state.failure);
        } finally {
          state.hasLock = false;
          await state.own?.close();
        }
      });
    };
    parts.channel.listen((message) => {
      receive(state, message);
      if (state.leader === undefined) return;
      resolve();
      if (state.failure === undefined) return;
      // Another tab could open the files, so this tab may be able to after it.
      state.failure = undefined;
      seek();
    });
    seek();
    parts.channel.post({ kind: 'who' });
    expectSigns(state);
  }).catch((cause) => {
    state.isClosed = true;
    state.stopTimer?.();
    cancel();
    parts.channel.close();
    throw cause;
  });
  state.rejectOpening = undefined;
  return {
    ask: (request) => ask(state, request),
    write: (request) => write(state, request),
    isLeader: () => state.own !== undefined,
    close: async () => {
      if (state.isClosed) return;
      state.isClosed = true;
      state.stopTimer?.();
      fail(state, new FixpointError('DATABASE_CLOSED'));
      cancel();
      await state.own?.close();
      release();
      parts.channel.close();
    },
  };
}

async function lead(state: TabsState): Promise<void> {
  const { client, channel, asked } = state;
  const own = await state.openLeader();
  state.own = own;
  state.leader = client;
  channel.post({ kind: 'lead', leader: client });
  for (const id of asked.keys()) send(state, id);
}

/** Rejects everything that waits. */
function fail({ asked }: TabsState, cause: unknown): void {
  for (const { reject } of asked.values()) reject(cause);
  asked.clear();
}

function receive(state: TabsState, message: TabMessage): void {
  if (state.isClosed) return;
  const { own, client, channel, asked } = state;
  if (message.kind !== 'who' && message.kind !== 'ask') state.missing = 0;
  if (message.kind === 'who' && own !== undefined) channel.post({ kind: 'lead', leader: client });
  else if (message.kind === 'who' && state.hasLock) channel.post({ kind: 'opening' });
  else if (message.kind === 'lead' && message.leader !== state.leader) {
    state.leader = message.leader;
    for (const id of asked.keys()) send(state, id);
  } else if (message.kind === 'ask' && message.leader === client && own !== undefined)
    void answer(own, state, message);
  // An answer of an earlier leader may contradict the answer to the repeated request.
  else if (message.kind === 'answer' && message.to === client && message.leader === state.leader) {
    const { error } = message;
    settle(state, message.id, (one) =>
      error === undefined ? one.resolve(message.value) : one.reject(errorOf(error)),
    );
  }
}

function settle({ asked }: TabsState, id: number, how: (one: Asked) => void): void {
  const one = asked.get(id);
  asked.delete(id);
  if (one !== undefined) how(one);
}

async function answer(
  own: Leader,
  state: TabsState,
  { from, id, request }: Extract<TabMessage, { kind: 'ask' }>,
): Promise<void> {
  const reply = { kind: 'answer', leader: state.client, to: from, id } as const;
  const message: TabMessage = await own.answer(request).then(
    (value) => ({ ...reply, value }),
    (cause) => {
      const { code, message: text } = storeFailure(cause);
      return { ...reply, error: { code, message: text } };
    },
  );
  if (!state.isClosed) state.channel.post(message);
}

/** The message of an error begins with the text of its code, which the constructor adds. */
function errorOf({ code, message }: { readonly code: ErrorCode; readonly message: string }): FixpointError {
  const error = new FixpointError(code);
  error.message = message;
  return error;
}

function ask(state: TabsState, request: StoreRequest): Promise<unknown> {
  if (state.isClosed) return Promise.reject(new FixpointError('DATABASE_CLOSED'));
  if (state.failure !== undefined) return Promise.reject(state.failure);
  return new Promise((resolve, reject) => {
    state.ids += 1;
    state.asked.set(state.ids, { request, isSent: false, resolve, reject });
    send(state, state.ids);
    expectSigns(state);
  });
}

/**
 * Rejects everything that waits for another tab if no tab gives a sign of life for too long. The
 * tab that has the lock may hang. A tab that is only busy gives a sign when it can.
 */
function expectSigns(state: TabsState): void {
  state.stopTimer ??= state.after(SIGN_MS, () => {
    state.stopTimer = undefined;
    const { asked, hasLock, rejectOpening, channel } = state;
    if (hasLock || (asked.size === 0 && rejectOpening === undefined)) {
      state.missing = 0;
      return;
    }
    state.missing += 1;
    if (state.missing <= MISSING_MAX) {
      channel.post({ kind: 'who' });
      return expectSigns(state);
    }
    state.missing = 0;
    const cause = new FixpointError('STORE_LOCKED', 'close or reload the other tabs of this site');
    rejectOpening?.(cause);
    fail(state, cause);
  });
}

/** Sends a request to the leader, if there is one. */
function send(state: TabsState, id: number): void {
  const { own, asked, client, channel, leader } = state;
  const one = asked.get(id);
  if (one === undefined || leader === undefined) return;
  if (own === undefined) {
    one.isSent = true;
    channel.post({ kind: 'ask', leader, from: client, id, request: one.request });
    return;
  }
  // No leader but this one has seen the request, so nobody can have applied it.
  const { request } = one;
  const fresh = request.do === 'write' && !one.isSent ? { ...request, name: undefined } : request;
  own.answer(fresh).then(
    (value) => settle(state, id, ({ resolve }) => resolve(value)),
    (cause) => settle(state, id, ({ reject }) => reject(storeFailure(cause))),
  );
}

/**
 * Sends one write at a time to another tab: a new leader knows only the number of the last write
 * that was applied.
 */
async function write(state: TabsState, request: Omit<WriteRequest, 'name'>): Promise<boolean> {
  if (state.own !== undefined && state.queued === 0) return (await ask(state, request)) as boolean;
  state.queued += 1;
  try {
    return await state.inTurn(async () => {
      const name = { client: state.client, number: state.ids + 1 };
      return (await ask(state, { ...request, name })) as boolean;
    });
  } finally {
    state.queued -= 1;
  }
}
