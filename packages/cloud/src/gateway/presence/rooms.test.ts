import { describe, expect, test } from 'vitest';
import { clientId, presenceWorld, type TestClient } from './presence.fixture.ts';
import { FLUSH_MS } from './presence-limits.ts';

const bytesTo = (clients: readonly TestClient[]) =>
  clients.flatMap(({ texts }) => texts).reduce((sum, text) => sum + text.length, 0);

describe('presence in one gateway', () => {
  test('passes a state on to everyone else, with the id of the user', async () => {
    const { time, gateway } = presenceWorld();
    const here = gateway();
    const [ann, ben] = [here.client('ann'), here.client('ben')];
    expect(ann.enter('A1')).toBeUndefined();
    ben.enter();
    await time.pass(FLUSH_MS);
    expect(ben.seen()).toEqual({ [ann.id]: ['ann', 'A1'] });
    ann.enter('A2');
    await time.pass(FLUSH_MS);
    expect(ben.seen()).toEqual({ [ann.id]: ['ann', 'A2'] });
    expect(JSON.parse(ben.texts[0] ?? '')).toMatchObject({ type: 'eventPresence', tid: 'presence' });
  });

  test('keeps ledgers apart', async () => {
    const { time, gateway } = presenceWorld();
    const here = gateway();
    const [ann, ben] = [here.client('ann'), here.client('ben')];
    ann.enter('A1', { ledger: 'one' });
    ben.enter(undefined, { ledger: 'two' });
    await time.pass(1000);
    expect(ben.seen('one')).toEqual({});
    expect(ben.seen('two')).toEqual({});
  });

  test('shows that a client left, closed its socket, or only watches from now on', async () => {
    const { time, gateway } = presenceWorld();
    const here = gateway();
    const watcher = here.client('watcher');
    const [ann, ben, cid] = [here.client('ann'), here.client('ben'), here.client('cid')];
    watcher.enter();
    for (const one of [ann, ben, cid]) one.enter('S');
    await time.pass(FLUSH_MS);
    expect(Object.keys(watcher.seen())).toHaveLength(3);
    here.rooms.leave(ann.seat, 'l', 'p');
    ben.close();
    cid.enter();
    await time.pass(FLUSH_MS);
    expect(watcher.seen()).toEqual({});
    expect(here.rooms.counts()).toEqual({ members: 2, states: 0 });
    cid.enter('again');
    await time.pass(FLUSH_MS);
    expect(watcher.seen()).toEqual({ [cid.id]: ['cid', 'again'] });
  });

  test('leaves what one connection of a socket entered when that connection closes', () => {
    const here = presenceWorld().gateway();
    const ann = here.client('ann');
    ann.enter('A', { pair: 'first' });
    ann.enter('A', { pair: 'second', ledger: 'other', id: clientId() });
    here.rooms.gone(ann.seat, 'first');
    expect(here.rooms.counts()).toEqual({ members: 1, states: 1 });
  });

  test('stays with a second connection of the same user when the first closes or leaves', async () => {
    const { time, gateway } = presenceWorld();
    const here = gateway();
    const [ann, ben] = [here.client('ann'), here.client('ben')];
    for (const end of ['close', 'leave']) {
      ann.enter('A1', { pair: `first ${end}` });
      ann.enter('A2', { pair: 'second' });
      if (end === 'close') here.rooms.gone(ann.seat, `first ${end}`);
      else here.rooms.leave(ann.seat, 'l', `first ${end}`);
      ben.enter(undefined);
      await time.pass(1000);
      expect(ben.seen()).toEqual({ [ann.id]: ['ann', 'A2'] });
    }
    ann.enter('A3', { pair: 'third' });
    ann.enter(undefined, { pair: 'watching' });
    await time.pass(1000);
    expect(ben.seen()).toEqual({ [ann.id]: ['ann', 'A3'] });
    here.rooms.gone(ann.seat, 'watching');
    here.rooms.gone(ann.seat, 'third');
    await time.pass(1000);
    // The state was that of the third connection. The second one still follows the others.
    expect(ben.seen()).toEqual({});
    expect(here.rooms.counts()).toEqual({ members: 2, states: 0 });
    here.rooms.gone(ann.seat, 'second');
    expect(here.rooms.counts().members).toBe(1);
  });

  test('drops the state that a client had over its previous connection, and no state of others', async () => {
    const { time, gateway } = presenceWorld();
    const here = gateway();
    const [lost, again] = [here.client('ann'), here.client('ann')];
    const [ben, eve] = [here.client('ben'), here.client('eve')];
    ben.enter('B');
    lost.enter('A1');
    await time.pass(FLUSH_MS);
    again.enter('A2', { before: lost.id });
    eve.enter('E', { before: ben.id });
    await time.pass(FLUSH_MS);
    expect(eve.seen()).toEqual({ [ben.id]: ['ben', 'B'], [again.id]: ['ann', 'A2'], [eve.id]: ['eve', 'E'] });
    lost.enter('A3');
    await time.pass(FLUSH_MS);
    expect(eve.seen()[lost.id]).toEqual(['ann', 'A3']);
  });

  test('sends one event per socket and flush, however many changes and connections there are', async () => {
    const { time, gateway } = presenceWorld();
    const here = gateway();
    const [ann, ben] = [here.client('ann'), here.client('ben')];
    ben.enter();
    ann.enter('A0');
    await time.pass(FLUSH_MS);
    const before = ben.events.length;
    for (let n = 1; n <= 50; n += 1) ann.enter(`A${n}`, { pair: `connection ${n}` });
    for (let n = 1; n <= 50; n += 1) ben.enter(undefined, { pair: `connection ${n}` });
    await time.pass(FLUSH_MS);
    expect(ben.events.length - before).toBe(1);
    expect(ben.seen()).toEqual({ [ann.id]: ['ann', 'A50'] });
    expect(here.rooms.counts().members).toBe(2);
  });

  test('answers a join with nothing, then lists everybody once to all who joined', async () => {
    const { time, gateway } = presenceWorld();
    const here = gateway();
    const present = here.client('ann');
    present.enter('A');
    await time.pass(FLUSH_MS);
    const late = Array.from({ length: 40 }, (_, n) => here.client(`late-${n}`));
    for (const one of late) {
      one.enter();
      one.enter();
      expect(one.events).toEqual([]);
    }
    await time.pass(1000);
    for (const one of late)
      expect(one.events).toMatchObject([{ all: true, states: [[present.id, 'ann', 'A']] }]);
    expect(present.events).toHaveLength(1);
  });

  test('limits the listings that a user can get by entering again and again', async () => {
    const { time, gateway } = presenceWorld();
    const here = gateway();
    const [ann, ben] = [here.client('ann'), here.client('ben')];
    ann.enter('A');
    for (let n = 0; n < 200; n += 1) {
      here.rooms.leave(ben.seat, 'l', 'p');
      ben.enter();
      await time.pass(FLUSH_MS);
    }
    // 60 at once, and two per second for 20 seconds.
    expect(ben.events.length).toBeLessThanOrEqual(101);
    await time.pass(1000);
    expect(ben.seen()).toEqual({ [ann.id]: ['ann', 'A'] });
  });

  test('does not count listings that a stalled socket never takes', async () => {
    const { time, gateway } = presenceWorld();
    const here = gateway();
    const [ann, stalled, other] = [here.client('ann'), here.client('ben'), here.client('ben')];
    stalled.state.isReading = false;
    stalled.enter();
    for (let n = 0; n < 200; n += 1) {
      ann.enter(`A${n}`);
      await time.pass(FLUSH_MS);
    }
    other.enter();
    await time.pass(FLUSH_MS);
    expect(other.seen()).toEqual({ [ann.id]: ['ann', 'A199'] });
    stalled.state.isReading = true;
    await time.pass(FLUSH_MS * 2);
    expect(stalled.seen()).toEqual({ [ann.id]: ['ann', 'A199'] });
  });

  test('sends an unchanged state once', async () => {
    const { time, gateway } = presenceWorld();
    const here = gateway();
    const [ann, ben] = [here.client('ann'), here.client('ben')];
    ben.enter();
    for (let n = 0; n < 20; n += 1) {
      ann.enter('same');
      await time.pass(FLUSH_MS);
    }
    expect(ben.events.filter(({ states = [] }) => states.length > 0)).toHaveLength(1);
  });

  test('gives a client that reads slowly a listing once it has read, and no events before', async () => {
    const { time, gateway } = presenceWorld();
    const here = gateway();
    const [ann, ben] = [here.client('ann'), here.client('ben')];
    ben.enter();
    ann.enter('A0');
    await time.pass(FLUSH_MS);
    ben.state.isReading = false;
    for (let n = 1; n <= 30; n += 1) {
      ann.enter(`A${n}`);
      await time.pass(FLUSH_MS);
    }
    const before = ben.events.length;
    ben.state.isReading = true;
    await time.pass(1000);
    expect(ben.events.slice(before)).toMatchObject([{ all: true }]);
    expect(ben.seen()).toEqual({ [ann.id]: ['ann', 'A30'] });
  });

  test('splits many changes into events of a limited length', async () => {
    const { time, gateway } = presenceWorld();
    const here = gateway();
    const watcher = here.client('watcher');
    watcher.enter();
    await time.pass(FLUSH_MS);
    const all = Array.from({ length: 100 }, (_, n) => here.client(`user-${n}`));
    for (const one of all) one.enter('x'.repeat(1500));
    await time.pass(2000);
    expect(Object.keys(watcher.seen())).toHaveLength(100);
    for (const text of watcher.texts) expect(text.length).toBeLessThan(80_000);
    expect(watcher.texts.length).toBeGreaterThan(1);
    expect(bytesTo([watcher])).toBeLessThan(400_000);
  });

  test('runs no timers without members, nor after it stopped', async () => {
    const { time, gateway } = presenceWorld();
    const here = gateway();
    expect(time.timers()).toBe(0);
    const ann = here.client('ann');
    ann.enter('A');
    await time.pass(1000);
    // Only the checks of rights, and the repeats for other gateways.
    expect(time.timers()).toBe(2);
    ann.close();
    await time.pass(5000);
    expect(time.timers()).toBe(0);
    ann.enter('B');
    await here.rooms.stop();
    expect(time.timers()).toBe(0);
  });
});

describe('rights', () => {
  test('removes a member within five seconds of losing access, and sends them nothing more', async () => {
    const { time, gateway, access } = presenceWorld();
    const here = gateway();
    const [ann, ben] = [here.client('ann'), here.client('ben')];
    ann.enter('A');
    ben.enter('B');
    await time.pass(FLUSH_MS);
    access.set('ben', 'none');
    await time.pass(4999);
    expect(ann.seen()).not.toHaveProperty(ben.id);
    const before = ben.events.length;
    ann.enter('secret');
    await time.pass(10_000);
    expect(ben.events).toHaveLength(before);
  });

  test('removes a member at once when an admin revokes the right here', async () => {
    const { time, gateway, access } = presenceWorld();
    const here = gateway();
    const [ann, ben] = [here.client('ann'), here.client('ben')];
    ann.enter('A');
    ben.enter('B');
    await time.pass(FLUSH_MS);
    access.set('ben', 'none');
    here.rooms.recheck();
    await here.rooms.settled();
    await time.pass(FLUSH_MS);
    expect(ann.seen()).toEqual({ [ann.id]: ['ann', 'A'] });
  });

  test('removes one connection of a socket when its session ends, and keeps the other', async () => {
    const { time, gateway, access } = presenceWorld();
    const here = gateway();
    const ann = here.client('ann');
    ann.enter('A', { pair: 'first', apiToken: 'session-1' });
    ann.enter('A', { pair: 'second', apiToken: 'session-2' });
    access.set('session-1', 'none');
    await time.pass(4999);
    expect(here.rooms.counts()).toEqual({ members: 1, states: 1 });
    access.set('session-2', 'none');
    await time.pass(4999);
    expect(here.rooms.counts()).toEqual({ members: 0, states: 0 });
  });

  test('looks up the rights of many members a few at once, and once for all sockets of a user', async () => {
    const { time, gateway, access, lookUps } = presenceWorld();
    const here = gateway();
    const watcher = here.client('watcher');
    watcher.enter();
    const clients = Array.from({ length: 300 }, (_, n) => here.client(`user-${n % 150}`));
    for (const [n, one] of clients.entries()) one.enter(`S${n}`);
    await time.pass(FLUSH_MS);
    access.set('user-149', 'none');
    Object.assign(lookUps, { count: 0, takesMs: 50 });
    await time.pass(5000);
    expect(Object.values(watcher.seen()).filter(([user]) => user === 'user-149')).toEqual([]);
    expect(lookUps.count).toBeLessThanOrEqual(151);
    expect(lookUps.mostAtOnce).toBeLessThanOrEqual(8);
  });

  test('keeps checking after a check that found no rooms', async () => {
    const { time, gateway, access } = presenceWorld();
    const here = gateway();
    here.rooms.recheck();
    await here.rooms.settled();
    const [ann, ben] = [here.client('ann'), here.client('ben')];
    ann.enter('A');
    here.rooms.leave(ann.seat, 'l', 'p');
    await time.pass(4000);
    ann.enter('A');
    ben.enter('B');
    await time.pass(FLUSH_MS);
    access.set('ben', 'none');
    await time.pass(4999);
    expect(ann.seen()).not.toHaveProperty(ben.id);
    await time.pass(20_000);
    const before = ann.events.length;
    here.client('cid').enter('C');
    await time.pass(FLUSH_MS);
    expect(ann.events.length).toBeGreaterThan(before);
  });

  test('sends nothing while rights cannot be checked, and a listing afterwards', async () => {
    const { time, gateway, fails, reports } = presenceWorld();
    const here = gateway();
    const [ann, ben] = [here.client('ann'), here.client('ben')];
    ann.enter('A');
    ben.enter();
    await time.pass(FLUSH_MS);
    fails.rights = true;
    await time.pass(20_000);
    const before = ben.events.length;
    ann.enter('A2');
    await time.pass(1000);
    expect(ben.events).toHaveLength(before);
    expect(reports.length).toBeGreaterThan(0);
    fails.rights = false;
    await time.pass(5000);
    expect(ben.seen()).toEqual({ [ann.id]: ['ann', 'A2'] });
  });
});

describe('limits', () => {
  test('lets a client enter whose state is rejected, and shows it the others', async () => {
    const { time, gateway } = presenceWorld({ limits: { bytesPerRoom: 500 } });
    const here = gateway();
    const [ann, ben] = [here.client('ann'), here.client('ben')];
    ann.enter('A');
    expect(ben.enter('x'.repeat(1000))).toBe('LIMIT_REACHED');
    await time.pass(FLUSH_MS);
    expect(ben.seen()).toEqual({ [ann.id]: ['ann', 'A'] });
    expect(ben.enter('B')).toBeUndefined();
  });

  test('removes the state of a client whose next state is rejected', async () => {
    const { time, gateway } = presenceWorld({ limits: { bytesPerRoom: 500 } });
    const here = gateway();
    const [ann, ben] = [here.client('ann'), here.client('ben')];
    ann.enter();
    ben.enter('B');
    await time.pass(FLUSH_MS);
    expect(ben.enter('x'.repeat(1000))).toBe('LIMIT_REACHED');
    await time.pass(FLUSH_MS);
    expect(ann.seen()).toEqual({});
  });

  test('limits rooms of a socket, and sockets and states of a user', () => {
    const limits = { roomsPerSocket: 3, membersPerUser: 4, statesPerUserAndRoom: 2, statesPerUser: 5 };
    const here = presenceWorld({ limits }).gateway();
    const ann = here.client('ann');
    for (const ledger of ['1', '2', '3']) expect(ann.enter('A', { ledger, id: clientId() })).toBeUndefined();
    expect(() => ann.enter('A', { ledger: '4' })).toThrow(/limit reached/);
    const others = Array.from({ length: 5 }, () => here.client('ann'));
    const answers = others.slice(0, 4).map((one) => one.enter('A', { ledger: 'other' }));
    expect(answers).toEqual([undefined, undefined, 'LIMIT_REACHED', 'LIMIT_REACHED']);
    expect(() => others[4]?.enter('A', { ledger: 'other' })).toThrow(/limit reached/);
    expect(here.client('ann').enter('A', { ledger: 'third' })).toBe('LIMIT_REACHED');
    expect(here.client('ben').enter('A', { ledger: 'third' })).toBeUndefined();
    for (const one of [ann, ...others]) one.close();
    expect(here.rooms.counts()).toEqual({ members: 2, states: 1 });
    expect(here.client('ann').enter('A')).toBeUndefined();
  });

  test('limits the bytes of a process, and releases them when clients leave', () => {
    const here = presenceWorld({ limits: { bytesInProcess: 5000 } }).gateway();
    const clients = Array.from({ length: 10 }, (_, n) => here.client(`user-${n}`));
    const answers = clients.map((one, n) => one.enter('x'.repeat(1000), { ledger: `ledger-${n}` }));
    expect(answers.filter((one) => one === undefined)).toHaveLength(4);
    for (const one of clients) one.close();
    expect(clients[9]?.enter('x'.repeat(1000))).toBeUndefined();
  });

  test('keeps the id of a user for the socket that has it, and gives it away after that', () => {
    const here = presenceWorld().gateway();
    const ann = here.client('ann');
    ann.enter('A');
    expect(here.client('ann').enter('E', { id: ann.id })).toBe('CONFLICT');
    ann.close();
    expect(here.client('ann').enter('A', { id: ann.id })).toBeUndefined();
  });

  test('keeps the state of a client whose id another user takes', async () => {
    const { time, gateway } = presenceWorld();
    const here = gateway();
    const [ann, eve, watcher] = [here.client('ann'), here.client('eve'), here.client('watcher')];
    ann.enter('A');
    watcher.enter();
    expect(eve.enter('E', { id: ann.id })).toBeUndefined();
    await time.pass(FLUSH_MS);
    expect(watcher.seenByUser()).toEqual([
      [ann.id, 'ann', 'A'],
      [ann.id, 'eve', 'E'],
    ]);
    eve.close();
    await time.pass(FLUSH_MS);
    expect(watcher.seenByUser()).toEqual([[ann.id, 'ann', 'A']]);
  });

  test('rejects a second user on the same socket and ledger', () => {
    const here = presenceWorld().gateway();
    const ann = here.client('ann');
    ann.enter('A');
    expect(() => ann.enter('E', { userId: 'eve' })).toThrow(/one user/);
    expect(here.rooms.counts()).toEqual({ members: 1, states: 1 });
  });
});
