/** The members and states of one ledger at this gateway, and limits of their number and size. */
import type { PresenceLimits } from './presence-limits.ts';

/** A websocket, as a member of rooms. */
export interface Seat {
  /** Returns whether the socket is open, so that its end is still to be reported. */
  isOpen(): boolean;
  /** Returns whether `offer` would send: the client isn't behind with reading. */
  isReading(): boolean;
  /** Sends a frame, unless the client is behind with reading. Returns whether it was sent. */
  offer(frame: Buffer): boolean;
}

/** A socket that entered a room. All connections on the socket share the member. */
export interface Member {
  readonly seat: Seat;
  readonly userId: string;
  /**
   * The connections that entered, each with the API token or session that signed it in. The member
   * leaves with the last of them.
   */
  readonly pairs: Map<string, string | undefined>;
  /** The connection that sent the member's state. */
  pair: string;
  /** The key of the member's state; undefined while it has none. */
  key: string | undefined;
  /** Whether the next event must list everybody. */
  needsListing: boolean;
}

/**
 * Returns the key of a state in its room. Clients choose their ids, so a client of another user may
 * have the same id, which must not replace or end this one's state.
 */
export const keyOf = (userId: string, id: string): string => `${id} ${userId}`;
/** Returns the ids of the client and of the user, as messages contain them. */
export const idsIn = (key: string): readonly [id: string, userId: string] => {
  const at = key.indexOf(' ');
  return [key.slice(0, at), key.slice(at + 1)];
};

/** A state that this gateway shows to the members of a room. */
export interface Held {
  readonly id: string;
  readonly userId: string;
  /** The member of this gateway whose state this is, or the id of another gateway. */
  readonly owner: Member | string;
  text: string;
  /** When the other gateway last repeated the state. */
  heardAt: number;
}

export interface Room {
  readonly tenant: string;
  readonly ledger: string;
  readonly members: Map<Seat, Member>;
  /** The states by `keyOf`, as in the sets below. */
  readonly states: Map<string, Held>;
  /** States that changed since the last event, in order. */
  readonly changed: Set<string>;
  readonly gone: Set<string>;
  /** Own states that changed, and own states that ended, since other gateways heard. */
  readonly changedHere: Set<string>;
  readonly goneHere: Set<string>;
  bytes: number;
  repeatAt: number;
  repeatedAt: number;
  /** When the rights of all members were last checked. */
  checkedAt: number;
}

export const newRoom = (tenant: string, ledger: string, now: number): Room => ({
  tenant,
  ledger,
  members: new Map(),
  states: new Map(),
  changed: new Set(),
  gone: new Set(),
  changedHere: new Set(),
  goneHere: new Set(),
  bytes: 0,
  repeatAt: Number.POSITIVE_INFINITY,
  repeatedAt: Number.NEGATIVE_INFINITY,
  checkedAt: now,
});

/** Counts what all rooms of this process hold. */
export interface Totals {
  bytes: number;
  states: number;
  members: number;
  /** Number of states of each user whose sockets are here. */
  readonly ofUser: Map<string, number>;
}
export const newTotals = (): Totals => ({ bytes: 0, states: 0, members: 0, ofUser: new Map() });

/** Approximate memory of a state, besides its texts. */
const OVERHEAD_BYTES = 200;
const bytesOf = (id: string, userId: string, text: string) =>
  OVERHEAD_BYTES + id.length + userId.length + text.length;

/** Why a room doesn't take a state. */
export type Refusal = 'CONFLICT' | 'LIMIT_REACHED';

/** The state of a client, and who sent it. */
export type Offered = Pick<Held, 'id' | 'userId' | 'owner' | 'text'>;

/**
 * Stores a state. A user's id belongs to its first owner until that owner's state ends. No other
 * client of the user can use it.
 */
export function putState(
  room: Room,
  totals: Totals,
  limits: PresenceLimits,
  { id, userId, owner, text }: Offered,
  now: number,
): Refusal | undefined {
  const key = keyOf(userId, id);
  const before = room.states.get(key);
  if (before !== undefined && before.owner !== owner) return 'CONFLICT';
  if (before?.text === text) {
    before.heardAt = now;
    return undefined;
  }
  const more = before === undefined ? bytesOf(id, userId, text) : text.length - before.text.length;
  if (room.bytes + more > limits.bytesPerRoom || totals.bytes + more > limits.bytesInProcess)
    return 'LIMIT_REACHED';
  if (before === undefined) {
    const isOwn = typeof owner !== 'string';
    let count = 0;
    for (const one of room.states.values()) if (one.userId === userId) count += 1;
    const all = totals.ofUser.get(userId) ?? 0;
    if (count >= limits.statesPerUserAndRoom || (isOwn && all >= limits.statesPerUser))
      return 'LIMIT_REACHED';
    room.states.set(key, { id, userId, owner, text, heardAt: now });
    totals.states += 1;
    if (isOwn) totals.ofUser.set(userId, all + 1);
  } else {
    before.text = text;
    before.heardAt = now;
  }
  room.bytes += more;
  totals.bytes += more;
  noteChange(room, key, owner);
  return undefined;
}

function noteChange({ changed, gone, changedHere, goneHere }: Room, key: string, owner: Member | string) {
  changed.add(key);
  gone.delete(key);
  if (typeof owner === 'string') return;
  changedHere.add(key);
  goneHere.delete(key);
}

/** Removes a state, if the room has it. */
export function dropState(room: Room, totals: Totals, key: string): void {
  const held = room.states.get(key);
  if (held === undefined) return;
  room.states.delete(key);
  const bytes = bytesOf(held.id, held.userId, held.text);
  room.bytes -= bytes;
  totals.bytes -= bytes;
  totals.states -= 1;
  room.changed.delete(key);
  room.gone.add(key);
  if (typeof held.owner === 'string') return;
  room.changedHere.delete(key);
  room.goneHere.add(key);
  held.owner.key = undefined;
  const left = (totals.ofUser.get(held.userId) ?? 0) - 1;
  if (left > 0) totals.ofUser.set(held.userId, left);
  else totals.ofUser.delete(held.userId);
}

/** Forgets everything that a room holds, because nobody here is a member any more. */
export function emptyRoom(room: Room, totals: Totals): void {
  for (const key of [...room.states.keys()]) dropState(room, totals, key);
}
