import { FixpointError } from '@fixpoint/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { tokenUntil } from './access-token.fixture.ts';
import { forgetAgreed } from './agreed-endpoints.ts';
import { accessTo, hasEnded, keepAccess } from './elsewhere-access.ts';
import { extendedAccess } from './extend-access.ts';
import { forgetLedgerNotes } from './forget-notes.ts';

const MINUTE_MS = 60_000;
const endpoint = 'fpcloud://other.example/fix/fp?tenant=zT&ledger=zL';
const connection = { localName: 'notes', endpoint };
const ADA = 'ada@example.com';
const agreedAtMs = Date.now();
const tokenAt = (minutes: number, selected?: object) =>
  tokenUntil(agreedAtMs + (minutes + 10) * MINUTE_MS, selected, {
    issuedAtMs: agreedAtMs + minutes * MINUTE_MS,
    untilMs: agreedAtMs + 60 * MINUTE_MS,
  });

beforeEach(() => {
  localStorage.clear();
  keepAccess('notes', { endpoint, token: tokenAt(0), user: ADA, isSealed: true });
  vi.spyOn(Date, 'now').mockReturnValue(agreedAtMs + 6 * MINUTE_MS);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  localStorage.clear();
});

test('extends access at the server of its ledger, and keeps what the user wanted', async () => {
  const extend = vi.fn(async () => tokenAt(6));
  const access = await extendedAccess(connection, ADA, extend);
  expect(extend).toHaveBeenCalledExactlyOnceWith('https://other.example/fix', tokenAt(0));
  const arrivedAtMs = agreedAtMs + 6 * MINUTE_MS;
  expect(access).toEqual({ endpoint, token: tokenAt(6), user: ADA, isSealed: true, arrivedAtMs });
  expect(accessTo('notes', endpoint, ADA)).toEqual(access);
  await extendedAccess(connection, ADA, extend);
  expect(extend).toHaveBeenCalledTimes(1);
});

test.each([
  ['another ledger', async () => tokenAt(6, { tenant: 'zT', ledger: 'zEvil' })],
  ['no ledger', async () => 'nonsense'],
  ['a refusal', () => Promise.reject(new Error('refused'))],
])('keeps the token when the other server answers with %s', async (_what, extend) => {
  expect((await extendedAccess(connection, ADA, extend))?.token).toBe(tokenAt(0));
});

test('ends the access that the other server no longer extends, also if the clock was set back', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(agreedAtMs - 90 * MINUTE_MS);
  const extend = vi.fn(() => Promise.reject(new FixpointError('NOT_SIGNED_IN')));
  const access = await extendedAccess(connection, ADA, extend);
  expect(access && hasEnded(access)).toBe(true);
  await extendedAccess(connection, ADA, extend);
  expect(extend).toHaveBeenCalledTimes(1);
});

test('keeps the known token if the storage takes no longer one', async () => {
  const known = localStorage.getItem.bind(localStorage);
  const setItem = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  vi.stubGlobal('localStorage', { getItem: known, setItem });
  expect((await extendedAccess(connection, ADA, async () => tokenAt(6)))?.token).toBe(tokenAt(0));
});

test.each([
  ['disconnects the database', () => forgetAgreed('notes')],
  ['signs out', () => forgetLedgerNotes()],
])('keeps no token when the user %s while it waits', async (_how, forget) => {
  const extend = async () => {
    forget();
    return tokenAt(6);
  };
  expect(await extendedAccess(connection, ADA, extend)).toBeUndefined();
  expect(localStorage.length).toBe(0);
});

test('sends the token of one user for no other, and none to another endpoint', async () => {
  const extend = vi.fn(async () => tokenAt(6));
  expect(await extendedAccess(connection, null, extend)).toBeUndefined();
  const evil = { localName: 'notes', endpoint: endpoint.replace('other', 'evil') };
  expect(await extendedAccess(evil, ADA, extend)).toBeUndefined();
  expect(extend).not.toHaveBeenCalled();
});
