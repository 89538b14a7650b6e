/**
 * Presence: passes the small states of clients on to the other members of a ledger. Nothing is
 * stored. Members are sockets, and a room's changes are collected, so that the work of a gateway
 * doesn't grow with the number of requests.
 */
import { FixpointError } from '@fixpoint/protocol';
import { createBucket } from '../../limits/token-bucket.ts';
import { createPeers } from './peers.ts';
import {
  FLUSH_BYTES_MAX,
  FLUSH_MS,
  GATHER_MS,
  PRESENCE_LIMITS,
  RIGHTS_TRUSTED_MS,
} from './presence-limits.ts';
import type { PresenceParts, PresenceState } from './presence-state.ts';
import { createRightsCheck } from './rights-check.ts';
import {
  dropState,
  emptyRoom,
  keyOf,
  type Member,
  newRoom,
  newTotals,
  putState,
  type Refusal,
  type Room,
  type Seat,
} from './room.ts';
import { isWaiting, sendEvents } from './room-events.ts';

/** Listings that a user may get, over all rooms and sockets. */
const LISTINGS = { perSecond: 2, burst: 60 };

/** A socket that enters the room of a ledger, and its new state there. */
export interface Entry {
  readonly seat: Seat;
  readonly userId: string;
  readonly apiToken?: string | undefined;
  readonly pair: string;
  readonly tenant: string;
  readonly ledger: string;
  readonly id: string;
  /** Undefined for a client that only watches. */
  readonly text: string | undefined;
  /** The id that the client had over its previous connection. */
  readonly before?: string | undefined;
}

export interface Presence {
  /**
   * Enters a room, and replaces the state of the socket there. Returns why the room doesn't take
   * the state, if it doesn't. The socket then is a member nevertheless, without a state.
   * @throws FixpointError LIMIT_REACHED when the socket can't enter
   */
  enter(entry: Entry): Refusal | undefined;
  /** Leaves a room. The socket stays while another of its connections is in the room. */
  leave(seat: Seat, ledger: string, pair: string): void;
  /** Leaves all rooms that this connection of the socket entered. Without a pair, all rooms. */
  gone(seat: Seat, pair?: string): void;
  /** Checks the rights of all members now, because they may have changed. */
  recheck(): void;
  /** Returns the number of members and states, for metrics. */
  counts(): { readonly members: number; readonly states: number };
  /** Resolves when no check of rights is running. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

export function createPresenceRooms(parts: PresenceParts): Presence {
  const listings = createBucket(LISTINGS, parts.now);
  const state: PresenceState = {
    parts,
    limits: parts.limits ?? PRESENCE_LIMITS,
    rooms: new Map(),
    ofSeat: new Map(),
    totals: newTotals(),
    waiting: new Set(),
    mayList: (userId) => listings.take(userId) === 0,
    peers: undefined,
    checkRepeatedly: () => undefined,
    flushedAt: Number.NEGATIVE_INFINITY,
    stopFlush: undefined,
    isStopped: false,
  };
  state.peers = parts.channel && createPeers(state, parts.channel, (room) => flushSoon(state, room));
  const rights = createRightsCheck(state, (room, seat, pair) => leave(state, room, seat, pair));
  state.checkRepeatedly = rights.repeat;
  return {
    enter: (entry) => enter(state, entry),
    leave: (seat, ledger, pair) => {
      const room = state.rooms.get(ledger);
      if (room !== undefined) leave(state, room, seat, pair);
    },
    gone: (seat, pair) => {
      for (const room of [...(state.ofSeat.get(seat) ?? [])]) leave(state, room, seat, pair);
    },
    recheck: rights.start,
    counts: () => ({ members: state.totals.members, states: state.totals.states }),
    settled: rights.settled,
    stop: async () => {
      state.isStopped = true;
      state.stopFlush?.();
      state.peers?.stop();
      rights.stop();
      await rights.settled();
    },
  };
}

function enter(state: PresenceState, entry: Entry): Refusal | undefined {
  const { totals, limits, parts } = state;
  const room = state.rooms.get(entry.ledger) ?? newRoom(entry.tenant, entry.ledger, parts.now());
  const member = room.members.get(entry.seat) ?? join(state, room, entry);
  // Connections of several users may share a socket. It gets each event once, so it enters once.
  if (member.userId !== entry.userId)
    throw new FixpointError('LIMIT_REACHED', 'one user per socket and ledger');
  member.pairs.set(entry.pair, entry.apiToken);
  const { id, text, before } = entry;
  if (before !== undefined) dropEarlier(state, room, member, before);
  const key = keyOf(member.userId, id);
  // A connection that only watches leaves the state of another connection of the socket.
  const isReplaced = text === undefined ? member.pair === entry.pair : member.key !== key;
  if (member.key !== undefined && isReplaced) dropState(room, totals, member.key);
  let refused: Refusal | undefined;
  if (text !== undefined) {
    const offered = { id, userId: member.userId, owner: member, text };
    refused = putState(room, totals, limits, offered, parts.now());
    if (refused === undefined) Object.assign(member, { key, pair: entry.pair });
    // Others must not take an outdated state for the current one.
    else if (member.key !== undefined) dropState(room, totals, member.key);
  }
  flushSoon(state, room);
  return refused;
}

/**
 * Drops the state that a client had over its previous connection, if that was here: the end of a
 * lost connection is noticed late. Users can drop only their own states.
 */
function dropEarlier({ totals }: PresenceState, room: Room, { userId, seat }: Member, before: string): void {
  const key = keyOf(userId, before);
  const owner = room.states.get(key)?.owner;
  if (typeof owner === 'object' && owner.seat !== seat) dropState(room, totals, key);
}

/** @throws FixpointError LIMIT_REACHED */
function join(state: PresenceState, room: Room, { seat, userId, pair }: Entry): Member {
  const { limits, rooms, ofSeat, totals } = state;
  const entered = ofSeat.get(seat) ?? new Set();
  if (entered.size >= limits.roomsPerSocket)
    throw new FixpointError('LIMIT_REACHED', `presence in ${limits.roomsPerSocket} ledgers on one socket`);
  let count = 0;
  for (const one of room.members.values()) if (one.userId === userId) count += 1;
  if (count >= limits.membersPerUser)
    throw new FixpointError('LIMIT_REACHED', `${limits.membersPerUser} clients of one user present`);
  const member: Member = { seat, userId, pairs: new Map(), pair, key: undefined, needsListing: true };
  const isNew = !rooms.has(room.ledger);
  room.members.set(seat, member);
  rooms.set(room.ledger, room);
  ofSeat.set(seat, entered.add(room));
  totals.members += 1;
  if (isNew) state.peers?.opened(room);
  state.checkRepeatedly();
  return member;
}

/** @param pair the connection that leaves; undefined for all connections of the socket */
function leave(state: PresenceState, room: Room, seat: Seat, pair?: string): void {
  const { totals, rooms, ofSeat, waiting, peers } = state;
  const member = room.members.get(seat);
  if (member === undefined) return;
  if (pair !== undefined) {
    if (!member.pairs.delete(pair)) return;
    if (member.pairs.size > 0) {
      // The other connections stay. They send their state again with the next change.
      if (member.key !== undefined && member.pair === pair) dropState(room, totals, member.key);
      flushSoon(state, room);
      return;
    }
  }
  room.members.delete(seat);
  totals.members -= 1;
  const entered = ofSeat.get(seat);
  entered?.delete(room);
  if (entered?.size === 0) ofSeat.delete(seat);
  if (member.key !== undefined) dropState(room, totals, member.key);
  if (room.members.size > 0) {
    flushSoon(state, room);
    return;
  }
  peers?.tell(room);
  emptyRoom(room, totals);
  rooms.delete(room.ledger);
  waiting.delete(room);
}

/** Sends the events of a room soon, at most once per interval. */
function flushSoon(state: PresenceState, room: Room): void {
  if (state.isStopped || !(isWaiting(room) || room.changedHere.size + room.goneHere.size > 0)) return;
  state.waiting.add(room);
  const due = state.flushedAt + FLUSH_MS - state.parts.now();
  state.stopFlush ??= state.parts.after(Math.min(FLUSH_MS, Math.max(GATHER_MS, due)), () => flush(state));
}

/** Sends the events of the rooms that wait, in turn, as far as one flush may send bytes. */
function flush(state: PresenceState): void {
  const { parts, waiting, peers } = state;
  state.stopFlush = undefined;
  state.flushedAt = parts.now();
  let bytes = 0;
  for (const room of [...waiting]) {
    if (bytes > FLUSH_BYTES_MAX) break;
    waiting.delete(room);
    peers?.tell(room);
    room.changedHere.clear();
    room.goneHere.clear();
    if (parts.now() - room.checkedAt > RIGHTS_TRUSTED_MS) suspend(room);
    else bytes += sendEvents(room, state.mayList);
    if (isWaiting(room)) waiting.add(room);
  }
  const [next] = waiting;
  if (next !== undefined) flushSoon(state, next);
}

/** Sends nothing while rights can't be checked. Members later get a listing instead of changes. */
function suspend(room: Room): void {
  room.changed.clear();
  room.gone.clear();
  for (const member of room.members.values()) member.needsListing = true;
}
