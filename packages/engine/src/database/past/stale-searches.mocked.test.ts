import { FixpointError } from '@fixpoint/protocol';
import { expect, test, vi } from 'vitest';
import { chain, dag, eventCid, linkOf } from '../../clock/dag.fixture.ts';

vi.mock('../../trie/get.ts', () => ({
  getLink: async () => {
    for (let i = 0; i < 200; i++) await null;
    return undefined;
  },
}));
vi.mock('../read.ts', () => ({ readLive: async () => ({}) }));
const { conflictsAmong } = await import('./concurrent-writes.ts');
const { eventsIndexOf } = await import('./history.ts');
test('ends concurrent searches at snapshots that left the head', async () => {
  const g = dag({ ...chain('a', 5), ...chain('x', 3), ...chain('b', 5), ...chain('c', 5) }, () => ['k']);
  const broken = new Set([eventCid('a3'), eventCid('x2')]);
  const core = {
    commits: {
      readers: {
        event: async (c: never) => {
          if (broken.has(c)) throw new FixpointError('MISSING_BLOCK');
          return g.read(c);
        },
        shard: undefined,
      },
      snapshot: () => ({ head: g.head('b5', 'c5'), root: linkOf('r') }),
      hasDropped: () => false,
      horizon: () => undefined,
    },
    platform: { time: { now: () => 0 } },
  } as never;

  const keys = ['k', ...Array.from({ length: 29 }, (_, at) => `k${at + 1}`)];
  const old = (n: string) =>
    conflictsAmong(core, { head: g.head(n, 'c5'), root: linkOf('r') } as never, keys, { ifUnreadable: true });
  const later = async (ticks: number, n: string) => {
    for (let i = 0; i < ticks; i++) await null;
    return old(n);
  };
  await Promise.all([old('a5'), later(150, 'x3'), later(300, 'a5')]);
  await eventsIndexOf(core).follow(g.head('b5', 'c5'), { isDue: () => false, rest: async () => {} });
  expect(eventsIndexOf(core).unread.size).toBe(0);
});
