import { beforeEach, expect, test } from 'vitest';
import { agree, agreedHandOffs, agreedWith, revokeAgreement } from './token-hand-offs.ts';

const USER = 'ada@example.com';
const DAY_MS = 86_400_000;
const agreed = (origin: string, ledgerId = 'l1') => ({
  user: USER,
  origin,
  tenantId: 't1',
  ledgerId,
  label: 'notes in Acme',
});

beforeEach(() => localStorage.clear());

test('[S11] remembers an agreement for one user, one origin and one port', () => {
  agree(agreed('http://localhost:5173'), 1000);
  expect(agreedWith(USER, 'http://localhost:5173', 2000)).toMatchObject({ ledgerId: 'l1' });
  for (const origin of ['http://localhost:5174', 'http://127.0.0.1:5173', 'https://localhost:5173'])
    expect(agreedWith(USER, origin, 2000)).toBeUndefined();
  expect(agreedWith('eve@example.com', 'http://localhost:5173', 2000)).toBeUndefined();
});

test('[S11] replaces an earlier agreement with the same origin', () => {
  agree(agreed('http://localhost:1', 'l1'), 1000);
  agree(agreed('http://localhost:1', 'l2'), 2000);
  expect(agreedHandOffs(USER, 3000).map(({ ledgerId }) => ledgerId)).toEqual(['l2']);
});

test('[S11] ends an agreement after 30 days, or when it is revoked', () => {
  agree(agreed('http://localhost:1'), 0);
  agree(agreed('http://localhost:2'), 0);
  expect(agreedHandOffs(USER, 30 * DAY_MS - 1)).toHaveLength(2);
  expect(agreedHandOffs(USER, 30 * DAY_MS)).toEqual([]);
  revokeAgreement(agreed('http://localhost:1'));
  expect(agreedHandOffs(USER, 1).map(({ origin }) => origin)).toEqual(['http://localhost:2']);
});

test('ignores stored text that is not a list of agreements', () => {
  for (const text of ['{', 'null', '{}', '[1, null, {"user": "ada@example.com"}]']) {
    localStorage.setItem('fixpoint:hand-offs', text);
    expect(agreedHandOffs(USER, 1)).toEqual([]);
  }
});
