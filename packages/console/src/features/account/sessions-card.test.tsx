import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { appWith, done, refusedWith } from '../../cloud/app.fixture.ts';
import type { OpenSession } from '../../cloud/identity/session-port.ts';
import { drawPart, hasButton, isDisabled, press } from '../../cloud/part.fixture.tsx';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { timeOf } from '../../ui/text/moment.ts';
import { SessionsCard, type SessionsCardProps } from './sessions-card.tsx';

withPages();

const session = (id: string, current: boolean) => ({ id, updatedAt: '', createdAt: '', current });

test('asks which other access to revoke when the user signs out everywhere else, and revokes it', async () => {
  const ended: unknown[] = [];
  const sessions = {
    list: () => done([session('a', true), session('b', false)]),
    end: () => done(undefined),
    endOthers: (access: string) => {
      ended.push(access);
      return done(undefined);
    },
  };
  const Component = () => <SessionsCard sessions={sessions} />;
  await drawPages([{ path: '/', Component }], '/', appWith({}));
  await act(async () => (await screen.findByRole('button', { name: 'Sign out everywhere else' })).click());
  expect(screen.getByRole('group', { name: 'Programs and API tokens' })).toBeTruthy();
  expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Keep programs and API tokens' }).checked).toBe(
    true,
  );
  await act(async () => screen.getByRole('radio', { name: 'Sign out programs' }).click());
  expect(ended).toEqual([]);
  const dialog = screen.getByRole('dialog');
  await act(async () => [...dialog.querySelectorAll('button')].at(-1)?.click());
  expect(ended).toEqual(['devices']);
  await screen.findByText(/All other browsers are signed out\. Programs have to sign in again/);
});

const PHONE_AGENT = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/605.1';

const openSession = (id: string, given: Partial<OpenSession> = {}): OpenSession => ({
  id,
  updatedAt: '2026-11-20T00:00:00Z',
  createdAt: '2026-11-01T12:00:00Z',
  current: false,
  ...given,
});

/** Renders the card for a provider with these sessions. */
async function card(first: readonly OpenSession[], given: Partial<SessionsCardProps['sessions']> = {}) {
  let open = first;
  const ended: string[] = [];
  const sessions: SessionsCardProps['sessions'] = {
    list: () => done(open),
    end: (id) => {
      ended.push(id);
      open = open.filter((one) => one.id !== id);
      return done(undefined);
    },
    endOthers: () => done(undefined),
    ...given,
  };
  await drawPart(() => <SessionsCard sessions={sessions} preset="all" />, appWith({}));
  return ended;
}
const rows = async () =>
  within(await screen.findByRole('list', { name: 'Signed-in browsers' }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);

describe('the list of browsers', () => {
  test('starts with this browser, then sorts by latest use', async () => {
    await card([
      openSession('old', { updatedAt: '2026-11-18T00:00:00Z', ipAddress: '10.0.0.1' }),
      openSession('new', { updatedAt: '2026-11-22T00:00:00Z', ipAddress: '10.0.0.2' }),
      openSession('own', { updatedAt: '2026-11-10T00:00:00Z', ipAddress: '10.0.0.3', current: true }),
    ]);
    expect(await rows()).toEqual([
      expect.stringMatching(/This browser.*10\.0\.0\.3/),
      expect.stringMatching(/10\.0\.0\.2/),
      expect.stringMatching(/10\.0\.0\.1/),
    ]);
  });

  test('says what each browser is, when it was used, and from where', async () => {
    const { updatedAt, createdAt } = openSession('a');
    await card([openSession('a', { userAgent: PHONE_AGENT, ipAddress: '10.0.0.1' }), openSession('b')]);
    expect(await rows()).toEqual([
      `Safari on iOSLast used ${timeOf(updatedAt)}, from 10.0.0.1; signed in ${timeOf(createdAt)}Sign out`,
      `Unknown deviceLast used ${timeOf(updatedAt)}; signed in ${timeOf(createdAt)}Sign out`,
    ]);
  });

  test('shows the first five of a long list, and all on demand', async () => {
    await card(Array.from({ length: 7 }, (_, at) => openSession(`s${at}`)));
    expect(await rows()).toHaveLength(5);
    await press('Show all 7');
    expect(await rows()).toHaveLength(7);
    expect(hasButton(/Show all/)).toBe(false);
  });

  test('offers no sign-out when this browser is the only one', async () => {
    await card([openSession('own', { current: true })]);
    await rows();
    expect(hasButton(/Sign out/)).toBe(false);
  });
});

describe('signing out one browser', () => {
  const NAME = /^Sign out Safari on iOS, last used/;

  test('ends the session, and removes the browser from the list', async () => {
    const ended = await card([
      openSession('own', { current: true }),
      openSession('a', { userAgent: PHONE_AGENT }),
    ]);
    await press(NAME);
    await screen.findByText('Signed out Safari on iOS.');
    expect(ended).toEqual(['a']);
    await waitFor(async () => expect(await rows()).toHaveLength(1));
  });

  test('keeps the browser in the list when the server rejects the sign-out, and says why', async () => {
    await card([openSession('own', { current: true }), openSession('a', { userAgent: PHONE_AGENT })], {
      end: () => refusedWith('Too many attempts. Wait a minute, then try again.'),
    });
    await press(NAME);
    expect((await screen.findByRole('alert')).textContent).toContain('Wait a minute');
    await waitFor(() => expect(isDisabled(NAME)).toBe(false));
    expect(await rows()).toHaveLength(2);
  });
});

describe('signing out everywhere else', () => {
  test('preselects the server’s default', async () => {
    await card([openSession('own', { current: true }), openSession('a')]);
    await press('Sign out everywhere else');
    const chosen = await screen.findByRole<HTMLInputElement>('radio', {
      name: 'Sign out programs and revoke API tokens',
    });
    expect(chosen.checked).toBe(true);
  });

  test('ends nothing when the user cancels', async () => {
    const ended: unknown[] = [];
    await card([openSession('own', { current: true }), openSession('a')], {
      endOthers: (access) => {
        ended.push(access);
        return done(undefined);
      },
    });
    await press('Sign out everywhere else');
    await press('Cancel');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(ended).toEqual([]);
  });
});
