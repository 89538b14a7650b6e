/** The other clients that are present, from the events of the gateway. The gateway is untrusted. */
import { PRESENCE_STATE_CHARS_MAX, type PresenceEvent } from '@fixpoint/protocol/storage';
import type { PresentClient } from '../remote.ts';
import type { PresenceKeys } from './presence-keys.ts';
import { clientKey, openState, readSealed } from './seal-state.ts';

/** Clients that are remembered at most. A gateway has its own, lower limits. */
const CLIENTS_MAX = 5000;
/** Clients that left, whose earlier states are not accepted again. */
const LEFT_MAX = 5000;
const ID_CHARS_MAX = 64;
const USER_CHARS_MAX = 256;

interface Known {
  readonly user: string;
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

export interface Others {
  /** Returns the clients by id. The map and its entries are the same objects until they change. */
  all(): ReadonlyMap<string, PresentClient>;
  /** Processes an event. @param own the id of this client, which is skipped */
  take(event: unknown, own: string | undefined): void;
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
  /** The numbers of clients that left. */
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
    take: (event, own) => {
      const content = contentOf(event, ledger);
      if (content === undefined) return;
      const { all, states = [], gone = [] } = content;
      const listed = all ? new Set(states.map(([id]) => id)) : undefined;
      if (listed !== undefined) for (const id of [...known.keys()]) if (!listed.has(id)) forget(state, id);
      for (const id of gone) forget(state, id);
      for (const [id, user, text] of states) if (id !== own) note(state, id, user, text);
      openSoon(state);
    },
    keysChanged: () => {
      for (const [id, one] of known) {
        if (one.key !== undefined && keys.find(one.key) === undefined)
          // The same state may be shown again when its key is accepted again.
          Object.assign(one, {
            ...{ key: undefined, shown: undefined, shownText: undefined },
            number: one.number - 1,
          });
        state.toOpen.add(id);
      }
      openSoon(state);
    },
    clear: () => {
      for (const id of [...known.keys()]) forget(state, id);
      show(state);
    },
    settled: async () => state.running,
  };
}

function show(state: OthersState): void {
  const { known, shown } = state;
  const next = new Map([...known].flatMap(([id, one]) => (one.shown ? [[id, one.shown] as const] : [])));
  if (next.size === shown.size && [...next].every(([id, one]) => shown.get(id) === one)) return;
  state.shown = next;
  state.changed();
}

function forget({ known, toOpen, left }: OthersState, id: string): void {
  const { number = -1 } = known.get(id) ?? {};
  if (!known.delete(id)) return;
  toOpen.delete(id);
  if (number < 0) return;
  // A client whose state wasn't opened again since it left keeps the number that it had then.
  left.set(id, Math.max(left.get(id) ?? 0, number));
  if (left.size > LEFT_MAX) for (const oldest of left.keys()) if (left.delete(oldest)) break;
}

function note(state: OthersState, id: string, user: string, text: string): void {
  const { known, left, toOpen } = state;
  const before = known.get(id);
  // An id never changes its user. If it seems to, the gateway showed another client's state.
  if (before !== undefined && before.user !== user) forget(state, id);
  const one = known.get(id);
  if (one?.text === text) return;
  if (one !== undefined) one.text = text;
  else if (known.size >= CLIENTS_MAX) return;
  else {
    // The last state of a client that left is accepted again, but no earlier one.
    const number = (left.get(id) ?? 0) - 1;
    const none = { key: undefined, subkey: undefined, shown: undefined, shownText: undefined };
    known.set(id, { user, text, number, ...none });
  }
  toOpen.add(id);
}

async function open({ known, keys, bytes }: OthersState, id: string, one: Known): Promise<void> {
  const sealed = readSealed(one.text);
  const key = sealed && keys.find(sealed.key);
  // Without the key, the client stays as it is, until the key arrives or the state is replaced.
  if (sealed === undefined || key === undefined || sealed.number <= one.number) return;
  if (one.subkey?.name !== key.name) one.subkey = { name: key.name, bytes: clientKey(key, id) };
  const state = await openState(bytes, id, sealed, await one.subkey.bytes).catch(() => undefined);
  // The state isn't from this client in this ledger, or something changed while it was opened.
  if (state === undefined || known.get(id) !== one || sealed.number <= one.number) return;
  if (keys.find(sealed.key) === undefined) return;
  const json = JSON.stringify(state);
  if (one.shown === undefined || one.shownText !== json) one.shown = { id, user: one.user, state };
  Object.assign(one, { number: sealed.number, key: sealed.key, shownText: json });
}

/** Opens the newest text of each client. Texts that arrive in the meantime replace each other. */
async function openAll(state: OthersState): Promise<void> {
  const { toOpen, known } = state;
  while (toOpen.size > 0) {
    const ids = [...toOpen];
    toOpen.clear();
    await Promise.all(
      ids.map((id) => {
        const one = known.get(id);
        return one && open(state, id, one);
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
    gone: listOf(gone).filter((id) => isShort(id, ID_CHARS_MAX)),
  };
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, CLIENTS_MAX) : [];
const isShort = (value: unknown, charsMax: number): value is string =>
  typeof value === 'string' && value.length <= charsMax;

function isTriple(value: unknown): value is readonly [string, string, string] {
  if (!Array.isArray(value)) return false;
  const [id, user, text] = value as unknown[];
  return (
    isShort(id, ID_CHARS_MAX) && isShort(user, USER_CHARS_MAX) && isShort(text, PRESENCE_STATE_CHARS_MAX)
  );
}
