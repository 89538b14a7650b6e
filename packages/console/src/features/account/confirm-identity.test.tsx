import { FixpointError, type Result } from '@fixpoint/protocol';
import { act, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { appWith, done, refused } from '../../cloud/app.fixture.ts';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { ConfirmIdentity, useConfirmed } from './confirm-identity.tsx';

withPages();

/** Renders a page with two actions that require a recent sign-in. */
async function page(ways: { readonly elsewhere?: string; readonly password?: boolean } = {}) {
  const { elsewhere, password = true } = ways;
  let isConfirmed = false;
  const call = (): Promise<Result<unknown>> =>
    isConfirmed ? done('gone') : refused(new FixpointError('CONFIRM_IDENTITY'));
  function End({ name }: { name: string }) {
    const confirmed = useConfirmed();
    const [said, setSaid] = useState('');
    const end = async () => {
      const answer = await confirmed(call);
      setSaid(answer.ok ? 'ended' : 'kept');
    };
    return (
      <button type="button" onClick={() => void end()}>
        {`${name} ${said}`}
      </button>
    );
  }
  const confirm = {
    ...(password && {
      byPassword: async () => {
        isConfirmed = true;
        return done(undefined);
      },
    }),
    ...(elsewhere !== undefined && { elsewhere }),
  };
  const Page = () => (
    <ConfirmIdentity confirm={confirm} here="/">
      <End name="phone" />
      <End name="laptop" />
    </ConfirmIdentity>
  );
  const parts = appWith({
    session: {
      signInElsewhere: () => Promise.resolve({ is: 'refused', why: 'The provider is away.' }),
      signOut: () => Promise.resolve('The server is busy.'),
    },
  });
  await drawPages([{ path: '/', Component: Page }], '/', parts);
}

test('asks once for two actions that wait for the password', async () => {
  await page();
  await act(async () => {
    screen.getByText(/^phone/).click();
    screen.getByText(/^laptop/).click();
  });
  const field = await screen.findByLabelText('Your password');
  await act(async () => void fireEvent.change(field, { target: { value: 'secret' } }));
  await act(async () => screen.getByRole('button', { name: 'Confirm' }).click());
  expect(await screen.findByText('phone ended')).toBeDefined();
  expect(await screen.findByText('laptop ended')).toBeDefined();
});

test('reports a provider that can’t be reached', async () => {
  await page({ elsewhere: 'Sign in at work' });
  await act(async () => screen.getByText(/^phone/).click());
  const elsewhere = await screen.findByRole('button', { name: 'Sign in at work' });
  await act(async () => elsewhere.click());
  expect(await screen.findByText('The provider is away.')).toBeDefined();
});

test('asks users without a password to sign in again, and reports a session that does not end', async () => {
  await page({ password: false });
  await act(async () => screen.getByText(/^phone/).click());
  const again = await screen.findByRole('button', { name: 'Sign in again' });
  await act(async () => again.click());
  expect(await screen.findByText('Couldn’t sign you out. The server is busy.')).toBeDefined();
});
