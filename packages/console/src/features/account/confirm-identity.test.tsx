import { FixpointError, type Result } from '@fixpoint/protocol';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, test } from 'vitest';
import { appWith, done, refused, refusedWith } from '../../cloud/app.fixture.ts';
import type { Account } from '../../cloud/identity/session-port.ts';
import { drawPart, enter, hasButton, press } from '../../cloud/part.fixture.tsx';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { ConfirmIdentity, useConfirmed, WithConfirm } from './confirm-identity.tsx';

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

test('asks users without a password to sign in again, and reports a failed sign-out', async () => {
  await page({ password: false });
  await act(async () => screen.getByText(/^phone/).click());
  const again = await screen.findByRole('button', { name: 'Sign in again' });
  await act(async () => again.click());
  expect(await screen.findByText('Couldn’t sign you out. The server is busy.')).toBeDefined();
});

describe('the dialog that confirms the user’s identity', () => {
  /** Renders an action that succeeds once `prove` was called. */
  async function action(confirm: (prove: () => void) => Account['confirm'], session = {}) {
    let isProven = false;
    const answers: Result<unknown>[] = [];
    function Action() {
      const confirmed = useConfirmed();
      const run = async () =>
        void answers.push(
          await confirmed(() =>
            isProven ? done('deleted') : refused(new FixpointError('CONFIRM_IDENTITY')),
          ),
        );
      return (
        <button type="button" onClick={() => void run()}>
          Delete
        </button>
      );
    }
    const offers = confirm(() => {
      isProven = true;
    });
    await drawPart(
      () => (
        <WithConfirm here="/members">
          <Action />
        </WithConfirm>
      ),
      appWith({ session: { account: async () => ({ ...(offers && { confirm: offers }) }), ...session } }),
    );
    await press('Delete');
    await screen.findByRole('dialog', { name: 'Confirm that it’s you' });
    return answers;
  }

  test('runs the action after the user confirms with a passkey', async () => {
    const answers = await action((prove) => ({
      byPasskey: async () => {
        prove();
        return done(undefined);
      },
    }));
    await press('Use a passkey');
    await waitFor(() => expect(answers).toEqual([{ ok: true, value: 'deleted' }]));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('shows why a passkey was rejected, and still accepts the password', async () => {
    const answers = await action((prove) => ({
      byPasskey: () => refusedWith('The passkey wasn’t accepted.'),
      byPassword: async () => {
        prove();
        return done(undefined);
      },
    }));
    await press('Use a passkey');
    expect((await screen.findByRole('alert')).textContent).toContain('The passkey wasn’t accepted.');
    await enter('Your password', 'secret');
    await press('Confirm');
    await waitFor(() => expect(answers).toEqual([{ ok: true, value: 'deleted' }]));
  });

  test('doesn’t repeat the call when the user cancels', async () => {
    const answers = await action(() => ({ byPassword: () => done(undefined) }));
    await press('Cancel');
    await waitFor(() => expect(answers).toHaveLength(1));
    expect(answers[0]?.ok).toBe(false);
    await press('Delete');
    await screen.findByRole('dialog', { name: 'Confirm that it’s you' });
  });

  test('leads back to the page of the action after a sign-in at the provider', async () => {
    const backTo: string[] = [];
    await action(() => ({ elsewhere: 'Continue at Example' }), {
      signInElsewhere: (path: string) => {
        backTo.push(path);
        return Promise.resolve({ is: 'leaving' });
      },
    });
    await press('Continue at Example');
    expect(backTo).toEqual(['/members']);
  });

  test('offers to sign in again if there is no other way to confirm', async () => {
    await action(() => undefined);
    expect([hasButton('Sign in again'), hasButton('Use a passkey')]).toEqual([true, false]);
    expect(screen.queryByLabelText('Your password')).toBeNull();
  });
});

test('returns other rejections without asking the user', async () => {
  const answers: Result<unknown>[] = [];
  function Action() {
    const confirmed = useConfirmed();
    const run = async () => void answers.push(await confirmed(() => refused(new FixpointError('FORBIDDEN'))));
    return (
      <button type="button" onClick={() => void run()}>
        Delete
      </button>
    );
  }
  await drawPart(
    () => (
      <ConfirmIdentity confirm={{ byPassword: () => done(undefined) }} here="/">
        <Action />
      </ConfirmIdentity>
    ),
    appWith({}),
  );
  await press('Delete');
  expect(answers.map((one) => !one.ok && one.error.code)).toEqual(['FORBIDDEN']);
  expect(screen.queryByRole('dialog')).toBeNull();
});
