import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tokenUntil } from '../../../local/access-token.fixture.ts';
import { accessTo } from '../../../local/elsewhere-access.ts';
import { isReturn, leaveFor, takeReturn } from './hand-over.ts';

const SERVER = 'https://other.example/fixpoint';
const OTHER = 'fpcloud://other.example/fixpoint/fp?tenant=zT&ledger=zL';
const named = { localName: 'notes', remoteName: 'team notes' };

const clear = () => {
  localStorage.clear();
  sessionStorage.clear();
};
beforeEach(clear);
afterEach(clear);

/** Leaves for the other server, and returns the address there. */
function left(endpoint = 'https://other.example/fixpoint', isSealed = false): URL {
  const addresses: string[] = [];
  leaveFor(SERVER, { ...named, endpoint }, { isSealed }, (address) => void addresses.push(address));
  return new URL(addresses[0] ?? '');
}

const returned = (state: string | null, token = tokenUntil(Date.now() + 3_600_000)) =>
  takeReturn(new URLSearchParams({ fpToken: token, state: state ?? '' }));

describe('a connection to another server', () => {
  test('is allowed on its hand-off page, which returns to the connect page', () => {
    const { origin, pathname, searchParams } = left();
    expect(origin + pathname).toBe(`${SERVER}/fp/cloud/api/token`);
    expect(Object.fromEntries(searchParams)).toEqual({
      back_url: `${location.origin}/fp/databases/connect`,
      state: expect.stringMatching(/^[0-9a-f-]{36}$/),
      local_ledger_name: 'notes',
    });
  });

  test('asks there for the ledger that the endpoint names', () => {
    const { searchParams } = left(OTHER);
    expect([searchParams.get('tenant'), searchParams.get('ledger')]).toEqual(['zT', 'zL']);
  });

  test('gets the ledger of the token, and keeps the token for it', () => {
    const back = returned(left(undefined, true).searchParams.get('state'));
    expect(Object.fromEntries(back as URLSearchParams)).toEqual({ ...named, endpoint: OTHER });
    expect(accessTo('notes', OTHER)?.isSealed).toBe(true);
  });

  test('keeps an endpoint that already names this ledger', () => {
    const endpoint = 'https://other.example/fixpoint?ledger=zL&tenant=zT';
    const back = returned(left(endpoint).searchParams.get('state')) as URLSearchParams;
    expect(back.get('endpoint')).toBe(endpoint);
    expect(accessTo('notes', endpoint)).toBeDefined();
  });

  test('uses no token that this tab didn’t ask for', () => {
    expect(returned(null)).toHaveProperty('problem');
    left();
    expect(returned('another state')).toHaveProperty('problem');
    expect(localStorage.length).toBe(0);
  });

  test('uses an answer only once', () => {
    const state = left().searchParams.get('state');
    expect(returned(state)).not.toHaveProperty('problem');
    expect(returned(state)).toHaveProperty('problem');
  });

  test('uses no token that isn’t for one ledger', () => {
    const state = left().searchParams.get('state');
    expect(returned(state, tokenUntil(Date.now(), { tenant: 'zT' }))).toHaveProperty('problem');
    expect(localStorage.length).toBe(0);
  });

  test('is recognised by the token in the address', () => {
    expect([isReturn(new URLSearchParams('fpToken=')), isReturn(new URLSearchParams('localName=x'))]).toEqual(
      [true, false],
    );
  });
});
