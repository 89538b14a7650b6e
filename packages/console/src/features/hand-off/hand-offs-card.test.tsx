import { act, cleanup, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { agree, agreedWith } from '../../cloud/sign-in/token-hand-offs.ts';
import { HandOffsCard } from './hand-offs-card.tsx';

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  localStorage.clear();
});

const ADA = 'ada@example.com';
const DAY_MS = 86_400_000;

const agreeWith = (origin: string, user = ADA, daysAgo = 0) =>
  agree(
    { user, origin, tenantId: 't1', ledgerId: 'l1', label: `notes of ${origin}` },
    Date.now() - daysAgo * DAY_MS,
  );

const origins = () =>
  within(screen.getByRole('list', { name: 'Applications' }))
    .getAllByRole('listitem')
    .map((item) => item.querySelector('p')?.textContent);

describe('the card of allowed apps', () => {
  test('lists the apps with the database that each may use, newest first', () => {
    agreeWith('https://old.example', ADA, 3);
    agreeWith('https://new.example');
    render(<HandOffsCard user={ADA} />);
    expect(origins()).toEqual(['https://new.example', 'https://old.example']);
    expect(screen.getByText(/^notes of https:\/\/new\.example, since /)).toBeDefined();
  });

  test('doesn’t list expired agreements, or agreements of another user', () => {
    agreeWith('https://expired.example', ADA, 30);
    agreeWith('https://mine.example');
    agreeWith('https://theirs.example', 'bob@example.com');
    render(<HandOffsCard user={ADA} />);
    expect(origins()).toEqual(['https://mine.example']);
  });

  test('revokes the access of an app, so that the next hand-off asks again', async () => {
    agreeWith('https://a.example');
    agreeWith('https://b.example');
    render(<HandOffsCard user={ADA} />);
    await act(async () => screen.getByRole('button', { name: 'Revoke https://a.example' }).click());
    expect(origins()).toEqual(['https://b.example']);
    expect([agreedWith(ADA, 'https://a.example'), agreedWith(ADA, 'https://b.example')?.user]).toEqual([
      undefined,
      ADA,
    ]);
  });

  test('says that every app has to ask, after the last agreement was revoked', async () => {
    agreeWith('https://a.example');
    render(<HandOffsCard user={ADA} />);
    await act(async () => screen.getByRole('button', { name: 'Revoke https://a.example' }).click());
    expect(screen.getByText('No app can get a token without asking you.')).toBeDefined();
  });

  test('ignores stored text that isn’t a list of agreements', () => {
    localStorage.setItem('fixpoint:hand-offs', '[null, 7, {"user": "ada@example.com"}]');
    render(<HandOffsCard user={ADA} />);
    expect(screen.getByText('No app can get a token without asking you.')).toBeDefined();
  });
});
