import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { peerTexts, readPeerText } from './peer-messages.ts';
import { clientId } from './presence.fixture.ts';
import { PRESENCE_LIMITS } from './presence-limits.ts';
import {
  dropState,
  emptyRoom,
  idsIn,
  keyOf,
  type Member,
  newRoom,
  newTotals,
  putState,
  type Room,
  type Seat,
  type Totals,
} from './room.ts';

const seat: Seat = { isOpen: () => true, isReading: () => true, offer: () => true };
const memberOf = (userId: string): Member => ({
  ...{ seat, userId, pairs: new Map(), pair: 'p' },
  ...{ key: undefined, needsListing: false },
});

const USERS = ['ann', 'ben', '__proto__', 'constructor'];
const IDS = [clientId(), clientId(), clientId()];
const OWNERS = ['gateway-2', ...USERS.map(memberOf)];

const put = fc.record({
  room: fc.nat(1),
  id: fc.constantFrom(...IDS),
  userId: fc.constantFrom(...USERS),
  owner: fc.constantFrom(...OWNERS),
  text: fc.string({ maxLength: 60 }),
});
const drop = fc.record({
  room: fc.nat(1),
  id: fc.constantFrom(...IDS),
  userId: fc.constantFrom(...USERS),
  owner: fc.constant(undefined),
});

/** Requires that the counts are what the rooms hold, and within the limits. */
function requireCounted(rooms: readonly Room[], totals: Totals, limits: typeof PRESENCE_LIMITS): void {
  const all = rooms.flatMap(({ states }) => [...states.values()]);
  const bytesIn = ({ states }: Room) =>
    [...states.values()].reduce(
      (sum, one) => sum + 200 + one.id.length + one.userId.length + one.text.length,
      0,
    );
  expect(totals.states).toBe(all.length);
  expect(rooms.map(({ bytes }) => bytes)).toEqual(rooms.map(bytesIn));
  expect(totals.bytes).toBe(rooms.reduce((sum, { bytes }) => sum + bytes, 0));
  expect(totals.bytes).toBeLessThanOrEqual(limits.bytesInProcess);
  for (const user of USERS) {
    const here = all.filter(({ userId, owner }) => userId === user && typeof owner !== 'string');
    expect(totals.ofUser.get(user) ?? 0).toBe(here.length);
    expect(here.length).toBeLessThanOrEqual(limits.statesPerUser);
    for (const { states } of rooms)
      expect([...states.values()].filter(({ userId }) => userId === user).length).toBeLessThanOrEqual(
        limits.statesPerUserAndRoom,
      );
  }
  for (const { states, changed, gone, changedHere, goneHere } of rooms) {
    for (const key of [...changed, ...changedHere]) expect(states.has(key)).toBe(true);
    for (const key of [...gone, ...goneHere]) expect(states.has(key)).toBe(false);
  }
}

describe('the states of a room', () => {
  test('counts rightly, and stays within all limits, after any puts and drops', () => {
    const limits = {
      ...PRESENCE_LIMITS,
      ...{ statesPerUser: 3, statesPerUserAndRoom: 2, bytesPerRoom: 1200, bytesInProcess: 1800 },
    };
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 3, arbitrary: put }, drop), { maxLength: 40 }), (steps) => {
        const rooms = [newRoom('t', 'one', 0), newRoom('t', 'two', 0)];
        const totals = newTotals();
        for (const step of steps) {
          const room = rooms[step.room] as Room;
          const key = keyOf(step.userId, step.id);
          const before = room.states.get(key)?.text;
          if (step.owner === undefined) dropState(room, totals, key);
          else {
            const refused = putState(room, totals, limits, step, 1);
            expect(room.states.get(key)?.text).toBe(refused === undefined ? step.text : before);
          }
          requireCounted(rooms, totals, limits);
        }
        for (const room of rooms) emptyRoom(room, totals);
        expect(totals).toEqual(newTotals());
      }),
    );
  });

  test('keeps a state for its first owner until it ends', () => {
    const [room, totals] = [newRoom('t', 'l', 0), newTotals()];
    const [ann, other] = [memberOf('ann'), memberOf('ann')];
    const id = clientId();
    const offer = (owner: Member | string, text: string) =>
      putState(room, totals, PRESENCE_LIMITS, { id, userId: 'ann', owner, text }, 1);
    expect(offer(ann, 'A')).toBeUndefined();
    expect([offer(other, 'B'), offer('gateway-2', 'B')]).toEqual(['CONFLICT', 'CONFLICT']);
    expect(room.states.get(keyOf('ann', id))?.text).toBe('A');
    dropState(room, totals, keyOf('ann', id));
    expect(offer('gateway-2', 'B')).toBeUndefined();
    expect(offer(ann, 'A')).toBe('CONFLICT');
  });

  test('notes that a repeated state was heard, but sends no news of it', () => {
    const [room, totals] = [newRoom('t', 'l', 0), newTotals()];
    const offered = { id: clientId(), userId: 'ann', owner: 'gateway-2', text: 'A' };
    putState(room, totals, PRESENCE_LIMITS, offered, 1);
    room.changed.clear();
    expect(putState(room, totals, PRESENCE_LIMITS, offered, 99)).toBeUndefined();
    expect([room.changed.size, [...room.states.values()][0]?.heardAt]).toEqual([0, 99]);
  });

  test('lets states be repeated and shortened when no more bytes fit', () => {
    const id = clientId();
    const limits = { ...PRESENCE_LIMITS, bytesPerRoom: 200 + id.length + 'ann'.length + 4 };
    const [room, totals] = [newRoom('t', 'l', 0), newTotals()];
    const offer = (text: string) =>
      putState(room, totals, limits, { id, userId: 'ann', owner: 'gateway-2', text }, 1);
    expect([offer('AAAAA'), offer('AAAA'), offer('AAAA'), offer('AAAAA'), offer('A'), offer('BBBB')]).toEqual(
      [...['LIMIT_REACHED', undefined, undefined, 'LIMIT_REACHED', undefined, undefined]],
    );
  });

  test('tells any client of any user apart by its key', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\w-]{1,20}$/), fc.string({ minLength: 1 }), (id, userId) => {
        expect(idsIn(keyOf(userId, id))).toEqual([id, userId]);
      }),
    );
  });
});

describe('messages between gateways', () => {
  const name = fc.stringMatching(/^[!#-[\]-~]{1,200}$/);
  const state = fc.stringMatching(/^[\w-]{1,2000}$/);
  const ids = fc.constantFrom(...Array.from({ length: 20 }, clientId));

  test('returns what was sent, whatever the names and lengths are', () => {
    const message = fc.record({
      from: name,
      ledger: name,
      states: fc.array(fc.tuple(ids, name, state), { maxLength: 30 }),
      gone: fc.array(fc.tuple(ids, name), { maxLength: 80 }),
      asks: fc.boolean(),
    });
    fc.assert(
      fc.property(message, (sent) => {
        const read = peerTexts(sent).map(readPeerText);
        expect(read).not.toContain(undefined);
        for (const one of read) expect(one).toMatchObject({ from: sent.from, ledger: sent.ledger });
        expect(read.flatMap((one) => one?.states ?? [])).toEqual(sent.states);
        expect(read.flatMap((one) => one?.gone ?? [])).toEqual(sent.gone);
        expect(read.filter((one) => one?.asks)).toHaveLength(sent.asks ? 1 : 0);
      }),
      { numRuns: 50 },
    );
  });

  test('[S10] returns only valid entries, whatever arrives', () => {
    const part = fc.oneof(
      fc.anything(),
      fc.array(fc.array(fc.oneof(ids, name, fc.anything()), { maxLength: 4 })),
    );
    const hostile = fc.record({
      f: fc.oneof(name, part),
      l: fc.oneof(name, part),
      s: part,
      g: part,
      a: part,
    });
    fc.assert(
      fc.property(fc.oneof(hostile, fc.anything(), fc.string()), (value) => {
        let text = '';
        try {
          text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
        } catch {
          return;
        }
        const read = readPeerText(text);
        for (const [id, user, shown] of read?.states ?? [])
          expect([typeof id, typeof user, typeof shown]).toEqual(['string', 'string', 'string']);
        for (const pair of read?.gone ?? []) expect(pair).toHaveLength(2);
        if (read !== undefined) expect(peerTexts(read).every((one) => one.length <= 7800)).toBe(true);
      }),
    );
  });

  test('asks only for the number 1, and drops lists of more than 1000 entries', () => {
    const read = (more: object) => readPeerText(JSON.stringify({ f: 'gateway-1', l: 'l', ...more }));
    for (const a of [true, '1', 2, [1], null]) expect(read({ a })?.asks).toBe(false);
    expect(read({ a: 1 })?.asks).toBe(true);
    expect(read({ s: Array.from({ length: 1001 }, () => 1) })?.states).toEqual([]);
  });
});
