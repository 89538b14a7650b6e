import { FixpointError } from '@fixpoint/protocol';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { appWith, done, refused, refusedWith } from '../../cloud/app.fixture.ts';
import type { SecondFactor } from '../../cloud/identity/session-port.ts';
import { drawPart, enter, hasButton, press } from '../../cloud/part.fixture.tsx';
import { withPages } from '../../ui/pages.fixture.tsx';
import { secondFactorWith } from './second-factor.fixture.ts';
import { SecondFactorCard } from './second-factor-card.tsx';

withPages();

/** Renders the card for an account whose second step is on or off. */
async function card(wasOn: boolean, given: Partial<SecondFactor> = {}, isProven = true) {
  let isOn = wasOn;
  const secondFactor = secondFactorWith({
    isOn: () => done(isOn),
    finish: () => {
      isOn = true;
      return done(undefined);
    },
    turnOff: () => {
      isOn = false;
      return done(undefined);
    },
    ...given,
  });
  await drawPart(() => <SecondFactorCard secondFactor={secondFactor} isProven={isProven} />, appWith({}));
}
const dialog = (name: string) => screen.findByRole('dialog', { name });
const noDialog = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());

describe('a second step that is off', () => {
  test('asks for the password and the app’s first code, then shows the backup codes', async () => {
    await card(false);
    await press('Set up');
    await enter('Your password', 'secret');
    await press('Continue');
    await enter('Code', '123 456');
    await press('Turn on');
    expect((await dialog('Write these codes down')).textContent).toMatch(/one-two\s*three-four/);
    expect(screen.queryByText('Second step turned on.')).toBeNull();
    await press('Done');
    await screen.findByText('Second step turned on.');
    await screen.findByText('On');
    expect([hasButton('Set up'), hasButton('Turn off')]).toEqual([false, true]);
  });

  test('stays off when the user cancels before the first code', async () => {
    const sent: string[] = [];
    await card(false, {
      finish: (code) => {
        sent.push(code);
        return done(undefined);
      },
    });
    await press('Set up');
    await enter('Your password', 'secret');
    await press('Continue');
    await dialog('Add the key to your app');
    await press('Cancel');
    await noDialog();
    expect([sent, hasButton('Set up'), screen.queryByText('On')]).toEqual([[], true, null]);
  });

  test('requires a verified address before it can be set up', async () => {
    await card(false, {}, false);
    await screen.findByText(/Verify your email first/);
    expect(hasButton('Set up')).toBe(false);
  });
});

describe('a second step that is on', () => {
  test('can be managed by users whose address isn’t verified', async () => {
    await card(true, {}, false);
    await screen.findByText('On');
    expect([hasButton('Create backup codes'), hasButton('Turn off')]).toEqual([true, true]);
  });

  test('shows new backup codes once, after the user enters the password', async () => {
    const given: string[] = [];
    await card(true, {
      newBackupCodes: (password) => {
        given.push(password);
        return done({ backupCodes: ['five-six'] });
      },
    });
    await press('Create backup codes');
    expect((await dialog('Create new backup codes?')).textContent).toContain('stop working');
    await enter('Your password', 'secret');
    await press('Create new codes');
    const codes = await dialog('Write these codes down');
    expect([given, codes.textContent]).toEqual([['secret'], expect.stringContaining('five-six')]);
    await act(async () => void fireEvent.keyDown(codes, { key: 'Escape' }));
    expect(screen.queryByText('five-six')).not.toBeNull();
    await press('Done');
    await noDialog();
  });

  test('turns off after the user enters the password, and then offers the setup again', async () => {
    await card(true);
    await press('Turn off');
    await dialog('Turn off the second step?');
    await enter('Your password', 'secret');
    const turnOff = screen.getAllByRole('button', { name: 'Turn off' }).at(-1);
    await act(async () => turnOff?.click());
    await screen.findByText('Second step turned off.');
    await screen.findByRole('button', { name: 'Set up' });
    expect(screen.queryByText('On')).toBeNull();
  });

  test('stays on after a wrong password, and accepts another attempt', async () => {
    const given: string[] = [];
    await card(true, {
      newBackupCodes: (password) => {
        given.push(password);
        return password === 'secret'
          ? done({ backupCodes: ['five-six'] })
          : refusedWith('Wrong password. Try again.');
      },
    });
    await press('Create backup codes');
    await enter('Your password', 'wrong');
    await press('Create new codes');
    expect((await screen.findByRole('alert')).textContent).toContain('Wrong password. Try again.');
    await enter('Your password', 'secret');
    await press('Create new codes');
    await dialog('Write these codes down');
    expect(given).toEqual(['wrong', 'secret']);
  });

  test('shows no new codes when the user cancels', async () => {
    await card(true);
    await press('Create backup codes');
    await dialog('Create new backup codes?');
    await press('Cancel');
    await noDialog();
    expect(screen.queryByText('five-six')).toBeNull();
  });
});

test('shows why the state is unknown, and offers another attempt', async () => {
  let isDown = true;
  await card(false, { isOn: () => (isDown ? refused(new FixpointError('FETCH', 'reset')) : done(true)) });
  expect((await screen.findByRole('alert')).textContent).toContain('Couldn’t reach the server.');
  expect([hasButton('Set up'), hasButton('Turn off')]).toEqual([false, false]);
  isDown = false;
  await press('Try again');
  await screen.findByText('On');
});
