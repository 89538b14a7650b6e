import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { ada, appWith, done, refusedWith } from '../cloud/app.fixture.ts';
import { drawPages, withPages } from '../ui/pages.fixture.tsx';
import { action, Component } from './cloud.device.tsx';

withPages();

const ASKING = { code: 'BCDF-GHJK', client: 'cli on laptop', from: '192.0.2.1' };

async function draw(
  loaded: object,
  decideLogin: (code: string, approve: boolean) => unknown = () => done('approved'),
) {
  const decided: unknown[] = [];
  const parts = appWith({
    user: ada,
    api: {
      decideLogin: (code: string, approve: boolean) => {
        decided.push([code, approve]);
        return decideLogin(code, approve) as never;
      },
    },
  });
  const pages = await drawPages(
    [{ path: '/device', Component, action, loader: () => loaded }],
    '/device',
    parts,
  );
  return { decided, ...pages };
}
const press = async (name: string) => {
  const button = await screen.findByRole('button', { name });
  await act(async () => button.click());
};
const fact = (name: string) => screen.getByText(name, { selector: 'dt' }).nextElementSibling?.textContent;

describe('the page that signs in a program', () => {
  test('asks for the code, and says where it comes from', async () => {
    const { path } = await draw({ asking: undefined, problem: undefined });
    const field = await screen.findByLabelText<HTMLInputElement>('Code');
    expect([field.placeholder, field.getAttribute('autocapitalize')]).toEqual(['BCDF-GHJK', 'characters']);
    expect(screen.getByText('fixpoint login')).toBeDefined();
    await act(async () => void fireEvent.change(field, { target: { value: 'bcdf ghjk' } }));
    await press('Continue');
    await waitFor(() => expect(path()).toBe('/device?code=bcdf+ghjk'));
  });

  test('says what is wrong with a code', async () => {
    await draw({ asking: undefined, problem: 'This code is unknown or has expired.' });
    expect((await screen.findByRole('alert')).textContent).toBe('This code is unknown or has expired.');
  });

  test('shows which program asks, from where, and with which code', async () => {
    await draw({ asking: ASKING });
    await screen.findByRole('button', { name: 'Approve' });
    expect([fact('Program'), fact('Request from'), fact('Code')]).toEqual([
      'cli on laptop',
      '192.0.2.1',
      'BCDF-GHJK',
    ]);
    expect(screen.getByText(/^Continue only if you just started this program yourself/)).toBeDefined();
  });

  test('shows no address if the server doesn’t know it', async () => {
    await draw({ asking: { ...ASKING, from: undefined } });
    await screen.findByRole('button', { name: 'Approve' });
    expect(screen.queryByText('Request from')).toBeNull();
  });

  test.each([
    ['Approve', 'approved', 'Program signed in', /until you revoke it in your account/],
    ['Deny', 'denied', 'Request denied', /The program got no access\./],
  ])('%s: says what happened, and links to the account', async (button, outcome, heading, text) => {
    const { decided } = await draw({ asking: ASKING }, () => done(outcome));
    await press(button);
    expect(await screen.findByRole('heading', { name: heading })).toBeDefined();
    expect(screen.getByText(text)).toBeDefined();
    expect(screen.getByRole('link', { name: 'Your account' }).getAttribute('href')).toBe('/fp/cloud/account');
    expect(decided).toEqual([['BCDF-GHJK', button === 'Approve']]);
  });

  test('keeps the question when the server rejects the decision, and says why', async () => {
    await draw({ asking: ASKING }, () => refusedWith('The code has expired.'));
    await press('Approve');
    expect((await screen.findByRole('alert')).textContent).toContain('The code has expired.');
    expect(screen.getByRole('button', { name: 'Deny' })).toBeDefined();
  });
});
