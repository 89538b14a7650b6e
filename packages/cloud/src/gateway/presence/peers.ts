/** Exchanges states with the other gateways of a cloud. */
import type { StateChannel } from '../../bus/hint-bus.ts';
import { createBucket } from '../../limits/token-bucket.ts';
import { type PeerMessage, peerTexts, readPeerText } from './peer-messages.ts';
import { ASKED_MS, EXPIRE_MS, REPEAT_LEAST_MS, REPEAT_MS, SWEEP_MS } from './presence-limits.ts';
import type { Peers, PresenceState } from './presence-state.ts';
import { dropState, type Held, idsIn, keyOf, putState, type Room } from './room.ts';

/** How often this gateway asks the others for the states of a ledger. */
const ASKS = { perSecond: 0.5, burst: 3 };

/** @param changed called when members of a room have to learn of a change */
export function createPeers(
  state: PresenceState,
  channel: StateChannel,
  changed: (room: Room) => void,
): Peers {
  const { rooms, parts } = state;
  const { now, random, after } = parts;
  const own = parts.newId();
  const asks = createBucket(ASKS, now);
  const send = (room: Room, states: readonly Held[], goneKeys: readonly string[] = []) => {
    const gone = goneKeys.map(idsIn);
    const triples = states.map(({ id, userId, text }) => [id, userId, text] as const);
    for (const text of peerTexts({ from: own, ledger: room.ledger, states: triples, gone }))
      channel.send(text);
  };
  const repeat = (room: Room) => {
    room.repeatedAt = now();
    // A random time, so that the repeats of many rooms don't hold up hints of new data.
    room.repeatAt = now() + REPEAT_MS * (0.7 + 0.3 * random());
    send(
      room,
      [...room.states.values()].filter(({ owner }) => typeof owner !== 'string'),
    );
  };

  const stopListening = channel.listen((text) => {
    const message = readPeerText(text);
    if (message === undefined || message.from === own) return;
    const room = rooms.get(message.ledger);
    if (room === undefined) return;
    receive(state, room, message);
    if (message.asks) {
      const soonest = Math.max(now(), room.repeatedAt + REPEAT_LEAST_MS);
      room.repeatAt = Math.min(room.repeatAt, soonest + ASKED_MS * random());
    }
    changed(room);
  });

  let stopTimer: (() => void) | undefined;
  function sweep(): void {
    stopTimer = undefined;
    for (const room of rooms.values()) {
      if (now() >= room.repeatAt) repeat(room);
      if (expire(state, room)) changed(room);
    }
    sweepSoon();
  }
  function sweepSoon(): void {
    if (rooms.size > 0 && !state.isStopped) stopTimer ??= after(SWEEP_MS, sweep);
  }

  return {
    opened: (room) => {
      room.repeatAt = now() + REPEAT_MS * random();
      sweepSoon();
      // Without an ask, the states arrive with the next repeats.
      if (asks.take(room.ledger) > 0) return;
      for (const text of peerTexts({ from: own, ledger: room.ledger, asks: true })) channel.send(text);
    },
    tell: (room) => {
      const { changedHere, goneHere } = room;
      if (changedHere.size + goneHere.size === 0) return;
      const held = [...changedHere].flatMap((key) => room.states.get(key) ?? []);
      send(room, held, [...goneHere]);
      changedHere.clear();
      goneHere.clear();
    },
    stop: () => {
      stopListening();
      stopTimer?.();
    },
  };
}

/**
 * Takes the states that another gateway sent. A user's id belongs to the gateway that sent it
 * first, so no gateway can change or end the states of another.
 */
function receive(state: PresenceState, room: Room, { from, states, gone }: PeerMessage): void {
  const { totals, limits, parts } = state;
  for (const [id, userId] of gone) {
    const key = keyOf(userId, id);
    if (room.states.get(key)?.owner === from) dropState(room, totals, key);
  }
  for (const [id, userId, text] of states)
    putState(room, totals, limits, { id, userId, owner: from, text }, parts.now());
}

/** Drops states that their gateway no longer repeats. Returns whether there were any. */
function expire({ totals, parts }: PresenceState, room: Room): boolean {
  const expired = [...room.states].filter(
    ([, { owner, heardAt }]) => typeof owner === 'string' && Math.abs(parts.now() - heardAt) > EXPIRE_MS,
  );
  for (const [key] of expired) dropState(room, totals, key);
  return expired.length > 0;
}
