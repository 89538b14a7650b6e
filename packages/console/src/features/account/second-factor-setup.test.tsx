import type { Result } from '@fixpoint/protocol';
import { act, fireEvent, screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { appWith, done, refusedWith } from '../../cloud/app.fixture.ts';
import type { SecondFactor } from '../../cloud/identity/session-port.ts';
import { drawPart, enter, press } from '../../cloud/part.fixture.tsx';
import { drawPages, waiting, withPages } from '../../ui/pages.fixture.tsx';
import { secondFactorWith } from './second-factor.fixture.ts';
import { SecondFactorSetup } from './second-factor-setup.tsx';

withPages();

test('stays open while the first code is checked, because the backup codes that follow are shown only once', async () => {
  let closed = 0;
  const finished = waiting<Result<unknown>>();
  const secondFactor = secondFactorWith({ finish: () => finished.promise });
  const close = () => {
    closed += 1;
  };
  await drawPages(
    [
      {
        path: '/',
        Component: () => (
          <SecondFactorSetup secondFactor={secondFactor} onClose={close} onDone={() => undefined} />
        ),
      },
    ],
    '/',
  );
  const send = async (label: string, value: string, button: string) => {
    const field = await screen.findByLabelText(label);
    await act(async () => void fireEvent.change(field, { target: { value } }));
    await act(async () => screen.getByRole('button', { name: button }).click());
  };
  await send('Your password', 'secret', 'Continue');
  await send('Code', '123456', 'Turn on');
  await act(async () => void fireEvent.keyDown(screen.getByLabelText('Code'), { key: 'Escape' }));
  await act(async () => screen.getByRole('button', { name: 'Cancel' }).click());
  expect(closed).toBe(0);
  await finished.come({ ok: true, value: undefined });
  expect(await screen.findByText(/one-two/)).toBeDefined();
});

describe('the step that adds the key to the authenticator app', () => {
  async function keyOf(given: Partial<SecondFactor> = {}) {
    await drawPart(
      () => (
        <SecondFactorSetup
          secondFactor={secondFactorWith(given)}
          onClose={() => undefined}
          onDone={() => undefined}
        />
      ),
      appWith({}),
    );
    await enter('Your password', 'secret');
    await press('Continue');
    return screen.findByRole('dialog', { name: 'Add the key to your app' });
  }

  test('shows the key as a QR code, as text, and as a link for an app on this device', async () => {
    const shown = await keyOf();
    expect(await screen.findByRole('img', { name: 'QR code of the key below' })).toBeDefined();
    expect(shown.textContent).toContain('ABCD2345');
    expect(screen.getByRole('link', { name: 'open the key in the app' }).getAttribute('href')).toBe(
      'otpauth://totp/Fixpoint:ada?secret=ABCD2345',
    );
  });

  test('accepts a code typed with spaces', async () => {
    const codes: string[] = [];
    await keyOf({
      finish: (code) => {
        codes.push(code);
        return done(undefined);
      },
    });
    await enter('Code', ' 123 456 ');
    await press('Turn on');
    await screen.findByRole('dialog', { name: 'Write these codes down' });
    expect(codes).toEqual(['123456']);
  });

  test('stays open after a wrong code, and shows an error at the field', async () => {
    await keyOf({ finish: () => refusedWith('Wrong code. Enter the current one.') });
    await enter('Code', '000000');
    await press('Turn on');
    expect((await screen.findByRole('alert')).textContent).toContain('Wrong code. Enter the current one.');
    expect(screen.getByLabelText('Code').getAttribute('aria-invalid')).toBe('true');
    expect(screen.queryByText(/one-two/)).toBeNull();
  });
});
