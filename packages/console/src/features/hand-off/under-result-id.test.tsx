import { FixpointError } from '@fixpoint/protocol';
import { type AdminClient, handOffCode } from '@fixpoint/protocol/admin';
import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { appWith, done, refused } from '../../cloud/app.fixture.ts';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { UnderResultId } from './under-result-id.tsx';

withPages();
beforeEach(() => void vi.spyOn(window, 'close').mockReturnValue(undefined));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const ID = 'zQ3sharedResult9';
const PLACES = [{ tenantId: 't1', ledgerId: 'l1', name: 'notes', label: 'notes in Physics' }];

async function page(cloudSessionToken: unknown) {
  const asked: unknown[] = [];
  const api = {
    cloudSessionToken: (given: unknown) => {
      asked.push(given);
      return (cloudSessionToken as () => unknown)();
    },
  } as unknown as Partial<AdminClient>;
  const Page = () => <UnderResultId resultId={ID} places={PLACES} />;
  await drawPages(
    [
      { path: '/', Component: Page },
      { path: '/other', Component: () => <h1>Other</h1> },
    ],
    '/',
    appWith({ api }),
  );
  const press = (name: string) => act(async () => screen.getByRole('button', { name }).click());
  return { asked, press };
}

describe('the page for an app that waits under a result id', () => {
  test('shows the code of the id, which the user compares with the app', async () => {
    await page(() => done('token'));
    expect(screen.getByText(handOffCode(ID))).toBeDefined();
  });

  test('stores the token under the id, and never shows it', async () => {
    const { asked, press } = await page(() => done('secret-token'));
    await press('Allow access');
    expect(asked).toEqual([{ selected: { tenant: 't1', ledger: 'l1' }, resultId: ID, handOff: true }]);
    expect(screen.getByRole('status').textContent).toBe('The app has its token. You can close this window.');
    expect(document.body.innerHTML).not.toContain('secret-token');
  });

  test('closes the window three seconds after the user agreed', async () => {
    const { press } = await page(() => done('token'));
    vi.useFakeTimers();
    await press('Allow access');
    vi.advanceTimersByTime(2999);
    expect(window.close).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(window.close).toHaveBeenCalledTimes(1);
  });

  test('stays open and shows the reason when the server creates no token', async () => {
    const { press } = await page(() => refused(new FixpointError('NOT_SIGNED_IN')));
    await press('Allow access');
    expect((await screen.findByRole('alert')).textContent).toContain('Sign in again.');
    expect(screen.getByRole('button', { name: 'Allow access' })).toBeDefined();
    expect(window.close).not.toHaveBeenCalled();
  });

  test('closes without a token on Cancel', async () => {
    const { asked, press } = await page(() => done('token'));
    await press('Cancel');
    expect([asked, vi.mocked(window.close).mock.calls.length]).toEqual([[], 1]);
  });
});
