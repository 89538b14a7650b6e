/**
 * Messages between gateways about states. A message is untrusted, because anyone on the bus can
 * send it, and is short enough for a notification of PostgreSQL.
 */
import { PRESENCE_ID, PRESENCE_STATE } from '@fixpoint/protocol/storage';

/** Longest message in characters. All of them are ASCII. */
export const PEER_CHARS_MAX = 7800;
/** Ids of gateways, ledgers and users. */
const NAME = /^[!#-[\]-~]{1,200}$/;
const COUNT_MAX = 1000;
/** Number of pairs of ids that fit into one message, however long they are. */
const GONE_TOGETHER = 30;

type Ids = readonly [id: string, user: string];

export interface PeerMessage {
  /** The id of the gateway that sent the message. */
  readonly from: string;
  readonly ledger: string;
  readonly states: readonly (readonly [id: string, user: string, state: string])[];
  readonly gone: readonly Ids[];
  /** Whether the sender asks the other gateways to repeat their states. */
  readonly asks: boolean;
}

type Sent = Pick<PeerMessage, 'from' | 'ledger'> & Partial<PeerMessage>;

/** Returns the texts of a message, in as many parts as its length needs. */
export function peerTexts({ from, ledger, states = [], gone = [], asks = false }: Sent): readonly string[] {
  const parts: (typeof states)[number][][] = [];
  let chars = PEER_CHARS_MAX;
  const room = PEER_CHARS_MAX - textOf(from, ledger, [], [], asks).length;
  for (const state of states) {
    const more = JSON.stringify(state).length + 1;
    if (chars + more > room) {
      parts.push([]);
      chars = 0;
    }
    parts.at(-1)?.push(state);
    chars += more;
  }
  const texts = parts.map((part) => textOf(from, ledger, part, [], false));
  for (const group of groupsOf(gone, GONE_TOGETHER)) texts.push(textOf(from, ledger, [], group, false));
  if (asks) texts.push(textOf(from, ledger, [], [], true));
  return texts;
}

const textOf = (f: string, l: string, s: PeerMessage['states'], g: readonly Ids[], isAsk: boolean): string =>
  JSON.stringify({ f, l, ...(s.length > 0 && { s }), ...(g.length > 0 && { g }), ...(isAsk && { a: 1 }) });

function groupsOf<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  );
}

/** Parses a message; returns undefined for anything else. Drops entries that aren't valid. */
export function readPeerText(text: string): PeerMessage | undefined {
  if (text.length > PEER_CHARS_MAX) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { f, l, s, g, a } = value as Record<'f' | 'l' | 's' | 'g' | 'a', unknown>;
  if (!isName(f) || !isName(l)) return undefined;
  return {
    from: f,
    ledger: l,
    states: listOf(s).filter(isState),
    gone: listOf(g).filter(isIds),
    asks: a === 1,
  };
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) && value.length <= COUNT_MAX ? value : [];
const isName = (value: unknown): value is string => typeof value === 'string' && NAME.test(value);
const isId = (value: unknown): value is string => typeof value === 'string' && PRESENCE_ID.test(value);

function isIds(value: unknown): value is Ids {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [id, user] = value as unknown[];
  return isId(id) && isName(user);
}

function isState(value: unknown): value is PeerMessage['states'][number] {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [id, user, state] = value as unknown[];
  return isId(id) && isName(user) && typeof state === 'string' && PRESENCE_STATE.test(state);
}
