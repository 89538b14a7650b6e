import { describe, expect, test } from 'vitest';
import {
  clockAhead,
  deviceText,
  LOADING_PEOPLE,
  NOBODY,
  peopleOf,
  whenWritten,
  whoWrote,
  withDeviceNames,
  withDevices,
} from './who-wrote.ts';

const PEOPLE = new Map([['u1', { name: 'Ada', email: 'ada@example.com' }]]);
const OWN = 'aaaaaaaaaaaa';
const received = (account?: string) => ({ received: { atMs: 5, ...(account && { account }) } });

describe('the author of an event', () => {
  test.each([
    ['a person on another device', { device: 'bbbbbbbbbbbb', ...received('u1') }, 'Ada', undefined],
    [
      'an account without a name, and its device',
      { device: 'bbbbbbbbbbbb', ...received('u2') },
      'Account u2',
      'device bbbbbb',
    ],
    ['a person on this device', { device: OWN, ...received('u1') }, 'Ada', 'this device'],
    ['a person without a device', received('u1'), 'Ada', undefined],
    ['an account that has no name', received('zLongAccountId'), 'Account zLongA', undefined],
    ['this device', { device: OWN }, 'This device', undefined],
    ['another device', { device: 'bbbbbbbbbbbb', ...received() }, 'Device bbbbbb', undefined],
    ['nobody that is known', {}, 'Unknown author', undefined],
  ])('is %s', (_what, stamp, name, device) => {
    expect(whoWrote(stamp, OWN, PEOPLE)).toMatchObject({ name, device, isPerson: name === 'Ada' });
  });

  test('is somebody while the names load, and never the id of an account', () => {
    expect(whoWrote(received('zLongAccountId'), OWN, LOADING_PEOPLE)).toMatchObject({
      id: 'zLongAccountId',
      name: 'Somebody',
      person: undefined,
    });
    const named = withDeviceNames(LOADING_PEOPLE, new Map([['bbbbbbbbbbbb', 'Phone']]));
    expect(whoWrote(received('u1'), OWN, named).name).toBe('Somebody');
  });

  test('has one id for all devices of an account', () => {
    const ids = ['bbbb', 'cccc', undefined].map(
      (device) => whoWrote({ ...(device && { device }), ...received('u1') }, OWN, NOBODY).id,
    );
    expect(new Set(ids)).toEqual(new Set(['u1']));
  });
});

describe('the people of a tenant', () => {
  const ada = { userId: 'u-ada-1', name: 'Ada', email: 'ada@example.com' };
  const namesOf = (people: ReturnType<typeof peopleOf>) =>
    [...people].map(([id, { name }]) => `${id} ${name}`);

  test('names members and others who wrote, each once, and knows them by address or account', () => {
    const writers = [
      { userId: 'u-ada-1', name: 'Ada' },
      { userId: 'u-gus-1', name: 'Gus' },
    ];
    const people = peopleOf([ada, { userId: 'u-bob-1', email: 'bob@example.com' }], writers);
    expect(new Set(namesOf(people))).toEqual(
      new Set(['u-ada-1 Ada', 'u-gus-1 Gus', 'u-bob-1 bob@example.com']),
    );
    const identities = ['u-ada-1', 'u-gus-1', 'u-eve-1'].map(
      (account) => whoWrote(received(account), OWN, people).identity,
    );
    expect(identities).toEqual(['ada@example.com', 'Account u-gus-', undefined]);
  });

  test('identifies the owner of a device by the account, if the address is unknown', () => {
    const people = withDevices(peopleOf([], [{ userId: 'u-gus-1', name: 'Gus' }]), [
      { device: 'dd', ...received('u-gus-1') },
    ]);
    expect(whoWrote({ device: 'dd' }, OWN, people)).toMatchObject({
      name: 'A device of Gus',
      identity: 'Account u-gus-',
    });
  });

  test('distinguishes two people of one name by their accounts, unless their addresses do', () => {
    const other = { userId: 'x-other-2', name: 'ADA' };
    expect(namesOf(peopleOf([], [{ userId: 'u-ada-1', name: 'Ada' }, other]))).toEqual([
      'u-ada-1 Ada (u-ada-)',
      'x-other-2 ADA (x-othe)',
    ]);
    expect(new Set(namesOf(peopleOf([ada], [other])))).toEqual(
      new Set(['u-ada-1 Ada', 'x-other-2 ADA (x-othe)']),
    );
  });
});

describe('the author of an event that no gateway received', () => {
  const device = 'bbbbbbbbbbbb';
  const known = withDevices(PEOPLE, [{ device, ...received('u1') }, { device: 'dd', ...received('u9') }, {}]);

  test('is the owner of the device, if another event of the device was received', () => {
    expect(whoWrote({ device }, OWN, known)).toEqual({
      id: 'u1',
      name: 'A device of Ada',
      identity: 'ada@example.com',
      isPerson: false,
      person: 'Ada',
      device: undefined,
    });
    expect(whoWrote({ device: 'dd' }, OWN, known).name).toBe('Device dd');
    expect(
      whoWrote({ device: OWN }, OWN, withDevices(PEOPLE, [{ device: OWN, ...received('u1') }])),
    ).toMatchObject({ name: 'This device', person: 'Ada' });
  });

  test('is the member who signed the event', () => {
    const author = { status: 'verified', name: 'Grace' } as const;
    expect(whoWrote({ device, author }, OWN, PEOPLE)).toMatchObject({
      name: 'A device of Grace',
      person: 'Grace',
    });
    expect(whoWrote({ device, author: { ...author, status: 'vouched for' } }, OWN, PEOPLE).name).toBe(
      'Device bbbbbb',
    );
  });
});

describe('a device to which the user gave a name', () => {
  const named = withDeviceNames(
    PEOPLE,
    new Map([
      [OWN, 'my laptop'],
      ['bbbbbbbbbbbb', 'Phone'],
    ]),
  );
  const device = 'bbbbbbbbbbbb';

  test.each([
    ['beside its owner', { device, ...received('u1') }, 'Ada', 'Phone'],
    ['beside an account without a name', { device, ...received('u2') }, 'Account u2', 'Phone'],
    ['alone until the gateway has received the event', { device }, 'Phone', undefined],
    ['instead of "this device"', { device: OWN }, 'my laptop', undefined],
    ['for this device beside its owner', { device: OWN, ...received('u1') }, 'Ada', 'my laptop'],
  ])('has this name %s', (_where, stamp, name, shown) => {
    expect(whoWrote(stamp, OWN, named)).toMatchObject({ name, device: shown });
  });

  test('keeps the picture of the member who signed the event', () => {
    const author = { status: 'verified', name: 'Grace' } as const;
    expect(whoWrote({ device, author }, OWN, named)).toMatchObject({ name: 'Phone', person: 'Grace' });
  });

  test('has its name in sentences as the user wrote it', () => {
    expect([device, OWN, 'cccccccc'].map((one) => deviceText(one, OWN, named))).toEqual([
      'Phone',
      'my laptop',
      'device cccccc',
    ]);
    expect(deviceText(OWN, OWN, PEOPLE)).toBe('this device');
  });
});

test.each([
  ['three hours ahead', { time: 10_800_005, ...received() }, 10_800_000],
  ['a minute ahead', { time: 60_000, ...received() }, undefined],
  ['behind', { time: 1, received: { atMs: 10_800_000 } }, undefined],
  ['unknown', received(), undefined],
])('reports a clock that is ahead of the gateway’s: %s', (_what, stamp, ahead) => {
  expect(clockAhead(stamp)).toBe(ahead);
});

test('prefers the time of the device to the time at which the gateway received an event', () => {
  expect([{ time: 3, ...received() }, received(), {}].map(whenWritten)).toEqual([3, 5, undefined]);
});
