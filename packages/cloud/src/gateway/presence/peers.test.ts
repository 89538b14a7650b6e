import { describe, expect, test } from 'vitest';
import { PEER_CHARS_MAX, peerTexts, readPeerText } from './peer-messages.ts';
import { clientId, presenceWorld } from './presence.fixture.ts';
import { EXPIRE_MS, REPEAT_MS } from './presence-limits.ts';

const SOON_MS = 600;

describe('presence between gateways', () => {
  test('shows states, changes and leaves of clients at other gateways', async () => {
    const { time, gateway } = presenceWorld();
    const [one, two] = [gateway(), gateway()];
    const [ann, ben] = [one.client('ann'), two.client('ben')];
    ann.enter('A1');
    ben.enter('B1');
    await time.pass(SOON_MS);
    const both = { [ann.id]: ['ann', 'A1'], [ben.id]: ['ben', 'B1'] };
    expect(ann.seen()).toEqual(both);
    expect(ben.seen()).toEqual(both);
    ann.enter('A2');
    await time.pass(SOON_MS);
    expect(ben.seen()[ann.id]).toEqual(['ann', 'A2']);
    ann.close();
    await time.pass(SOON_MS);
    expect(ben.seen()).toEqual({ [ben.id]: ['ben', 'B1'] });
  });

  test('asks the others when the first client of a ledger enters', async () => {
    const { time, gateway } = presenceWorld();
    const [one, two] = [gateway(), gateway()];
    const ann = one.client('ann');
    ann.enter('A');
    await time.pass(REPEAT_MS / 4);
    const ben = two.client('ben');
    ben.enter();
    await time.pass(SOON_MS);
    expect(ben.seen()).toEqual({ [ann.id]: ['ann', 'A'] });
  });

  test('asks and repeats at most once a second while a client enters and leaves', async () => {
    const { time, bus, gateway } = presenceWorld();
    const [one, two] = [gateway(), gateway()];
    one.client('ann').enter('A');
    await time.pass(SOON_MS);
    const before = bus.sent.length;
    const eve = two.client('eve');
    for (let n = 0; n < 100; n += 1) {
      eve.enter();
      eve.close();
      await time.pass(20);
    }
    const sent = bus.sent.slice(before).map((text) => readPeerText(text));
    expect(sent.filter((message) => message?.asks).length).toBeLessThanOrEqual(4);
    expect(sent.filter((message) => message?.states.length).length).toBeLessThanOrEqual(3);
  });

  test('heals lost messages with the next repeat', async () => {
    const { time, bus, gateway } = presenceWorld();
    const [one, two] = [gateway(), gateway()];
    const [ann, ben] = [one.client('ann'), two.client('ben')];
    bus.lost.all = true;
    ann.enter('A');
    ben.enter('B');
    await time.pass(SOON_MS);
    expect(Object.keys(ben.seen())).toEqual([ben.id]);
    bus.lost.all = false;
    await time.pass(REPEAT_MS);
    expect(ben.seen()[ann.id]).toEqual(['ann', 'A']);
  });

  test('repeats states of different rooms at different times', async () => {
    const { time, bus, gateway } = presenceWorld();
    const one = gateway();
    for (const n of [1, 2, 3, 4]) {
      one.client('ann').enter('A', { ledger: `l${n}` });
      await time.pass(400);
    }
    const before = bus.sent.length;
    const seconds = new Set<number>();
    let count = before;
    for (let ms = 0; ms < REPEAT_MS; ms += 250) {
      await time.pass(250);
      if (bus.sent.length > count) seconds.add(ms);
      count = bus.sent.length;
    }
    expect(seconds.size).toBeGreaterThanOrEqual(4);
  });

  test('drops the states of a gateway that died, and keeps those of one that lives', async () => {
    const { time, gateway, bus } = presenceWorld();
    const [one, two] = [gateway(), gateway()];
    const [ann, ben] = [one.client('ann'), two.client('ben')];
    ann.enter('A');
    ben.enter();
    await time.pass(SOON_MS);
    await time.pass(EXPIRE_MS * 2);
    expect(ben.seen()).toEqual({ [ann.id]: ['ann', 'A'] });
    await one.rooms.stop();
    bus.lost.all = true;
    await time.pass(EXPIRE_MS + SOON_MS);
    expect(ben.seen()).toEqual({});
  });

  test('keeps a member whose id another user takes at a gateway that does not know it yet', async () => {
    const { time, gateway, bus } = presenceWorld();
    const [one, two] = [gateway(), gateway()];
    const [ann, eve] = [one.client('ann'), two.client('eve')];
    bus.lost.all = true;
    ann.enter('A');
    expect(eve.enter('E', { id: ann.id })).toBeUndefined();
    await time.pass(SOON_MS);
    bus.lost.all = false;
    await time.pass(REPEAT_MS);
    const [here, there] = [one.client('watcher'), two.client('watcher')];
    for (const watcher of [here, there]) watcher.enter();
    await time.pass(SOON_MS);
    for (const watcher of [here, there])
      expect(watcher.seenByUser().sort(([, a], [, b]) => a.localeCompare(b))).toEqual([
        [ann.id, 'ann', 'A'],
        [ann.id, 'eve', 'E'],
      ]);
    eve.close();
    await time.pass(SOON_MS);
    for (const watcher of [here, there]) expect(watcher.seenByUser()).toEqual([[ann.id, 'ann', 'A']]);
  });

  test('keeps the id of a user for the gateway that has it', async () => {
    const { time, gateway, bus } = presenceWorld();
    const [one, two, three] = [gateway(), gateway(), gateway()];
    const [ann, watcher] = [one.client('ann'), three.client('watcher')];
    ann.enter('A');
    watcher.enter();
    const other = two.client('ann');
    other.enter();
    await time.pass(SOON_MS);
    expect(other.enter('E', { id: ann.id })).toBe('CONFLICT');
    const forged = { from: 'another', ledger: 'l', states: [[ann.id, 'ann', 'E']], gone: [] } as const;
    for (const text of peerTexts(forged)) bus.channel.send(text);
    const gone = [[ann.id, 'ann']] as const;
    for (const text of peerTexts({ from: 'another', ledger: 'l', gone })) bus.channel.send(text);
    await time.pass(SOON_MS);
    expect(watcher.seen()).toEqual({ [ann.id]: ['ann', 'A'] });
    expect(ann.seen()).toEqual({ [ann.id]: ['ann', 'A'] });
  });

  test('bounds what a hostile peer can store, and ignores ledgers without members here', async () => {
    const { time, gateway, bus } = presenceWorld({ limits: { bytesPerRoom: 50_000 } });
    const here = gateway();
    const ann = here.client('ann');
    ann.enter();
    await time.pass(SOON_MS);
    for (let n = 0; n < 2000; n += 1)
      for (const ledger of ['l', `unknown-${n}`])
        for (const text of peerTexts({
          from: `peer-${n}`,
          ledger,
          states: [[clientId(), `user-${n}`, 'x'.repeat(2000)]],
        }))
          bus.channel.send(text);
    expect(here.rooms.counts().states).toBeLessThan(25);
    await time.pass(EXPIRE_MS + SOON_MS);
    expect(here.rooms.counts().states).toBe(0);
    expect(ann.seen()).toEqual({});
  });

  test('counts states at other gateways against the limit of a user and room', async () => {
    const { time, gateway } = presenceWorld({ limits: { statesPerUserAndRoom: 2 } });
    const [one, two] = [gateway(), gateway()];
    for (const _ of [1, 2]) one.client('ann').enter('A');
    const watcher = two.client('watcher');
    watcher.enter();
    await time.pass(SOON_MS);
    expect(two.client('ann').enter('A')).toBe('LIMIT_REACHED');
  });

  test('tells other gateways at once that the last client here left', async () => {
    const { time, gateway } = presenceWorld();
    const [one, two] = [gateway(), gateway()];
    const [ann, ben] = [one.client('ann'), two.client('ben')];
    ann.enter('A');
    ben.enter();
    await time.pass(SOON_MS);
    ann.close();
    await time.pass(150);
    expect(ben.seen()).toEqual({});
    expect(one.rooms.counts()).toEqual({ members: 0, states: 0 });
  });
});

describe('messages between gateways', () => {
  const from = 'gateway-1';
  test('splits states into texts that fit into a notification', () => {
    const states = Array.from({ length: 100 }, () => [clientId(), 'user', 'x'.repeat(1000)] as const);
    const texts = peerTexts({ from, ledger: 'l', states, gone: [[clientId(), 'user']], asks: true });
    for (const text of texts) expect(text.length).toBeLessThanOrEqual(PEER_CHARS_MAX);
    const read = texts.map((text) => readPeerText(text));
    expect(read.flatMap((message) => message?.states)).toEqual(states);
    expect(read.flatMap((message) => message?.gone)).toHaveLength(1);
    expect(read.filter((message) => message?.asks)).toHaveLength(1);
  });

  test('splits the ids of many clients that left', () => {
    const user = 'u'.repeat(200);
    const gone = Array.from({ length: 5000 }, () => [clientId(), user] as const);
    const texts = peerTexts({ from, ledger: 'l', gone });
    for (const text of texts) expect(text.length).toBeLessThanOrEqual(PEER_CHARS_MAX);
    expect(texts.flatMap((text) => readPeerText(text)?.gone)).toEqual(gone);
  });

  test.each([
    ['no JSON', '{'],
    ['another kind of value', '[1]'],
    ['null', 'null'],
    ['a long text', JSON.stringify({ f: from, l: 'l', more: 'x'.repeat(8000) })],
    ['a sender that is no name', JSON.stringify({ f: 5, l: 'l' })],
    ['a ledger with other characters', JSON.stringify({ f: from, l: 'l"' })],
  ])('rejects %s', (_, text) => {
    expect(readPeerText(text)).toBeUndefined();
  });

  test('drops entries that are not valid, and keeps the others', () => {
    const good = [clientId(), 'user', 'state'];
    const bad = [
      [],
      [1, 2, 3],
      ['short', 'user', 'state'],
      [clientId(), 'us"er', 'x'],
      [clientId(), 'u', '<b>'],
    ];
    const text = JSON.stringify({
      f: from,
      l: 'l',
      s: [...bad, good],
      g: ['no id', 7, [good[0]], ['short', 'user'], [good[0], 'u"'], [good[0], 'user']],
    });
    expect(readPeerText(text)).toMatchObject({ states: [good], gone: [[good[0], 'user']], asks: false });
    expect(readPeerText(JSON.stringify({ f: from, l: 'l', s: 'x', g: { length: 9 } }))).toMatchObject({
      states: [],
      gone: [],
    });
  });
});
