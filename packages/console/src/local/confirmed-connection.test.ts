import { afterEach, describe, expect, test } from 'vitest';
import { HOSTILE_NAMES } from '../values/hostile-names.fixture.ts';
import { confirmConnection, takeConfirmed } from './confirmed-connection.ts';

const ASKED = { localName: 'notes', remoteName: 'team notes', endpoint: 'fpcloud://h/?tenant=zT&ledger=zL' };
const OTHER = { ...ASKED, localName: 'other' };
const ADA = 'ada@example.com';

afterEach(() => void takeConfirmed(OTHER));

describe('the confirmation of a connection', () => {
  test('is valid once, so that a reload or a later link confirms nothing', () => {
    confirmConnection(ASKED, { shares: true, email: ADA });
    expect(takeConfirmed(ASKED)).toMatchObject({ shares: true, email: ADA });
    expect(takeConfirmed(ASKED)).toEqual({});
  });

  test('is compared by value, because the address of the page is parsed again', () => {
    confirmConnection({ ...ASKED }, { email: ADA });
    expect(takeConfirmed(structuredClone(ASKED)).email).toBe(ADA);
  });

  test.each([
    ['local name', { localName: 'Notes' }],
    ['remote name', { remoteName: 'team_notes' }],
    ['ledger', { endpoint: 'fpcloud://h/?tenant=zT&ledger=zEvil' }],
    ['server', { endpoint: 'fpcloud://evil/?tenant=zT&ledger=zL' }],
  ])('doesn’t apply to a connection with another %s', (_part, changed) => {
    confirmConnection(ASKED, { shares: true, email: ADA });
    expect(takeConfirmed({ ...ASKED, ...changed })).toEqual({});
  });

  test('ends when another connection is asked for', () => {
    confirmConnection(ASKED, { shares: true, email: ADA });
    expect(takeConfirmed(OTHER)).toEqual({});
    expect(takeConfirmed(ASKED)).toEqual({});
  });

  test('is replaced by the next one', () => {
    confirmConnection(ASKED, { shares: true, email: ADA });
    confirmConnection(OTHER, {});
    expect(takeConfirmed(ASKED)).toEqual({});
    confirmConnection(ASKED, { shares: true, email: ADA });
    confirmConnection(ASKED, { email: 'grace@example.com' });
    expect(takeConfirmed(ASKED)).toMatchObject({ email: 'grace@example.com' });
    confirmConnection(ASKED, {});
    expect(takeConfirmed(ASKED).shares).toBeUndefined();
  });

  test('doesn’t confuse where one name ends and the next begins', () => {
    confirmConnection({ localName: 'a","b', remoteName: 'c', endpoint: '' }, { email: ADA });
    expect(takeConfirmed({ localName: 'a', remoteName: 'b","c', endpoint: '' })).toEqual({});
  });

  test.each(HOSTILE_NAMES.map((name) => [name.slice(0, 20), name]))(
    'works for the name %j',
    (_shown, name) => {
      const asked = { localName: name, remoteName: name, endpoint: '' };
      expect(takeConfirmed(asked)).toEqual({});
      confirmConnection(asked, { shares: true });
      expect(takeConfirmed(asked).shares).toBe(true);
    },
  );
});
