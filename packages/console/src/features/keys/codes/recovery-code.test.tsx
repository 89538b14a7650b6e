import { screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isLossAhead } from '../../../leaving/ask-before-leaving.ts';
import { drawPages, pageCalled, withPages } from '../../../ui/pages.fixture.tsx';
import { RecoveryCode } from './recovery-code.tsx';

withPages();

const LEDGER = '/fp/cloud/tenants/t1/ledgers/z1';
let asked = 0;
let isAgreed = false;

beforeEach(() => {
  [asked, isAgreed] = [0, false];
  vi.stubGlobal('confirm', () => {
    asked += 1;
    return isAgreed;
  });
});
afterEach(() => void vi.unstubAllGlobals());

const pages = () =>
  drawPages(
    [
      {
        path: '/fp/cloud/tenants/:tenantId/ledgers/:ledgerId',
        Component: () => <RecoveryCode code="ABCDE-12345" />,
        children: [{ path: '*', Component: pageCalled('A page of the ledger') }],
      },
      { path: '*', Component: pageCalled('Elsewhere') },
    ],
    `${LEDGER}/documents`,
  );
const isShown = () => screen.queryByText('ABCDE-12345') !== null;

test.each(['/fp/cloud/tenants/t1/ledgers', '/fp/cloud/tenants/t1/ledgers/z12/documents', '/fp/databases'])(
  'asks users who go to %s whether they saved the code',
  async (elsewhere) => {
    const { go, path } = await pages();
    expect(isLossAhead()).toBe(true);
    await go(elsewhere);
    expect([path(), isShown(), asked]).toEqual([`${LEDGER}/documents`, true, 1]);
    isAgreed = true;
    await go(elsewhere);
    expect([path(), asked]).toEqual([elsewhere, 2]);
  },
);

test('doesn’t ask on the way to other pages of the ledger, which show the code too', async () => {
  const { go, path } = await pages();
  await go(`${LEDGER}/history`);
  expect([path(), isShown(), asked]).toEqual([`${LEDGER}/history`, true, 0]);
});

test('redirects to the login page without a question when the session ended elsewhere', async () => {
  const { go } = await pages();
  await go('/login?redirect_url=%2Ffp%2Fcloud');
  expect([isShown(), asked, isLossAhead()]).toEqual([false, 0, false]);
});
