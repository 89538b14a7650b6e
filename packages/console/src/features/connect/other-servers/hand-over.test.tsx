import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { tokenUntil } from '../../../local/access-token.fixture.ts';
import { forgetAgreed } from '../../../local/agreed-endpoints.ts';
import { accessTo } from '../../../local/elsewhere-access.ts';
import { isReturn, leaveFor, takeReturn } from './hand-over.ts';

const SERVER = 'https://other.example/fixpoint';
const OTHER = 'fpcloud://other.example/fixpoint/fp?tenant=zT&ledger=zL';
const ADA = 'ada@example.com';
const named = { localName: 'notes', remoteName: 'team notes' };

const clear = () => {
  localStorage.clear();
  sessionStorage.clear();
};
beforeEach(clear);
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  clear();
});

/** Leaves for the other server, and returns the address there. */
function left(endpoint = 'https://other.example/fixpoint', isSealed = false, isAgain = false): URL {
  const addresses: string[] = [];
  leaveFor(
    SERVER,
    { ...named, endpoint },
    { isSealed, user: ADA, isAgain },
    (address) => void addresses.push(address),
  );
  return new URL(addresses[0] ?? '');
}

const returned = (
  state: string | null,
  token = tokenUntil(Date.now() + 3_600_000),
  user: string | null = ADA,
) => takeReturn(new URLSearchParams({ fpToken: token, state: state ?? '' }), user);

describe('a connection to another server', () => {
  test('is allowed on its hand-off page, which returns to the connect page', () => {
    const { origin, pathname, searchParams } = left();
    expect(origin + pathname).toBe(`${SERVER}/fp/cloud/api/token`);
    expect(Object.fromEntries(searchParams)).toEqual({
      back_url: `${location.origin}/fp/databases/connect`,
      state: expect.stringMatching(/^[0-9a-f-]{36}$/),
      local_ledger_name: 'notes',
      prompt: 'consent',
    });
  });

  test('asks there for the ledger that the endpoint names', () => {
    const { searchParams } = left(OTHER);
    expect([searchParams.get('tenant'), searchParams.get('ledger')]).toEqual(['zT', 'zL']);
  });

  test('gets the ledger of the token, and keeps the token for it', () => {
    const back = returned(left(undefined, true).searchParams.get('state'));
    expect(Object.fromEntries(back as URLSearchParams)).toEqual({ ...named, endpoint: OTHER });
    expect(accessTo('notes', OTHER, ADA)?.isSealed).toBe(true);
  });

  test('keeps an endpoint that already names this ledger', () => {
    const endpoint = 'https://other.example/fixpoint?ledger=zL&tenant=zT';
    const back = returned(left(endpoint).searchParams.get('state')) as URLSearchParams;
    expect(back.get('endpoint')).toBe(endpoint);
    expect(accessTo('notes', endpoint, ADA)).toBeDefined();
  });

  test('lets the other server decide whether to ask only when the user renews access', () => {
    expect(left(OTHER, false, true).searchParams.has('prompt')).toBe(false);
  });

  test('uses no token that this tab didn’t ask for, and still waits for its own', () => {
    expect(returned(null)).toHaveProperty('problem');
    const state = left().searchParams.get('state');
    expect(returned('another state')).toHaveProperty('problem');
    expect(localStorage.length).toBe(0);
    expect(returned(state)).not.toHaveProperty('problem');
  });

  test('uses no token for another user of this server', () => {
    const state = left().searchParams.get('state');
    expect(returned(state, undefined, null)).toHaveProperty('problem');
    expect(localStorage.length).toBe(0);
  });

  test('uses no token after the database was disconnected, or later than 15 minutes', () => {
    let state = left().searchParams.get('state');
    forgetAgreed('notes');
    expect(returned(state)).toHaveProperty('problem');
    state = left().searchParams.get('state');
    const later = Date.now() + 15 * 60_000 + 1;
    vi.spyOn(Date, 'now').mockReturnValue(later);
    expect(returned(state)).toHaveProperty('problem');
  });

  test('says when this browser doesn’t keep the access', () => {
    const state = left().searchParams.get('state');
    vi.stubGlobal('localStorage', undefined);
    expect(returned(state)).toEqual({ problem: expect.stringMatching(/^This browser doesn’t store/) });
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
