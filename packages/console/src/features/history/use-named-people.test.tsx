import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import type { Database, LedgerDevice } from 'fixpoint';
import { afterEach, expect, test, vi } from 'vitest';
import { deviceText, NOBODY } from '../../values/who-wrote.ts';
import { attachedWith } from '../keys/attached.fixture.ts';
import { useNamedPeople } from './use-named-people.ts';

afterEach(cleanup);

const database = { device: async () => 'own' } as unknown as Database;
const deviceOf = (given: Partial<LedgerDevice>) => given as LedgerDevice;

test('names the devices of a sealed ledger, also after the user renamed one', async () => {
  let list = [
    deviceOf({ id: 'a', isThis: true, yourName: 'Laptop' }),
    deviceOf({ id: 'b', isThis: false, eventDevice: 'bbbbbbbb', yourName: 'Phone' }),
    deviceOf({ id: 'c', isThis: false, eventDevice: 'cccccccc' }),
    deviceOf({ id: 'd', isThis: false, yourName: 'Its events are not known' }),
  ];
  const { attached, become } = attachedWith({ devices: { list: async () => list } });
  const promise = Promise.resolve(attached);
  const { result } = renderHook(() => useNamedPeople(database, promise, NOBODY));
  const names = () => ['own', 'bbbbbbbb', 'cccccccc'].map((one) => deviceText(one, 'own', result.current));
  await waitFor(() => expect(names()).toEqual(['Laptop', 'Phone', 'device cccccc']));
  expect(result.current.size).toBe(2);
  list = list.map((one) => (one.id === 'b' ? { ...one, yourName: 'Old phone' } : one));
  await become({ keys: 1 });
  await waitFor(() => expect(names()[1]).toBe('Old phone'));
});

test('asks for no devices without a sealed ledger, and shows them without names if that fails', async () => {
  const list = vi.fn(async () => Promise.reject(new Error('offline')));
  const plain = Promise.resolve(attachedWith({ devices: { list }, kind: () => 'open-key' }).attached);
  const { result, rerender } = renderHook(({ promise }) => useNamedPeople(database, promise, NOBODY), {
    initialProps: { promise: plain },
  });
  await act(async () => undefined);
  expect([list.mock.calls.length, result.current]).toEqual([0, NOBODY]);
  rerender({ promise: Promise.resolve(attachedWith({ devices: { list } }).attached) });
  await waitFor(() => expect(list).toHaveBeenCalledTimes(1));
  expect(result.current).toBe(NOBODY);
});
