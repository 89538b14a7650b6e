import { describe, expect, test } from 'vitest';
import { NOBODY, whenWritten, whoWrote } from './who-wrote.ts';

const PEOPLE = new Map([['u1', { name: 'Ada', email: 'ada@example.com' }]]);
const OWN = 'aaaaaaaaaaaa';
const received = (account?: string) => ({ received: { atMs: 5, ...(account && { account }) } });

describe('the author of an event', () => {
  test.each([
    ['a person, and their device', { device: 'bbbbbbbbbbbb', ...received('u1') }, 'Ada', 'device bbbbbb'],
    ['a person on this device', { device: OWN, ...received('u1') }, 'Ada', 'this device'],
    ['a person without a device', received('u1'), 'Ada', undefined],
    ['an account that has no name', received('zLongAccountId'), 'Account zLongA', undefined],
    ['this device', { device: OWN }, 'This device', undefined],
    ['another device', { device: 'bbbbbbbbbbbb', ...received() }, 'Device bbbbbb', undefined],
    ['nobody that is known', {}, 'Unknown author', undefined],
  ])('is %s', (_what, stamp, name, device) => {
    expect(whoWrote(stamp, OWN, PEOPLE)).toMatchObject({ name, device, isPerson: name === 'Ada' });
  });

  test('has one id for all devices of an account', () => {
    const ids = ['bbbb', 'cccc', undefined].map(
      (device) => whoWrote({ ...(device && { device }), ...received('u1') }, OWN, NOBODY).id,
    );
    expect(new Set(ids)).toEqual(new Set(['u1']));
  });
});

test('prefers the time of the device to the time at which the gateway received an event', () => {
  expect([{ time: 3, ...received() }, received(), {}].map(whenWritten)).toEqual([3, 5, undefined]);
});
