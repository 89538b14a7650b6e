/**
 * Presence of this client in a ledger: sends its state over the connection of the sync, and shows
 * the states of others. Nothing is stored.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { PRESENCE_EVENT, PRESENCE_FEATURE, type PresenceAnswer } from '@fixpoint/protocol/storage';
import { base58Text } from '../../codec/base58.ts';
import { encode } from '../../codec/dag-cbor.ts';
import { asFailure } from '../failures.ts';
import type { Presence, PresenceStatus } from '../remote.ts';
import type { SyncParts } from '../sync-progress.ts';
import type { Connection } from '../transport/connection.ts';
import { createOthers, keyOf, type Others } from './others.ts';
import { presenceHandle } from './presence-handle.ts';
import { createPresenceKeys, type PresenceKeys } from './presence-keys.ts';
import { clientKey, type PresenceKey, sealState } from './seal-state.ts';
import { stateText } from './state-text.ts';

/** Least interval between two states that are sent. */
const SEND_MS = 100;
/** Waits before a try after the gateway rejected a state. Each wait doubles the previous one. */
const RETRY_FIRST_MS = 1000;
const RETRY_MOST_MS = 30_000;
const ID_BYTES = 16;
/** Number of earlier ids of this client that are remembered. */
const EARLIER_MAX = 100;
/** How long `detach` waits until the gateway knows that this client leaves. */
const LEAVE_MS = 500;
/** How often to look whether the previous key has expired, which nothing else reports. */
const KEYS_MS = 5000;

export type PresenceParts = Pick<SyncParts, 'session' | 'status' | 'ledger' | 'link' | 'downloads'>;

/** The place of this client at the gateway, over one connection. */
interface Line {
  readonly connection: Connection;
  /** Undefined until the gateway has said whether it supports presence. */
  isSupported: boolean | undefined;
  /** The id of this user, as others receive it; undefined until the gateway has said it. */
  user: string | undefined;
  id: string;
  /** Number of states sent under this id. */
  number: number;
  subkey: { readonly of: string; readonly bytes: Uint8Array } | undefined;
  /** Whether the gateway may count this client as present. */
  hasEntered: boolean;
  /** The state and the key that were sent; undefined before the first request. */
  sent: { readonly text: string | undefined; readonly key: string | undefined } | undefined;
}

interface PresenceState {
  readonly parts: PresenceParts;
  readonly ledgerBytes: Uint8Array;
  readonly keys: PresenceKeys;
  readonly others: Others;
  /**
   * The keys that this client has and had. The gateway lists an earlier one until it notices that
   * the connection is lost.
   */
  readonly own: Set<string>;
  /** The id over the previous connection. */
  before: string | undefined;
  readonly handles: Set<() => void>;
  readonly listeners: Set<() => void>;
  me: object | undefined;
  /** The JSON text of `me`. */
  text: string | undefined;
  status: PresenceStatus;
  line: Line | undefined;
  isSending: boolean;
  /** When the next request may be sent. */
  nextAt: number;
  retryMs: number;
  stopTimer: () => void;
  isOver: boolean;
}

const entered = new WeakMap<PresenceParts['session'], PresenceState>();

/** Enters the presence of a ledger, or joins the presence that this attachment has already. */
export function enterPresence<T extends object>(parts: PresenceParts, me: T | undefined): Presence<T> {
  const { session } = parts;
  if (session.signal.aborted) throw new FixpointError('CONNECTION_NOT_OPEN');
  const text = me === undefined ? undefined : stateText(me);
  const state = entered.get(session) ?? begin(parts);
  if (text !== undefined) setState(state, me, text);
  return presenceHandle<T>(state, {
    set: (next, nextText) => setState(state, next, nextText),
    end: () => end(state),
  });
}

function begin(parts: PresenceParts): PresenceState {
  const { session, ledger, downloads } = parts;
  const { tenant, ledger: name } = session.target;
  const ledgerBytes = encode([tenant, name]);
  const { now } = session.platform.time;
  const keys = createPresenceKeys({ ledger, listed: downloads.keys, ledgerBytes, now });
  const state: PresenceState = {
    parts,
    ledgerBytes,
    keys,
    others: createOthers(name, ledgerBytes, keys, () => tell(state)),
    own: new Set(),
    before: undefined,
    handles: new Set(),
    listeners: new Set(),
    me: undefined,
    text: undefined,
    status: { state: 'connecting' },
    line: undefined,
    isSending: false,
    nextAt: Number.NEGATIVE_INFINITY,
    retryMs: RETRY_FIRST_MS,
    stopTimer: () => undefined,
    isOver: false,
  };
  entered.set(session, state);
  const stop = () => end(state);
  session.signal.addEventListener('abort', stop);
  void follow(state).finally(() => session.signal.removeEventListener('abort', stop));
  return state;
}

/** Looks at the connection and the keys after each change of the sync. */
async function follow(state: PresenceState): Promise<void> {
  const { status } = state.parts;
  while (!state.isOver) {
    const changed = status.next();
    look(state);
    await changed;
  }
}

function tell({ listeners, parts }: PresenceState): void {
  for (const listener of [...listeners])
    try {
      listener();
    } catch (cause) {
      parts.session.platform.report(new FixpointError('SUBSCRIBER', undefined, { cause }));
    }
}

function show(state: PresenceState, status: PresenceStatus): void {
  const { state: before, error } = state.status;
  if (before === status.state && error?.code === status.error?.code) return;
  state.status = status;
  tell(state);
}

function setState(state: PresenceState, me: object | undefined, text: string | undefined): void {
  state.me = me;
  state.text = text;
  tell(state);
  look(state);
}

/**
 * Leaves. `detach` waits for the request before it closes the connection. If the request is lost,
 * the gateway notices when the connection ends.
 */
function end(state: PresenceState): void {
  if (state.isOver) return;
  const { line, parts, handles } = state;
  state.isOver = true;
  state.stopTimer();
  entered.delete(parts.session);
  if (line !== undefined) {
    delete line.connection.presence;
    if (line.hasEntered) line.connection.leaving = leaveSoon(state, line);
  }
  state.me = undefined;
  state.text = undefined;
  state.status = { state: 'connecting' };
  state.others.clear();
  for (const finish of [...handles]) finish();
}

/** Resolves when the gateway has answered, or after `LEAVE_MS`. */
function leaveSoon(state: PresenceState, line: Line): Promise<void> {
  return new Promise((resolve) => {
    const stop = state.parts.session.platform.time.after(LEAVE_MS, resolve);
    const done = () => {
      stop();
      resolve();
    };
    ask(state, line, { leave: true }).then(done, done);
  });
}

/** Follows the connection, and sends what has to be sent. */
function look(state: PresenceState): void {
  if (state.isOver) return;
  const { parts, others, keys } = state;
  const connection = parts.link.connection();
  if (connection !== state.line?.connection) {
    if (state.line !== undefined) {
      delete state.line.connection.presence;
      if (state.line.number > 0) state.before = state.line.id;
    }
    state.line = connection && lineOver(state, connection);
    state.nextAt = Number.NEGATIVE_INFINITY;
    state.retryMs = RETRY_FIRST_MS;
    others.clear();
    show(state, { state: 'connecting' });
  }
  if (keys.refresh()) others.keysChanged();
  sendSoon(state);
}

function lineOver(state: PresenceState, connection: Connection): Line {
  const line: Line = {
    connection,
    isSupported: undefined,
    user: undefined,
    id: newClientId(state),
    number: 0,
    subkey: undefined,
    hasEntered: false,
    sent: undefined,
  };
  connection.presence = (text) => {
    if (!text.startsWith(PRESENCE_EVENT)) return false;
    if (state.keys.refresh()) state.others.keysChanged();
    state.others.take(parsed(text), (key) => state.own.has(key));
    return true;
  };
  return line;
}

/** Returns the value of JSON text; undefined for other text, which a hostile gateway may send. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const newClientId = ({ parts }: PresenceState): string =>
  base58Text(parts.session.platform.random.bytes(ID_BYTES)).padStart(ID_BYTES, '1');

/** Sends the state when it is due. One request is under way at a time; the latest state wins. */
function sendSoon(state: PresenceState): void {
  const { line, keys, parts, nextAt } = state;
  const { time } = parts.session.platform;
  state.stopTimer();
  if (line === undefined || line.isSupported === false || state.isSending || state.isOver) return;
  const key = keys.current();
  if (key === undefined) {
    if (parts.ledger.sealing() !== undefined)
      show(state, { state: 'refused', error: new FixpointError('DEVICE_NOT_APPROVED') });
    state.stopTimer = time.after(KEYS_MS, () => look(state));
    return;
  }
  const isSent =
    line.sent !== undefined &&
    line.sent.text === state.text &&
    (state.text === undefined || line.sent.key === key.name);
  if (isSent) {
    state.stopTimer = time.after(KEYS_MS, () => look(state));
    return;
  }
  const wait = nextAt - time.now();
  if (wait > 0) {
    state.stopTimer = time.after(wait, () => look(state));
    return;
  }
  state.isSending = true;
  void send(state, line, key, state.text)
    .catch((cause) => rejected(state, line, cause))
    .finally(() => {
      state.isSending = false;
      look(state);
    });
}

async function send(
  state: PresenceState,
  line: Line,
  key: PresenceKey,
  text: string | undefined,
): Promise<void> {
  const { time } = state.parts.session.platform;
  state.nextAt = time.now() + SEND_MS;
  if (line.isSupported === undefined) {
    const { gestalt } = await line.connection.request('reqGestalt', 'resGestalt', {});
    const { features } = gestalt as { readonly features?: unknown };
    line.isSupported = Array.isArray(features) && features.includes(PRESENCE_FEATURE);
    if (!line.isSupported) return show(state, { state: 'unsupported' });
  }
  line.hasEntered = true;
  const { before } = state;
  // The user is bound into the state. The first answer says it.
  const first = line.user === undefined && (await ask(state, line, { ...(before && { before }) }));
  if (first) line.user = userIn(first);
  const { user = '' } = line;
  rememberOwn(state, keyOf(user, line.id));
  const sealed = text === undefined ? undefined : await sealedText(state, line, key, user, text);
  if (state.isOver || state.line !== line) return;
  line.sent = { text, key: key.name };
  const answer = sealed === undefined && first ? first : await ask(state, line, { state: sealed });
  const { refused } = answer as PresenceAnswer;
  if (state.isOver || state.line !== line) return;
  state.before = undefined;
  if (refused === undefined) {
    state.retryMs = RETRY_FIRST_MS;
    return show(state, { state: 'present' });
  }
  throw new FixpointError(refused === 'CONFLICT' ? 'CONFLICT' : 'LIMIT_REACHED', 'presence');
}

function userIn(answer: unknown): string {
  const { user } = answer as PresenceAnswer;
  if (typeof user !== 'string') throw new FixpointError('UNEXPECTED_RESPONSE', 'presence without a user');
  return user;
}

/** Remembers a key of this client. */
function rememberOwn({ own }: PresenceState, key: string): void {
  own.delete(key);
  own.add(key);
  if (own.size > EARLIER_MAX) for (const oldest of own) if (own.delete(oldest)) break;
}

async function sealedText(
  { parts, ledgerBytes }: PresenceState,
  line: Line,
  key: PresenceKey,
  user: string,
  text: string,
): Promise<string> {
  const { id } = line;
  const of = `${id} ${key.name}`;
  if (line.subkey?.of !== of) line.subkey = { of, bytes: await clientKey(key, id) };
  line.number += 1;
  const { random } = parts.session.platform;
  return sealState(ledgerBytes, { user, id }, line.number, text, key, line.subkey.bytes, random);
}

const ask = ({ parts }: PresenceState, { connection, id }: Line, fields: object) => {
  const { tenant, ledger } = parts.session.target;
  return connection.request('reqPresence', 'resPresence', {
    tenant: { tenant, ledger },
    presence: { id, ...fields },
  });
};

/** Plans the next try after a failure. A lost connection is noticed and replaced by the sync. */
function rejected(state: PresenceState, line: Line, cause: unknown): void {
  const error = asFailure(cause);
  const { time } = state.parts.session.platform;
  if (state.isOver || state.line !== line) return;
  line.sent = undefined;
  if (isFixpointError(error, 'NOT_IMPLEMENTED')) {
    line.isSupported = false;
    show(state, { state: 'unsupported' });
    return;
  }
  if (isFixpointError(error, 'CONFLICT')) {
    // Somebody else has this id. The next one is new, and so are its numbers.
    line.id = newClientId(state);
    line.number = 0;
  }
  state.nextAt = time.now() + state.retryMs;
  state.retryMs = Math.min(state.retryMs * 2, RETRY_MOST_MS);
  show(state, { state: 'refused', error });
}
