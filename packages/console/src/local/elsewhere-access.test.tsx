import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tokenUntil } from './access-token.fixture.ts';
import { forgetAgreed } from './agreed-endpoints.ts';
import { accessTo, hasEnded, keepAccess, tokenClaims } from './elsewhere-access.ts';
import { forgetLedgerNotes, forgetNotesOf } from './forget-notes.ts';

const [OTHER, EVIL] = ['fpcloud://o/?tenant=zT&ledger=zL', 'fpcloud://evil/?tenant=zT&ledger=zL'];
const ADA = 'ada@example.com';
const NOW = 1_800_000_000_000;
const access = { endpoint: OTHER, token: tokenUntil(NOW + 3_600_000), user: ADA, isSealed: true };

beforeEach(() => localStorage.clear());
afterEach(() => localStorage.clear());

describe('access to a ledger of another server', () => {
  test('applies to one database under all its names, and to one endpoint', () => {
    keepAccess('my notes', access);
    expect(accessTo('my_notes', OTHER, ADA)).toEqual(access);
    expect([
      accessTo('other', OTHER, ADA),
      accessTo('my notes', EVIL, ADA),
      accessTo('my notes', '', ADA),
    ]).toEqual([undefined, undefined, undefined]);
  });

  test('applies to the user who allowed it, signed in or not', () => {
    keepAccess('notes', access);
    expect([accessTo('notes', OTHER, 'grace@example.com'), accessTo('notes', OTHER, null)]).toEqual([
      undefined,
      undefined,
    ]);
    keepAccess('notes', { ...access, user: null });
    expect([accessTo('notes', OTHER, ADA), accessTo('notes', OTHER, null)?.user]).toEqual([undefined, null]);
  });

  test.each([
    ['the database is disconnected', () => forgetAgreed('notes')],
    ['the database is deleted', () => forgetNotesOf('notes')],
    ['the user signs out', () => forgetLedgerNotes()],
  ])('is forgotten when %s', (_when, forget) => {
    keepAccess('notes', access);
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

  test('ends two minutes before its token does, when the engine wants the next one', () => {
    const of = (endsAtMs: number) => ({ ...access, token: tokenUntil(endsAtMs) });
    expect([hasEnded(of(NOW + 121_000), NOW), hasEnded(of(NOW + 120_000), NOW)]).toEqual([false, true]);
    expect(hasEnded({ ...access, token: 'nonsense' }, NOW)).toBe(true);
  });
});

describe('reading a token', () => {
  test('tells which ledger it opens, and until when', () => {
    expect(tokenClaims(tokenUntil(NOW))).toEqual({ endsAtMs: NOW, tenantId: 'zT', ledgerId: 'zL' });
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
