import type { PresenceEvent } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import { seededRandom } from '../../testing/seeded-random.ts';
import { createOthers, keyOf } from './others.ts';
import { clientKey, type PresenceKey, presenceKey, sealState } from './seal-state.ts';

const ledgerBytes = utf8('tenant/ledger');

function arranged(seed = 1) {
  const random = seededRandom(seed);
  const newKey = () => presenceKey(random.bytes(32), random.bytes(16));
  const [first, second] = [newKey(), newKey()];
  const accepted = new Map<string, PresenceKey>([[first.name, first]]);
  let changes = 0;
  const keys = { refresh: () => false, current: () => first, find: (name: string) => accepted.get(name) };
  const others = createOthers('ledger', ledgerBytes, keys, () => {
    changes += 1;
  });
  /** Seals a state of a client. Its user is called by the first letter of the client. */
  const seal = async (id: string, number: number, state: object, key = first, user = id.slice(0, 1)) => {
    const subkey = await clientKey(key, id);
    return sealState(ledgerBytes, { id, user }, number, JSON.stringify(state), key, subkey, random);
  };
  const take = async (content: Partial<PresenceEvent> | object, ...own: string[]) => {
    others.take({ type: 'eventPresence', ledger: 'ledger', ...content }, (key) => own.includes(key));
    await others.settled();
  };
  const seen = () => [...others.all().values()].map(({ id, user, state }) => [id.split('/')[0], user, state]);
  return { others, seal, take, seen, accepted, first, second, newKey, changes: () => changes };
}

describe('the other clients', () => {
  test('shows states, changes and leaves', async () => {
    const { seal, take, seen } = arranged();
    await take({ states: [['ann', 'a', await seal('ann', 1, { n: 1 })]] });
    await take({ states: [['ben', 'b', await seal('ben', 1, { n: 2 })]] });
    expect(seen()).toEqual([
      ['ann', 'a', { n: 1 }],
      ['ben', 'b', { n: 2 }],
    ]);
    await take({ states: [['ann', 'a', await seal('ann', 2, { n: 3 })]], gone: [['ben', 'b']] });
    expect(seen()).toEqual([['ann', 'a', { n: 3 }]]);
  });

  test('replaces everybody by a listing', async () => {
    const { seal, take, seen } = arranged();
    await take({ states: [['ann', 'a', await seal('ann', 1, {})]] });
    await take({ all: true, states: [['ben', 'b', await seal('ben', 1, {})]] });
    expect(seen()).toEqual([['ben', 'b', {}]]);
  });

  test('skips its own states, now and over an earlier connection, and events of other ledgers', async () => {
    const { seal, take, seen } = arranged();
    const states = [
      ['me', 'm', await seal('me', 1, {})],
      ['mine', 'm', await seal('mine', 1, {})],
    ];
    await take({ states }, keyOf('m', 'me'), keyOf('m', 'mine'));
    await take({ states: [['me', 'eve', await seal('me', 1, {}, undefined, 'eve')]] }, keyOf('m', 'me'));
    expect(seen()).toEqual([['me', 'eve', {}]]);
    await take({ gone: [['me', 'eve']] });
    await take({ ledger: 'other', states: [['ann', 'a', await seal('ann', 1, {})]] });
    expect(seen()).toEqual([]);
  });

  test('ignores earlier states, also after the client left', async () => {
    const { seal, take, seen } = arranged();
    const [one, two] = [await seal('ann', 1, { n: 1 }), await seal('ann', 2, { n: 2 })];
    await take({ states: [['ann', 'a', two]] });
    await take({ states: [['ann', 'a', one]] });
    expect(seen()).toEqual([['ann', 'a', { n: 2 }]]);
    await take({ gone: [['ann', 'a']] });
    await take({ states: [['ann', 'a', one]] });
    expect(seen()).toEqual([]);
  });

  test('ignores earlier states, however often the gateway hides the client in between', async () => {
    const { seal, take, seen } = arranged();
    const early = await seal('ann', 2, { n: 2 });
    await take({ states: [['ann', 'a', await seal('ann', 6, { n: 6 })]] });
    for (let time = 0; time < 6; time += 1) {
      await take({ gone: [['ann', 'a']] });
      await take({ states: [['ann', 'a', 'no state at all']] });
    }
    await take({ gone: [['ann', 'a']] });
    await take({ states: [['ann', 'a', early]] });
    expect(seen()).toEqual([]);
  });

  test('shows a state again when its key is accepted again', async () => {
    const { others, seal, take, seen, accepted, first } = arranged();
    await take({ states: [['ann', 'a', await seal('ann', 3, { n: 3 })]] });
    accepted.delete(first.name);
    others.keysChanged();
    await others.settled();
    expect(seen()).toEqual([]);
    accepted.set(first.name, first);
    others.keysChanged();
    await others.settled();
    expect(seen()).toEqual([['ann', 'a', { n: 3 }]]);
  });

  test('shows a client again whose last state is listed after a lost connection', async () => {
    const { others, seal, take, seen } = arranged();
    const state = await seal('ann', 5, { n: 5 });
    await take({ states: [['ann', 'a', state]] });
    others.clear();
    expect(seen()).toEqual([]);
    await take({ all: true, states: [['ann', 'a', state]] });
    expect(seen()).toEqual([['ann', 'a', { n: 5 }]]);
  });

  test('ignores a state that was sealed by another client or without the key', async () => {
    const { seal, take, seen, newKey } = arranged();
    await take({
      states: [
        ['ann', 'a', await seal('ben', 1, {})],
        ['ben', 'b', await seal('ben', 1, {}, newKey())],
        ['cid', 'c', 'no state at all'],
      ],
    });
    expect(seen()).toEqual([]);
  });

  test('opens states once their key is known, and drops those whose key is no longer accepted', async () => {
    const { others, seal, take, seen, accepted, first, second } = arranged();
    await take({ states: [['ann', 'a', await seal('ann', 1, { n: 1 })]] });
    await take({ states: [['ben', 'b', await seal('ben', 1, { n: 2 }, second)]] });
    expect(seen()).toHaveLength(1);
    accepted.set(second.name, second);
    others.keysChanged();
    await others.settled();
    expect(seen()).toHaveLength(2);
    accepted.delete(first.name);
    others.keysChanged();
    await others.settled();
    expect(seen()).toEqual([['ben', 'b', { n: 2 }]]);
    await take({ states: [['ann', 'a', await seal('ann', 2, { n: 3 })]] });
    expect(seen()).toHaveLength(1);
    await take({ states: [['ann', 'a', await seal('ann', 3, { n: 4 }, second)]] });
    expect(seen()).toContainEqual(['ann', 'a', { n: 4 }]);
  });

  test('shows clients of different users with the same id, each with its own numbers', async () => {
    const { seal, take, seen } = arranged();
    await take({ states: [['ann', 'a', await seal('ann', 1, { n: 1 })]] });
    await take({ states: [['ann', 'eve', await seal('ann', 9, { n: 9 }, undefined, 'eve')]] });
    await take({ states: [['ann', 'a', await seal('ann', 2, { n: 2 })]] });
    expect(seen()).toEqual([
      ['ann', 'a', { n: 2 }],
      ['ann', 'eve', { n: 9 }],
    ]);
    await take({ gone: [['ann', 'eve']] });
    expect(seen()).toEqual([['ann', 'a', { n: 2 }]]);
  });

  test('ignores a state that the gateway shows as that of another user', async () => {
    const { seal, take, seen } = arranged();
    await take({ states: [['ann', 'eve', await seal('ann', 1, {})]] });
    expect(seen()).toEqual([]);
  });

  test('keeps objects that did not change, and tells once per event', async () => {
    const { others, seal, take, changes } = arranged();
    await take({
      states: [
        ['ann', 'a', await seal('ann', 1, { n: 1 })],
        ['ben', 'b', await seal('ben', 1, { n: 1 })],
      ],
    });
    expect(changes()).toBe(1);
    const [map, ann] = [others.all(), others.all().get(keyOf('a', 'ann'))];
    await take({ states: [['ann', 'a', await seal('ann', 2, { n: 1 })]] });
    expect(others.all()).toBe(map);
    await take({ states: [['ben', 'b', await seal('ben', 2, { n: 2 })]] });
    expect(others.all()).not.toBe(map);
    expect(others.all().get(keyOf('a', 'ann'))).toBe(ann);
    expect(changes()).toBe(2);
  });

  test.each([
    [{ states: 'text', gone: 5, all: 'yes' }],
    [
      {
        states: [null, [], ['ann'], ['ann', 5, 'x'], ['x'.repeat(100), 'u', 'x'], { length: 3 }],
        gone: [null, {}, 'ann', ['ann'], ['ann', 5]],
      },
    ],
    [{ states: [['ann', 'a', 'x'.repeat(100_000)]] }],
    [{ states: { length: 1e9 } }],
  ])('ignores malformed content: %#', async (content) => {
    const { take, seen } = arranged();
    await take(content);
    expect(seen()).toEqual([]);
  });

  test('remembers a limited number of clients, present and left', async () => {
    const { take, seal, seen } = arranged();
    for (let part = 0; part < 4; part += 1) {
      const states = Array.from({ length: 4000 }, (_, n) => [`client-${part}-${n}`, 'c', 'x'] as const);
      await take({ states });
    }
    await take({ states: [['late', 'l', await seal('late', 1, {})]] });
    expect(seen()).toEqual([]);
    await take({ all: true, states: [['late', 'l', await seal('late', 1, {})]] });
    expect(seen()).toHaveLength(1);
  });

  test('opens the newest of many states that arrive at once', async () => {
    const { others, seal, seen } = arranged();
    const texts = await Promise.all(Array.from({ length: 50 }, (_, n) => seal('ann', n + 1, { n })));
    for (const text of texts) others.take({ ledger: 'ledger', states: [['ann', 'a', text]] }, () => false);
    await others.settled();
    expect(seen()).toEqual([['ann', 'a', { n: 49 }]]);
  });
});
