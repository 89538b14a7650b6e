import { FixpointError } from '@fixpoint/protocol';
import { screen, waitFor } from '@testing-library/react';
import type { Attached, LedgerKeyring } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { appWith } from '../../cloud/app.fixture.ts';
import { drawPart, enter, press } from '../../cloud/part.fixture.tsx';
import { isLossAhead } from '../../leaving/ask-before-leaving.ts';
import { withPages } from '../../ui/pages.fixture.tsx';
import { type AttachedGiven, attachedWith } from './attached.fixture.ts';
import { KeysNotice } from './keys-notice.tsx';

withPages();

const READY: LedgerKeyring = { current: 'key1', count: 1, hasRecoveryCode: true, asking: [] };
const NOT_APPROVED = new FixpointError('DEVICE_NOT_APPROVED');

async function notice(
  first: LedgerKeyring | undefined,
  devices: Partial<Attached['devices']> = {},
  given: AttachedGiven = {},
) {
  let keyring = first;
  let changes = 0;
  const ledger = attachedWith({
    ...given,
    devices: { keyring: async () => keyring, code: async () => 'OWN-CODE', ...devices },
  });
  const attached = Promise.resolve(ledger.attached);
  const page = await drawPart(() => <KeysNotice attached={attached} />, appWith({}));
  const find = (next: LedgerKeyring) => {
    keyring = next;
    changes += 1;
    return ledger.become({ keys: changes });
  };
  return { ...page, ...ledger, find };
}
const panel = (name: string) => screen.queryByRole('region', { name });
const panels = () =>
  screen
    .queryAllByRole('region')
    .map((one) => one.getAttribute('aria-label'))
    .filter((name) => name !== 'Messages');

describe('a ledger without key tasks', () => {
  test.each<[string, LedgerKeyring | undefined, AttachedGiven]>([
    ['has a recovery code, and nobody waits', READY, {}],
    ['is open-key', { ...READY, hasRecoveryCode: false }, { kind: () => 'open-key' }],
    ['isn’t known yet', undefined, {}],
  ])('shows nothing when it %s', async (_state, keyring, given) => {
    await notice(keyring, {}, given);
    expect(panels()).toEqual([]);
  });

  test('shows nothing when the database couldn’t be attached, which other parts report', async () => {
    const failed = Promise.reject(new FixpointError('FETCH'));
    const Page = () => (
      <>
        <KeysNotice attached={failed} />
        <p>Documents</p>
      </>
    );
    await drawPart(Page, appWith({}));
    expect([panels(), screen.queryByText('Documents') !== null]).toEqual([[], true]);
  });
});

describe('a ledger without a recovery code', () => {
  test('offers to create a recovery code, shows the code once, and asks before the page is closed', async () => {
    const { find } = await notice(
      { ...READY, hasRecoveryCode: false },
      { newRecoveryCode: async () => 'RECOVER-ME' },
    );
    expect(panel('No recovery code yet')).not.toBeNull();
    await press('Create recovery code');
    await find(READY);
    expect(panels()).toEqual(['Your recovery code']);
    expect([screen.getByLabelText('Recovery code').textContent, isLossAhead()]).toEqual(['RECOVER-ME', true]);
    await press('I’ve saved it');
    expect([panels(), isLossAhead()]).toEqual([[], false]);
  });

  test('says why no code could be created, and offers another attempt', async () => {
    await notice(
      { ...READY, hasRecoveryCode: false },
      { newRecoveryCode: () => Promise.reject(new FixpointError('FETCH', 'reset')) },
    );
    await press('Create recovery code');
    expect((await screen.findByRole('alert')).textContent).toMatch(/Couldn’t create a recovery code/);
    expect(panel('No recovery code yet')).not.toBeNull();
  });
});

describe('the panel for devices that wait for approval', () => {
  test('appears while a device waits, with the number of devices', async () => {
    const { find } = await notice(READY);
    await find({ ...READY, asking: ['d1'] });
    expect(panels()).toEqual(['A device is waiting for approval']);
    await find({ ...READY, asking: ['d1', 'd2'] });
    expect(panels()).toEqual(['2 devices are waiting for approval']);
    await find(READY);
    expect(panels()).toEqual([]);
  });

  test('approves a device by the code that the device shows', async () => {
    const codes: string[] = [];
    await notice({ ...READY, asking: ['d1'] }, { approve: async (code) => void codes.push(code) });
    await enter('Code of the device', ' ABCDE-12345 ');
    await press('Approve device');
    await screen.findByText('Device approved.');
    expect(codes).toEqual(['ABCDE-12345']);
  });

  test('rejects requests, and says why that failed', async () => {
    const rejected: unknown[] = [];
    let failure: FixpointError | undefined = new FixpointError('FORBIDDEN');
    const reject = async (ids: readonly string[]) => {
      if (failure !== undefined) throw failure;
      rejected.push(ids);
    };
    const { find } = await notice({ ...READY, asking: ['a1', 'b2'] }, { reject });
    await press('Reject all 2 requests');
    await screen.findByText(
      'Couldn’t reject requests of other people: only admins of the tenant can. Ask an admin.',
    );
    failure = new FixpointError('CONFLICT');
    await press('Reject all 2 requests');
    await screen.findByText(/Somebody already answered at least one of the requests/);
    failure = undefined;
    await press('Reject all 2 requests');
    await screen.findByText('Requests rejected.');
    await find({ ...READY, asking: ['a1'] });
    await press('Reject the request');
    await screen.findByText('Request rejected.');
    failure = new FixpointError('CONFLICT');
    await press('Reject the request');
    await screen.findByText('Somebody already answered the request.');
    expect(rejected).toEqual([['a1', 'b2'], ['a1']]);
  });

  test('stays hidden on a device that can’t approve others', async () => {
    await notice({ ...READY, asking: ['d1'] }, { isApproved: () => false });
    expect(panels()).toEqual([]);
  });

  test('keeps the typed text when another device asks', async () => {
    const { find } = await notice({ ...READY, asking: ['d1'] });
    await enter('Code of the device', 'ABC');
    await find({ ...READY, asking: ['d1', 'd2'] });
    expect(screen.getByLabelText<HTMLInputElement>('Code of the device').value).toBe('ABC');
  });
});

describe('a device without keys', () => {
  const untrusted: AttachedGiven = { first: { state: 'offline', error: NOT_APPROVED } };

  test('shows its code, and what to do with it', async () => {
    await notice(undefined, {}, untrusted);
    expect(panel('This device isn’t trusted yet')?.textContent).toContain('enter this code there');
    expect((await screen.findByLabelText('Code of this device')).textContent).toBe('OWN-CODE');
  });

  test('says that an admin rejected its request, and shows no code', async () => {
    const calls: string[] = [];
    let failure: FixpointError | undefined = new FixpointError('FORBIDDEN');
    const devices = {
      ask: async () => {
        if (failure !== undefined) throw failure;
        calls.push('ask');
      },
      recover: async (code: string) => void calls.push(code),
    };
    await notice({ ...READY, current: undefined, isRejected: true }, devices, untrusted);
    await waitFor(() => expect(panels()).toEqual(['An admin rejected the request of this device']));
    expect(screen.queryByLabelText('Code of this device')).toBeNull();
    await press('Ask again');
    await screen.findByText(/Couldn’t ask again/);
    failure = undefined;
    await press('Ask again');
    await waitFor(() => expect(calls).toEqual(['ask']));
    // A server that hides the request must not hide the way back.
    await enter('Or enter a recovery code', 'CODE-1');
    await press('Recover access');
    await screen.findByText('This device is now trusted.');
    expect(calls).toEqual(['ask', 'CODE-1']);
  });

  test('says that another device removed it', async () => {
    await notice(READY, {}, untrusted);
    expect(panel('This device was removed')?.textContent).toContain('stay readable');
  });

  test('gets access by a recovery code', async () => {
    const codes: string[] = [];
    const { become } = await notice(undefined, { recover: async (code) => void codes.push(code) }, untrusted);
    await enter('Or enter a recovery code', 'RECOVER-ME');
    await press('Recover access');
    await screen.findByText('This device is now trusted.');
    expect(codes).toEqual(['RECOVER-ME']);
    await become({ state: 'in-sync', error: undefined } as object);
    await waitFor(() => expect(panels()).toEqual([]));
  });

  test('reports a code that couldn’t be loaded, and still accepts a recovery code', async () => {
    await notice(undefined, { code: () => Promise.reject(new FixpointError('STORE_FAILED')) }, untrusted);
    expect((await screen.findByRole('alert')).textContent).toMatch(/Couldn’t load the code of this device/);
    expect(screen.getByLabelText('Or enter a recovery code')).toBeDefined();
    expect(screen.queryByLabelText('Code of this device')).toBeNull();
  });
});

describe('the state of the keys', () => {
  test('stays on the page when it can’t be read again', async () => {
    let isBroken = false;
    const { become } = await notice(undefined, {
      keyring: async () => {
        if (isBroken) throw new FixpointError('STORE_FAILED');
        return { ...READY, asking: ['d1'] };
      },
    });
    isBroken = true;
    await become({ keys: 1 });
    expect(panels()).toEqual(['A device is waiting for approval']);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('stops being read after the user left the page', async () => {
    let looks = 0;
    const { go, become } = await notice(undefined, {
      keyring: async () => {
        looks += 1;
        return READY;
      },
    });
    await go('/fp/databases');
    const before = looks;
    await become({ keys: 1 });
    expect(looks).toBe(before);
  });
});
