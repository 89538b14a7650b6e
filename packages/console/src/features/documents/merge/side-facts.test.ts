import { describe, expect, test } from 'vitest';
import type { People } from '../../../values/who-wrote.ts';
import { factsOf } from './side-facts.ts';

const PEOPLE: People = new Map([['u1', { name: 'Ada Lovelace', email: 'ada@example.com' }]]);
const ago = () => Date.now() - 120_000;
const received = (account: string) => ({ received: { atMs: ago(), account } });

describe('the facts of one side of a merge', () => {
  test.each([
    ['a person', { device: 'abcdef1', ...received('u1') }, 'Ada Lovelace', 'Ada Lovelace, 2 minutes ago'],
    [
      'a person on this device',
      { device: 'own', ...received('u1') },
      'Ada Lovelace',
      'Ada Lovelace on this device, 2 minutes ago',
    ],
    [
      'an account',
      { device: 'abcdef1', ...received('u2') },
      undefined,
      'Account u2 on device abcdef, 2 minutes ago',
    ],
    ['a device', { device: 'abcdef1', time: ago() }, undefined, 'Device abcdef, 2 minutes ago'],
    ['an event without a time', { device: 'own' }, undefined, 'This device'],
    ['an event of an existing client', {}, undefined, 'Unknown author'],
  ])('names %s', (_what, stamp, person, text) => {
    expect(factsOf('Mine', stamp, 'own', PEOPLE)).toEqual({ name: 'Mine', person, text });
  });

  test('says only that it was changed elsewhere until the version is known', () => {
    expect(factsOf('The other version', undefined, 'own', PEOPLE)).toEqual({
      name: 'The other version',
      person: undefined,
      text: 'Changed elsewhere',
    });
  });
});
