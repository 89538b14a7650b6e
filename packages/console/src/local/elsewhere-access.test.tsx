import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tokenUntil } from './access-token.fixture.ts';
import { forgetAgreed } from './agreed-endpoints.ts';
import { accessTo, hasEnded, isDue, keepAccess, tokenClaims } from './elsewhere-access.ts';
import { forgetLedgerNotes, forgetNotesOf } from './forget-notes.ts';

const [OTHER, EVIL] = ['fpcloud://o/?tenant=zT&ledger=zL', 'fpcloud://evil/?tenant=zT&ledger=zL'];
const ADA = 'ada@example.com';
const NOW = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const given = {
  endpoint: OTHER,
  token: tokenUntil(NOW + HOUR_MS, undefined, { issuedAtMs: NOW }),
  user: ADA,
  isSealed: true,
};
const access = { ...given, arrivedAtMs: NOW };

beforeEach(() => localStorage.clear());
afterEach(() => localStorage.clear());

describe('access to a ledger of another server', () => {
  test('applies to one database under all its names, and to one endpoint', () => {
    keepAccess('my notes', given, NOW);
    expect(accessTo('my_notes', OTHER, ADA)).toEqual(access);
    expect([
      accessTo('other', OTHER, ADA),
      accessTo('my notes', EVIL, ADA),
      accessTo('my notes', '', ADA),
    ]).toEqual([undefined, undefined, undefined]);
  });

  test('applies to the user who allowed it, signed in or not', () => {
    keepAccess('notes', given, NOW);
    expect([accessTo('notes', OTHER, 'grace@example.com'), accessTo('notes', OTHER, null)]).toEqual([
      undefined,
      undefined,
    ]);
    keepAccess('notes', { ...given, user: null });
    expect([accessTo('notes', OTHER, ADA), accessTo('notes', OTHER, null)?.user]).toEqual([undefined, null]);
  });

  test.each([
    ['the database is disconnected', () => forgetAgreed('notes')],
    ['the database is deleted', () => forgetNotesOf('notes')],
    ['the user signs out', () => forgetLedgerNotes()],
  ])('is forgotten when %s', (_when, forget) => {
    keepAccess('notes', given, NOW);
    forget();
    expect(accessTo('notes', OTHER, ADA)).toBeUndefined();
  });

  test.each(['', 'null', '{}', '{"endpoint":', JSON.stringify({ endpoint: OTHER, token: 1 })])(
    'ignores a damaged note: %j',
    (note) => {
      localStorage.setItem('fixpoint:access:notes', note);
      expect(accessTo('notes', OTHER, ADA)).toBeUndefined();
    },
  );

  test('applies to the console below one path, because all paths of a host share the storage', () => {
    const root = document.documentElement.dataset;
    root['base'] = '/a';
    keepAccess('notes', given, NOW);
    root['base'] = '/b';
    expect(accessTo('notes', OTHER, ADA)).toBeUndefined();
    root['base'] = '/a';
    expect(accessTo('notes', OTHER, ADA)).toEqual(access);
    delete root['base'];
  });

  test('ends two minutes before its token does, when the engine wants the next one', () => {
    expect([HOUR_MS - 121_000, HOUR_MS - 120_000].map((ms) => hasEnded(access, NOW + ms))).toEqual([
      false,
      true,
    ]);
    expect(hasEnded({ ...access, token: 'nonsense' }, NOW)).toBe(true);
  });

  test.each([
    ['fast', 2 * HOUR_MS],
    ['slow', -2 * HOUR_MS],
  ])('lasts as long as its token if the clock of this device is %s', (_how, wrongByMs) => {
    const here = NOW + wrongByMs;
    keepAccess('notes', given, here);
    const found = accessTo('notes', OTHER, ADA) ?? access;
    expect([0, HOUR_MS - 121_000, HOUR_MS].map((ms) => hasEnded(found, here + ms))).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('lasts until the time in a token that doesn’t say when it was issued', () => {
    const token = tokenUntil(NOW + HOUR_MS, undefined, { issuedAtMs: Number.NaN });
    expect([0, HOUR_MS].map((ms) => hasEnded({ ...access, token }, NOW + ms))).toEqual([false, true]);
  });
});

test('extends a token once half of its life is over, until it ends, and within its hour', () => {
  const MINUTE_MS = 60_000;
  const of = (endsAtMs: number, untilMs?: number) => ({
    ...access,
    token: tokenUntil(endsAtMs, undefined, { issuedAtMs: NOW, ...(untilMs !== undefined && { untilMs }) }),
  });
  const first = of(NOW + 10 * MINUTE_MS, NOW + HOUR_MS);
  const at = [-1, 4, 5, 9, 10].map((minutes) => isDue(first, NOW + minutes * MINUTE_MS));
  expect(at).toEqual([true, false, true, true, false]);
  // The last one of the hour, and one that the other server doesn't extend.
  expect(isDue(of(NOW + 10 * MINUTE_MS, NOW + 10 * MINUTE_MS), NOW + 6 * MINUTE_MS)).toBe(false);
  expect(isDue(of(NOW + 10 * MINUTE_MS), NOW + 6 * MINUTE_MS)).toBe(false);
  expect(isDue({ ...access, token: 'nonsense' }, NOW)).toBe(false);
});

describe('reading a token', () => {
  test('tells which ledger it opens, how long, and until when', () => {
    const claims = { endsAtMs: NOW, lifeMs: HOUR_MS, untilMs: NOW, tenantId: 'zT', ledgerId: 'zL' };
    const token = tokenUntil(NOW, undefined, { issuedAtMs: NOW - HOUR_MS, untilMs: NOW });
    expect(tokenClaims(token)).toEqual(claims);
  });

  test.each([
    ['', 'no text'],
    ['a.b', 'no token'],
    ['e30.e30.c2ln', 'no claims'],
    [tokenUntil(NOW, { tenant: 'zT' }), 'a whole tenant'],
    [tokenUntil(NOW, { tenant: 1, ledger: 2 }), 'no names'],
  ])('finds no claims in %j: %s', (token) => {
    expect(tokenClaims(token)).toBeUndefined();
  });
});
