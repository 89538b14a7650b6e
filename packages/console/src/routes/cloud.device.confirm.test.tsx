import { FixpointError } from '@fixpoint/protocol';
import { act, fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ada, appWith, done, refused } from '../cloud/app.fixture.ts';
import { drawPages, withPages } from '../ui/pages.fixture.tsx';
import { action, Component } from './cloud.device.tsx';

withPages();

test('asks for the password again when the user approves again after cancelling', async () => {
  let isConfirmed = false;
  const parts = appWith({
    user: ada,
    session: {
      account: async () => ({
        confirm: {
          byPassword: async () => {
            isConfirmed = true;
            return done(undefined);
          },
        },
      }),
    },
    api: {
      decideLogin: () => (isConfirmed ? done('approved') : refused(new FixpointError('CONFIRM_IDENTITY'))),
    },
  });
  const asking = { code: 'ABCD-EFGH', client: 'fixpoint', from: undefined };
  await drawPages([{ path: '/device', Component, action, loader: () => ({ asking }) }], '/device', parts);
  const approve = async () =>
    act(async () => (await screen.findByRole('button', { name: 'Approve' })).click());
  await approve();
  await act(async () => (await screen.findByRole('button', { name: 'Cancel' })).click());
  await screen.findByText('Nothing was changed.');
  await approve();
  const field = await screen.findByLabelText('Your password');
  await act(async () => void fireEvent.change(field, { target: { value: 'secret' } }));
  await act(async () => screen.getByRole('button', { name: 'Confirm' }).click());
  expect(await screen.findByText('Program signed in')).toBeTruthy();
});
