import { expect, test } from 'vitest';
import type { ClockEvent } from '../clock/event.ts';
import type { Cid } from '../codec/cid.ts';
import { valuesOfChanges } from './walk-of-changes.ts';

/** Returns a reader of events, which are given as their parents and the values of their keys. */
function history(events: Readonly<Record<string, readonly [parents: string, values: object]>>) {
  return async (cid: Cid): Promise<ClockEvent> => {
    const [parents, values] = events[cid] ?? ['', {}];
    return {
      root: 'root' as Cid,
      parents: [...parents] as Cid[],
      operations: Object.entries(values).map(([key, value]) => ({ key, value: value as Cid })),
    };
  };
}
const walked = async (head: string, events: Parameters<typeof history>[0]) =>
  [...(await valuesOfChanges([...head] as Cid[], history(events)))].sort();

test('finds only the newest value of each key in a history without a fork', async () => {
  const events = { a: ['', { k: 'k1', l: 'l1' }], b: ['a', { k: 'k2' }], c: ['b', { k: 'k3' }] } as const;
  expect(await walked('c', events)).toEqual(['k3', 'l1']);
});

test('finds old values before newer ones of another branch, whatever order the head has', async () => {
  const events = {
    a: ['', { k: 'k1', l: 'l1' }],
    b: ['a', { k: 'k2' }],
    c: ['a', { l: 'l2' }],
  } as const;
  expect(await walked('bc', events)).toEqual(['k1', 'k2', 'l1', 'l2']);
  // The parents of an event have an order.
  expect(await walked('d', { ...events, d: ['bc', {}] })).toEqual(['k2', 'l1']);
});

test('visits each event once, and takes the last operation on a key', async () => {
  const event = async (cid: Cid): Promise<ClockEvent> => ({
    root: 'root' as Cid,
    parents: (cid === 'b' ? ['a', 'a'] : []) as Cid[],
    operations: [
      { key: 'k', value: `${cid}1` as Cid },
      { key: 'k', value: `${cid}2` as Cid },
      { key: 'gone', value: undefined },
    ],
  });
  expect([...(await valuesOfChanges(['b'] as Cid[], event))]).toEqual(['b2']);
});
