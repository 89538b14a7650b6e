import type { Result } from '@fixpoint/protocol';
import { act, fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { done } from '../../cloud/app.fixture.ts';
import type { SecondFactor } from '../../cloud/identity/session-port.ts';
import { drawPages, waiting, withPages } from '../../ui/pages.fixture.tsx';
import { SecondFactorSetup } from './second-factor-setup.tsx';

withPages();

test('stays open while the first code is checked, because codes that are shown only once follow', async () => {
  let closed = 0;
  const finished = waiting<Result<unknown>>();
  const nothing = () => done(undefined);
  const secondFactor: SecondFactor = {
    isOn: () => done(false),
    begin: () => done({ totpURI: 'otpauth://totp/x?secret=ABC', backupCodes: ['one-two', 'three-four'] }),
    finish: () => finished.promise,
    newBackupCodes: () => done({ backupCodes: [] }),
    turnOff: nothing,
  };
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
