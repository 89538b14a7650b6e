import { FixpointError, type Result } from '@fixpoint/protocol';
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { appWith, done, refused } from '../../cloud/app.fixture.ts';
import type { Passkey } from '../../cloud/identity/session-port.ts';
import { drawPart, enter, hasButton, isDisabled, press } from '../../cloud/part.fixture.tsx';
import { type Waiting, waiting, withPages } from '../../ui/pages.fixture.tsx';
import { dayOf } from '../../ui/text/moment.ts';
import { ConfirmIdentity } from './confirm-identity.tsx';
import { PasskeysCard, type PasskeysCardProps } from './passkeys-card.tsx';

withPages();

const PHONE: Passkey = { id: 'k1', name: 'Safari on iOS', createdAt: '2026-11-20T12:00:00Z' };
const KEY: Passkey = { id: 'k2', name: null, createdAt: null };

/** Renders the card for a provider with this list of passkeys. */
async function card(
  first: readonly Passkey[],
  given: Partial<PasskeysCardProps['passkeys']> = {},
  isProven = true,
) {
  let list = first;
  const added: string[] = [];
  const removed: string[] = [];
  let isConfirmed = false;
  const passkeys: PasskeysCardProps['passkeys'] = {
    list: () => done(list),
    add: (name) => {
      added.push(name);
      list = [...list, { id: `k${list.length + 1}`, name }];
      return done(undefined);
    },
    remove: (id) => {
      if (!isConfirmed) return refused(new FixpointError('CONFIRM_IDENTITY'));
      removed.push(id);
      list = list.filter((one) => one.id !== id);
      return done(undefined);
    },
    ...given,
  };
  const byPassword = async () => {
    isConfirmed = true;
    return done(undefined);
  };
  await drawPart(
    () => (
      <ConfirmIdentity confirm={{ byPassword }} here="/">
        <PasskeysCard passkeys={passkeys} isProven={isProven} />
      </ConfirmIdentity>
    ),
    appWith({}),
  );
  return { added, removed };
}

const rows = async () =>
  within(await screen.findByRole('list', { name: 'Passkeys' }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);

describe('the list of passkeys', () => {
  test('shows each passkey with its name and the day it was added', async () => {
    await card([PHONE, KEY]);
    expect(await rows()).toEqual([
      `Safari on iOSAdded ${dayOf('2026-11-20T12:00:00Z')}Remove`,
      'PasskeyRemove',
    ]);
  });

  test('tells users without a passkey where to add one', async () => {
    await card([]);
    await screen.findByText('No passkeys yet. Add one on a device that you own.');
    expect(hasButton('Add a passkey')).toBe(true);
  });

  test('requires a verified address before the first passkey is added', async () => {
    await card([], {}, false);
    await screen.findByText(/Verify your email first/);
    expect(hasButton('Add a passkey')).toBe(false);
  });

  test('keeps passkeys removable for users whose address isn’t verified', async () => {
    await card([PHONE], {}, false);
    expect([await rows(), hasButton('Remove Safari on iOS')]).toEqual([[expect.anything()], true]);
  });

  test('reports that the list couldn’t be fetched, and offers another attempt', async () => {
    let isDown = true;
    await card([], { list: () => (isDown ? refused(new FixpointError('FETCH', 'reset')) : done([PHONE])) });
    expect((await screen.findByRole('alert')).textContent).toContain('Couldn’t reach the server.');
    isDown = false;
    await press('Try again');
    expect(await rows()).toHaveLength(1);
  });
});

describe('adding a passkey', () => {
  test('names the new passkey after this browser, and lists it', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0' });
    const { added } = await card([]);
    await press('Add a passkey');
    await screen.findByText('Passkey added. You can sign in with it.');
    expect(added).toEqual(['Firefox on Linux']);
    await waitFor(async () => expect(await rows()).toHaveLength(1));
  });

  test('offers one attempt at a time, and another after the user cancelled in the browser', async () => {
    const answers: Waiting<Result<unknown>>[] = [];
    const add = () => {
      const answer = waiting<Result<unknown>>();
      answers.push(answer);
      return answer.promise;
    };
    await card([], { add });
    await press('Add a passkey');
    await waitFor(() => expect(isDisabled('Add a passkey')).toBe(true));
    await answers[0]?.come({
      ok: false,
      error: new FixpointError('REQUEST_INVALID', undefined, { cause: 'Cancelled. No passkey was added.' }),
    });
    expect((await screen.findByRole('alert')).textContent).toContain('Cancelled. No passkey was added.');
    await waitFor(() => expect(isDisabled('Add a passkey')).toBe(false));
    await press('Add a passkey');
    expect(answers).toHaveLength(2);
    await answers[1]?.come({ ok: true, value: undefined });
  });
});

describe('removing a passkey', () => {
  test('asks for confirmation, then for the password, and removes the passkey from the list', async () => {
    const { removed } = await card([PHONE, KEY]);
    await press('Remove Safari on iOS');
    expect((await screen.findByRole('dialog')).textContent).toContain('You can no longer sign in with it.');
    await press('Remove passkey');
    await screen.findByRole('dialog', { name: 'Confirm that it’s you' });
    expect(removed).toEqual([]);
    await enter('Your password', 'secret');
    await press('Confirm');
    await screen.findByText('Passkey removed.');
    expect(removed).toEqual(['k1']);
    await waitFor(async () => expect(await rows()).toHaveLength(1));
  });

  test('removes nothing when the user cancels the dialog', async () => {
    const { removed } = await card([PHONE]);
    await press('Remove Safari on iOS');
    await press('Cancel');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(removed).toEqual([]);
  });

  test('reports that nothing was changed when the user doesn’t prove who they are', async () => {
    const { removed } = await card([PHONE]);
    await press('Remove Safari on iOS');
    await press('Remove passkey');
    await screen.findByRole('dialog', { name: 'Confirm that it’s you' });
    await press('Cancel');
    expect((await screen.findByRole('alert')).textContent).toContain('Nothing was changed.');
    expect([removed, await rows()]).toEqual([[], [expect.stringContaining('Safari on iOS')]]);
  });
});
