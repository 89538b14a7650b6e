import type { AdminClient, Application, ListedApplicationUser } from '@fixpoint/protocol/admin';
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { done, refusedWith, signedIn } from '../../cloud/app.fixture.ts';
import { drawPart, enter, hasButton, press } from '../../cloud/part.fixture.tsx';
import { withPages } from '../../ui/pages.fixture.tsx';
import { OwnUsersCard } from './own-users-card.tsx';

withPages();

const dates = { createdAt: '2026-11-01T12:00:00Z', updatedAt: '2026-11-01T12:00:00Z' };
const appCalled = (applicationId: string, name: string): Application => ({
  ...{ applicationId, tenantId: 't1', name, origins: [], redirectUrls: [], ...dates },
});
const NOTES = appCalled('a1', 'Field notes');

const userCalled = (subject: string, more: Partial<ListedApplicationUser> = {}): ListedApplicationUser => ({
  ...{ userId: `z${subject}`, subject, applicationId: 'a1', status: 'active', rights: 1 },
  ...{ createdAt: dates.createdAt, ...more },
});

/** Renders the card for a server with these users, and records the requests. */
async function card(
  first: readonly ListedApplicationUser[],
  { apps = [NOTES], api = {} }: { apps?: readonly Application[]; api?: Partial<AdminClient> } = {},
) {
  let known = first;
  const sent: unknown[] = [];
  const parts = signedIn({
    api: {
      listApplications: () => done([...apps]),
      listApplicationUsers: (asked) => {
        sent.push(asked);
        const { search = '', after, limit = 50 } = asked;
        const found = known.filter(({ subject, name = '' }) => `${subject} ${name}`.includes(search));
        const at = found.findIndex(({ userId }) => userId === after) + 1;
        const users = found.slice(at, at + limit);
        const last = users.at(-1);
        return done({ users, ...(found.length > at + limit && last && { next: last.userId }) });
      },
      removeApplicationUser: (asked) => {
        sent.push(asked);
        known = known.map(({ name: _, ...one }) =>
          one.userId === asked.userId ? { ...one, status: 'removed', rights: 0 } : one,
        );
        return done(asked.userId);
      },
      putApplicationUser: (asked) => {
        sent.push(asked);
        known = known.map((one) => (one.subject === asked.subject ? { ...one, status: 'active' } : one));
        return done({ userId: `z${asked.subject}`, subject: asked.subject });
      },
      ...api,
    },
  });
  await drawPart(() => <OwnUsersCard tenantId="t1" />, parts);
  return sent;
}

const rows = async () =>
  within(await screen.findByRole('list', { name: 'Users of applications' })).getAllByRole('listitem');
const texts = async () => (await rows()).map(({ textContent }) => textContent);

describe('the card of users of applications', () => {
  test('shows who they are, what they may do and when they signed in last', async () => {
    await card([
      userCalled('auth0|1', { name: 'Bea', email: 'bea@app.example', rights: 2 }),
      userCalled('u2', { status: 'banned', lastSignInAt: '2026-11-20T10:00:00Z' }),
    ]);
    const [bea, second] = await texts();
    expect(bea).toContain('Bea');
    expect(bea).toContain('auth0|1');
    expect(bea).toContain('bea@app.example, 2 databases, never signed in');
    expect(second).toContain('Banned');
    expect(second).toMatch(/1 database, last sign-in .*2026/);
  });

  test('shows nothing while there are no apps, and says what is missing without users', async () => {
    const sent = await card([], { apps: [] });
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(screen.queryByText('Users of applications')).toBeNull();
  });

  test('says how users appear when there are none', async () => {
    await card([]);
    await screen.findByText(/^No users yet\./);
    expect(screen.queryByLabelText('Search users')).toBeNull();
  });

  test('names the app of each user if there are several apps', async () => {
    await card([userCalled('u1', { applicationId: 'a2' })], { apps: [NOTES, appCalled('a2', 'Board')] });
    expect((await texts())[0]).toContain('Board, 1 database');
  });

  test('searches on the server, once for several letters, and says when nobody matches', async () => {
    const sent = await card([userCalled('u1', { name: 'Bea' }), userCalled('u2', { name: 'Cid' })]);
    expect(await rows()).toHaveLength(2);
    const before = sent.length;
    for (const typed of ['C', 'Ci', 'Cid']) await enter('Search users', typed);
    await waitFor(async () => expect(await rows()).toHaveLength(1));
    expect(sent.slice(before)).toEqual([{ tenantId: 't1', limit: 20, search: 'Cid' }]);
    await enter('Search users', 'zzz');
    await screen.findByText('No user matches “zzz”.');
    await enter('Search users', '');
    await waitFor(async () => expect(await rows()).toHaveLength(2));
  });

  test('shows more users page by page', async () => {
    await card(Array.from({ length: 45 }, (_, n) => userCalled(`u${n}`)));
    expect(await rows()).toHaveLength(20);
    await press('Show more users');
    await waitFor(async () => expect(await rows()).toHaveLength(40));
    await press('Show more users');
    await waitFor(async () => expect(await rows()).toHaveLength(45));
    expect(hasButton('Show more users')).toBe(false);
  });

  test.each<[string, Partial<ListedApplicationUser>, string[], string[]]>([
    ['a name before an email', { name: 'Bea', email: 'b@x.example' }, ['Bea', 'u1', 'b@x.example'], []],
    [
      'an email without a name once',
      { email: 'b@x.example' },
      ['b@x.exampleu1', '1 database'],
      ['b@x.example,'],
    ],
    ['the id alone', {}, ['u1'], ['u1u1']],
    ['no database', { rights: 0 }, ['0 databases'], []],
  ])('shows %s', async (_what, more, shown, hidden) => {
    await card([userCalled('u1', more)]);
    const [text] = await texts();
    for (const part of shown) expect(text).toContain(part);
    for (const part of hidden) expect(text).not.toContain(part);
  });

  test('shows the id of an app that the list of apps lacks', async () => {
    const user = userCalled('u1', { applicationId: 'gone' });
    await card([user], { apps: [NOTES, appCalled('a2', 'Board')] });
    expect((await texts())[0]).toContain('gone, 1 database');
  });

  test('searches without the spaces around the text, and not for spaces alone', async () => {
    const sent = await card([userCalled('u1', { name: 'Bea' }), userCalled('u2', { name: 'Cid' })]);
    await rows();
    await enter('Search users', '  Cid ');
    await waitFor(async () => expect(await rows()).toHaveLength(1));
    expect(sent.at(-1)).toMatchObject({ search: 'Cid' });
    const before = sent.length;
    await enter('Search users', ' Cid');
    await new Promise((resolve) => setTimeout(resolve, 350));
    expect(sent).toHaveLength(before);
  });

  test('says why the list could not be loaded', async () => {
    await card([], { api: { listApplicationUsers: () => refusedWith('no such tenant') } });
    expect((await screen.findByRole('alert')).textContent).toContain('no such tenant');
  });
});

describe('removing a user of an application', () => {
  test('asks first, then shows the user as removed, and readmits them', async () => {
    const sent = await card([userCalled('u1', { name: 'Bea' })]);
    await press('Remove Bea');
    const dialog = await screen.findByRole('dialog', { name: 'Remove Bea?' });
    expect(dialog.textContent).toContain('They lose access to all databases of this tenant');
    await press('Cancel');
    expect(sent).toHaveLength(1);
    await press('Remove Bea');
    await press('Remove user');
    await screen.findByText('Bea was removed.');
    await waitFor(async () => expect((await texts())[0]).toContain('Removed'));
    expect(sent).toContainEqual({ tenantId: 't1', applicationId: 'a1', userId: 'zu1' });
    await press('Readmit u1');
    await screen.findByText(/^u1 may sign in again\./);
    await waitFor(() => expect(hasButton('Remove u1')).toBe(true));
    expect(sent).toContainEqual({ tenantId: 't1', applicationId: 'a1', subject: 'u1' });
  });

  test('shows why a user could not be removed, and keeps them', async () => {
    const removeApplicationUser = () => refusedWith('try again later');
    await card([userCalled('u1')], { api: { removeApplicationUser } });
    await press('Remove u1');
    await press('Remove user');
    await screen.findByText(/try again later/);
    expect((await texts())[0]).not.toContain('Removed');
  });

  test('shows why a user could not be readmitted, and lets an admin try again', async () => {
    const putApplicationUser = () => refusedWith('the quota is used up');
    await card([userCalled('u1', { status: 'removed', rights: 0 })], { api: { putApplicationUser } });
    await press('Readmit u1');
    await screen.findByText(/the quota is used up/);
    expect((await texts())[0]).toContain('Removed');
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Readmit u1' }).disabled).toBe(false);
  });
});
