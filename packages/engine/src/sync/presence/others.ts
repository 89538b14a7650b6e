/** The other clients that are present, from the events of the gateway. The gateway is untrusted. */
import { PRESENCE_STATE_CHARS_MAX, type PresenceEvent } from '@fixpoint/protocol/storage';
import type { PresentClient } from '../remote.ts';
import type { PresenceKeys } from './presence-keys.ts';
import { type Client, clientKey, openState, readSealed } from './seal-state.ts';

/** Clients that are remembered at most. A gateway has its own, lower limits. */
const CLIENTS_MAX = 5000;
/** Clients that left, whose earlier states are not accepted again. */
const LEFT_MAX = 5000;
const ID_CHARS_MAX = 64;
const USER_CHARS_MAX = 256;

interface Known {
  readonly client: Client;
  /** The newest text of the client. */
  text: string;
  /** The number of the shown state, which later states exceed. */
  number: number;
  /** The key of the shown state; undefined while none is shown. */
  key: string | undefined;
  subkey: { readonly name: string; readonly bytes: Promise<Uint8Array> } | undefined;
  shown: PresentClient | undefined;
  shownText: string | undefined;
}

/** Returns the public id of a client, which no client of another user can have. */
export const keyOf = (user: string, id: string): string => `${id}/${user}`;

export interface Others {
  /** Returns the clients by key. The map and its entries are the same objects until they change. */
  all(): ReadonlyMap<string, PresentClient>;
  /** Processes an event. @param isOwn returns whether a key is one of this client's, to skip it */
  take(event: unknown, isOwn: (key: string) => boolean): void;
  /** Opens states again, because keys changed, and drops those whose key is no longer accepted. */
  keysChanged(): void;
  /** Forgets everybody, because the connection is lost. */
  clear(): void;
  settled(): Promise<void>;
}

interface OthersState {
  /** Identifies the ledger, as bytes. */
  readonly bytes: Uint8Array;
  readonly keys: PresenceKeys;
  readonly changed: () => void;
  readonly known: Map<string, Known>;
  shown: ReadonlyMap<string, PresentClient>;
  /** The numbers of clients that left, by key. */
  readonly left: Map<string, number>;
  /** Clients with a text that wasn't opened yet. */
  readonly toOpen: Set<string>;
  running: Promise<void> | undefined;
}

/** @param changed called after the map changed */
export function createOthers(
  ledger: string,
  bytes: Uint8Array,
  keys: PresenceKeys,
  changed: () => void,
): Others {
  const state: OthersState = {
    ...{ bytes, keys, changed, known: new Map(), shown: new Map(), left: new Map(), toOpen: new Set() },
    running: undefined,
  };
  const { known } = state;
  return {
    all: () => state.shown,
    take: (event, isOwn) => {
      const content = contentOf(event, ledger);
      if (content === undefined) return;
      const { all, states = [], gone = [] } = content;
      const listed = all ? new Set(states.map(([id, user]) => keyOf(user, id))) : undefined;
      if (listed !== undefined) for (const key of [...known.keys()]) if (!listed.has(key)) forget(state, key);
      for (const [id, user] of gone) forget(state, keyOf(user, id));
      for (const [id, user, text] of states) if (!isOwn(keyOf(user, id))) note(state, { id, user }, text);
      openSoon(state);
    },
    keysChanged: () => {
      for (const [key, one] of known) {
        if (one.key !== undefined && keys.find(one.key) === undefined)
          // The same state may be shown again when its key is accepted again.
          Object.assign(one, {
            ...{ key: undefined, shown: undefined, shownText: undefined },
            number: one.number - 1,
          });
        state.toOpen.add(key);
      }
      openSoon(state);
    },
    clear: () => {
      for (const key of [...known.keys()]) forget(state, key);
      show(state);
    },
    settled: async () => state.running,
  };
}

function show(state: OthersState): void {
  const { known, shown } = state;
  const next = new Map([...known].flatMap(([key, one]) => (one.shown ? [[key, one.shown] as const] : [])));
  if (next.size === shown.size && [...next].every(([key, one]) => shown.get(key) === one)) return;
  state.shown = next;
  state.changed();
}

function forget({ known, toOpen, left }: OthersState, key: string): void {
  const { number = -1 } = known.get(key) ?? {};
  if (!known.delete(key)) return;
  toOpen.delete(key);
  if (number < 0) return;
  // A client whose state wasn't opened again since it left keeps the number that it had then.
  left.set(key, Math.max(left.get(key) ?? 0, number));
  if (left.size > LEFT_MAX) for (const oldest of left.keys()) if (left.delete(oldest)) break;
}

function note({ known, left, toOpen }: OthersState, client: Client, text: string): void {
  const key = keyOf(client.user, client.id);
  const one = known.get(key);
  if (one?.text === text) return;
  if (one !== undefined) one.text = text;
  else if (known.size >= CLIENTS_MAX) return;
  else {
    // The last state of a client that left is accepted again, but no earlier one.
    const number = (left.get(key) ?? 0) - 1;
    const none = { key: undefined, subkey: undefined, shown: undefined, shownText: undefined };
    known.set(key, { client, text, number, ...none });
  }
  toOpen.add(key);
}

async function open({ known, keys, bytes }: OthersState, of: string, one: Known): Promise<void> {
  const { client } = one;
  const sealed = readSealed(one.text);
  const key = sealed && keys.find(sealed.key);
  // Without the key, the client stays as it is, until the key arrives or the state is replaced.
  if (sealed === undefined || key === undefined || sealed.number <= one.number) return;
  if (one.subkey?.name !== key.name) one.subkey = { name: key.name, bytes: clientKey(key, client.id) };
  const state = await openState(bytes, client, sealed, await one.subkey.bytes).catch(() => undefined);
  // The state isn't from this client in this ledger, or something changed while it was opened.
  if (state === undefined || known.get(of) !== one || sealed.number <= one.number) return;
  if (keys.find(sealed.key) === undefined) return;
  const json = JSON.stringify(state);
  if (one.shown === undefined || one.shownText !== json) one.shown = { id: of, user: client.user, state };
  Object.assign(one, { number: sealed.number, key: sealed.key, shownText: json });
}

/** Opens the newest text of each client. Texts that arrive in the meantime replace each other. */
async function openAll(state: OthersState): Promise<void> {
  const { toOpen, known } = state;
  while (toOpen.size > 0) {
    const opened = [...toOpen];
    toOpen.clear();
    await Promise.all(
      opened.map((key) => {
        const one = known.get(key);
        return one && open(state, key, one);
      }),
    );
    show(state);
  }
  state.running = undefined;
}

function openSoon(state: OthersState): void {
  show(state);
  if (state.toOpen.size > 0) state.running ??= openAll(state);
}

/** Returns the valid parts of an event of this ledger. */
function contentOf(event: unknown, ledger: string): Omit<PresenceEvent, 'ledger'> | undefined {
  const { ledger: of, all, states, gone } = (event ?? {}) as Partial<Record<keyof PresenceEvent, unknown>>;
  if (of !== ledger) return undefined;
  return {
    ...(all === true && { all }),
    states: listOf(states).filter(isTriple),
    gone: listOf(gone).filter(isIds),
  };
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, CLIENTS_MAX) : [];
const isShort = (value: unknown, charsMax: number): value is string =>
  typeof value === 'string' && value.length <= charsMax;

function isIds(value: unknown): value is readonly [string, string] {
  if (!Array.isArray(value)) return false;
  const [id, user] = value as unknown[];
  return isShort(id, ID_CHARS_MAX) && isShort(user, USER_CHARS_MAX);
}

function isTriple(value: unknown): value is readonly [string, string, string] {
  return isIds(value) && isShort((value as readonly unknown[])[2], PRESENCE_STATE_CHARS_MAX);
}
