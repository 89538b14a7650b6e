import { FixpointError, LIMITS, type Result } from '@fixpoint/protocol';
import type { AdminClient, ApiToken, Member } from '@fixpoint/protocol/admin';
import { screen, waitFor, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import { describe, expect, test } from 'vitest';
import { done, refused, signedIn } from '../../cloud/app.fixture.ts';
import { drawPart, hasButton, isDisabled, press } from '../../cloud/part.fixture.tsx';
import { waiting, withPages } from '../../ui/pages.fixture.tsx';
import { agoOf, dayOf, timeOf } from '../../ui/text/moment.ts';
import { ApiTokensCard } from './api-tokens-card.tsx';
import { ProgramsCard } from './programs-card.tsx';

withPages();

const tokenWith = (tokenId: string, given: Partial<ApiToken> = {}): ApiToken => ({
  tokenId,
  userId: 'u1',
  name: tokenId,
  right: 'read',
  createdAt: '2026-11-01T12:00:00Z',
  expiresAt: '2027-02-01T12:00:00Z',
  ...given,
});
const EXPORT = tokenWith('k1', { tenantId: 't1', name: 'Nightly export', right: 'write' });

/** Renders a card for a server with these tokens. */
async function card(Card: () => ReactNode, first: readonly ApiToken[], api: Partial<AdminClient> = {}) {
  let tokens = first;
  const asked: unknown[] = [];
  const revoked: string[] = [];
  const parts = signedIn({
    api: {
      listApiTokens: (tenantId) => {
        asked.push(tenantId);
        return done([...tokens]);
      },
      revokeApiToken: (id) => {
        revoked.push(id);
        tokens = tokens.filter(({ tokenId }) => tokenId !== id);
        return done(undefined as never);
      },
      ...api,
    },
  });
  await drawPart(Card, parts);
  return { asked, revoked };
}
const Tokens = () => <ApiTokensCard tenantId="t1" />;
const rows = async (list: string) =>
  within(await screen.findByRole('list', { name: list }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);

const tokenRows = async () =>
  within(await screen.findByRole('table', { name: 'API tokens' }))
    .getAllByRole('row')
    .slice(1)
    .map((row) => [...row.children].map(({ textContent }) => textContent?.trim()));

describe('the card of a tenant’s API tokens', () => {
  test('names the creator, and marks a token that expires soon', async () => {
    const soon = new Date(Date.now() + 86_400_000).toISOString();
    const members: Member[] = [{ userId: 'u1', role: 'admin', name: 'Ada', email: 'ada@example.com' }];
    await card(
      () => <ApiTokensCard tenantId="t1" members={members} />,
      [EXPORT, tokenWith('k2', { userId: 'gone', expiresAt: soon })],
    );
    const found = await tokenRows();
    expect(found.map((cells) => cells[2])).toEqual(['Ada', 'Not a member']);
    expect(found.map((cells) => cells[4]?.endsWith('Expires soon'))).toEqual([false, true]);
  });

  test('shows what each token may do, when it was last used, and until when it is valid', async () => {
    const lastUsedAt = '2026-11-24T12:00:00Z';
    const { asked } = await card(Tokens, [EXPORT, tokenWith('k2', { name: 'Backup', lastUsedAt })]);
    const day = dayOf('2027-02-01T12:00:00Z');
    expect(await tokenRows()).toEqual([
      // Narrow screens show the uses below the name, and wide ones in columns.
      [`Nightly exportNever used; valid until ${day}`, 'write', 'Not a member', 'Never', day, 'Revoke'],
      [
        `BackupLast used ${timeOf(lastUsedAt)}; valid until ${day}`,
        'read',
        'Not a member',
        agoOf(Date.parse(lastUsedAt), Date.now()),
        day,
        'Revoke',
      ],
    ]);
    expect(asked).toEqual(['t1']);
  });

  test('explains what tokens are for when there are no tokens', async () => {
    await card(Tokens, []);
    await screen.findByText('No tokens yet. Create one for a program that uses this tenant.');
  });

  test('opens and closes the form for a new token', async () => {
    await card(Tokens, []);
    await press('Create a token');
    await screen.findByRole('dialog', { name: 'Create an API token' });
    await press('Cancel');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('offers no new token at the limit, and says what to do', async () => {
    const full = Array.from({ length: LIMITS.apiTokensPerTenantMax }, (_, at) => tokenWith(`k${at}`));
    await card(Tokens, full);
    await tokenRows();
    expect(isDisabled('Create a token')).toBe(true);
    expect(screen.getByTitle('First revoke a token that you no longer need.').textContent).toContain(
      'Create a token',
    );
  });

  test('offers a new token just below the limit', async () => {
    const some = Array.from({ length: LIMITS.apiTokensPerTenantMax - 1 }, (_, at) => tokenWith(`k${at}`));
    await card(Tokens, some);
    await tokenRows();
    expect(isDisabled('Create a token')).toBe(false);
  });

  test('shows why the tokens couldn’t be loaded, and offers another attempt', async () => {
    let isDown = true;
    const listApiTokens = () => (isDown ? refused(new FixpointError('FETCH', 'reset')) : done([EXPORT]));
    await card(Tokens, [], { listApiTokens });
    expect((await screen.findByRole('alert')).textContent).toContain('Couldn’t reach the server.');
    isDown = false;
    await press('Try again');
    expect(await tokenRows()).toHaveLength(1);
  });

  test('shows markup in a name as text', async () => {
    await card(Tokens, [tokenWith('k1', { name: '<img src=x>' })]);
    expect((await tokenRows())[0]?.[0]).toContain('<img src=x>');
    expect(document.querySelector('img')).toBeNull();
  });
});

describe('the card of a user’s programs', () => {
  test('lists programs without rights, because each acts as the user', async () => {
    const { asked } = await card(ProgramsCard, [tokenWith('k1', { name: 'Command line', right: 'admin' })]);
    expect((await rows('Programs'))[0]).toMatch(/^Command lineNever used/);
    expect(asked).toEqual([undefined]);
  });

  test('says how to sign in a program when there are no programs', async () => {
    await card(ProgramsCard, []);
    expect((await screen.findByText(/No programs yet/)).textContent).toContain('npx fixpoint login');
  });

  test('revokes the token of a program after a confirmation', async () => {
    const { revoked } = await card(ProgramsCard, [tokenWith('k1', { name: 'Command line' })]);
    await press('Revoke Command line');
    await press('Revoke token');
    await screen.findByText('Command line revoked.');
    await screen.findByText(/No programs yet/);
    expect(revoked).toEqual(['k1']);
  });
});

describe('revoking a token', () => {
  test('asks first, and names the token', async () => {
    const { revoked } = await card(Tokens, [EXPORT]);
    await press('Revoke Nightly export');
    expect((await screen.findByRole('dialog')).textContent).toContain(
      'Programs that use Nightly export lose access right away.',
    );
    await press('Cancel');
    await waitFor(() => expect(hasButton('Revoke token')).toBe(false));
    expect(revoked).toEqual([]);
  });

  test('keeps the token in the list until the server revoked it', async () => {
    const answer = waiting<Result<never>>();
    await card(Tokens, [EXPORT], { revokeApiToken: () => answer.promise });
    await press('Revoke Nightly export');
    await press('Revoke token');
    await waitFor(() => expect(isDisabled('Revoke token')).toBe(true));
    await answer.come({ ok: false, error: new FixpointError('FETCH', 'reset') });
    expect((await screen.findByRole('alert')).textContent).toContain('Couldn’t reach the server.');
    await waitFor(() => expect(hasButton('Revoke token')).toBe(false));
    expect(hasButton('Revoke Nightly export')).toBe(true);
  });
});
