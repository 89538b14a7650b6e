import { FixpointError } from '@fixpoint/protocol';
import type { Member } from '@fixpoint/protocol/admin';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { Attached, LedgerDevice } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { signedIn, tenantCalled } from '../../cloud/app.fixture.ts';
import { drawPart, enter, hasButton, isDisabled, press } from '../../cloud/part.fixture.tsx';
import { isLossAhead } from '../../leaving/ask-before-leaving.ts';
import { waiting, withPages } from '../../ui/pages.fixture.tsx';
import { attachedWith } from './attached.fixture.ts';
import { DevicesPart } from './devices-part.tsx';

withPages();

const deviceWith = (id: string, given: Partial<LedgerDevice> = {}): LedgerDevice => ({
  id,
  isThis: false,
  isRecovery: false,
  owner: undefined,
  isOwn: false,
  since: undefined,
  ...given,
});
const THIS = deviceWith('aaaaaaaaaaaa1111', { isThis: true, isOwn: true });
const OTHER = deviceWith('bbbbbbbbbbbb2222', { owner: 'u2' });
const CODE = deviceWith('cccccccccccc3333', { isRecovery: true });

/** Renders the part for a ledger with these devices; returns the calls that changed the ledger. */
async function part(list: readonly LedgerDevice[], devices: Partial<Attached['devices']> = {}) {
  let all = list;
  const calls: unknown[] = [];
  const { attached } = attachedWith({
    devices: {
      list: async () => all,
      code: async () => 'OWN-CODE',
      approve: async (code) => {
        calls.push(['approve', code]);
        all = [...all, deviceWith('dddddddddddd4444')];
      },
      remove: async (ids) => {
        calls.push(['remove', ids]);
        all = all.filter(({ id }) => !ids.includes(id));
      },
      recover: async (code) => void calls.push(['recover', code]),
      ...devices,
    },
  });
  const members: Member[] = [{ userId: 'u2', email: 'grace@example.com', role: 'member' }];
  const parts = signedIn({ tenants: [{ ...tenantCalled('t1', 'Engines'), members }] });
  await drawPart(() => <DevicesPart attached={attached} />, parts);
  return calls;
}
const rows = async () =>
  within(await screen.findByRole('list', { name: 'Devices' }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);
const removeOf = async (device: LedgerDevice) => {
  await rows();
  const row = screen.getByText(device.id.slice(0, 12)).closest('li');
  await act(async () =>
    within(row as HTMLElement)
      .getByRole('button', { name: 'Remove' })
      .click(),
  );
};

describe('the kind of a ledger', () => {
  test.each([
    ['open-key', /^The server can read this database/],
    ['sealed', /only trusted devices can read the database; the server can’t/],
    [undefined, /Not known yet/],
  ] as const)('says who can read the ledger: %s', async (kind, text) => {
    const { attached } = attachedWith({
      kind: () => kind,
      devices: { list: async () => [], code: async () => '' },
    });
    await drawPart(() => <DevicesPart attached={attached} />, signedIn());
    expect(screen.getByText('Who can read it').nextElementSibling?.textContent).toMatch(text);
    expect(hasButton('Approve device')).toBe(kind === 'sealed');
  });
});

describe('the list of a sealed ledger’s devices', () => {
  test('marks this device and recovery codes, and names the owners of other devices', async () => {
    await part([THIS, OTHER, CODE]);
    await screen.findByText('of grace@example.com');
    expect(await rows()).toEqual([
      'aaaaaaaaaaaaThis deviceyoursRename',
      'bbbbbbbbbbbbof grace@example.comRenameRemove',
      'ccccccccccccRecovery codeRenameRemove',
    ]);
  });

  test('shows the current key, and how often it was replaced', async () => {
    const keyring = { current: '0123456789abcdef', count: 3, hasRecoveryCode: true, asking: [] };
    await part([THIS], { keyring: async () => keyring });
    const fact = await screen.findByText('Current key');
    expect(fact.nextElementSibling?.textContent).toBe('01234567, number 3');
  });

  test('reports devices that couldn’t be loaded', async () => {
    await part([], { list: () => Promise.reject(new FixpointError('FETCH', 'reset')) });
    expect((await screen.findByRole('alert')).textContent).toMatch(
      /Couldn’t load the devices: Couldn’t reach the server/,
    );
  });
});

describe('a trusted device', () => {
  test('approves another device by its code, and lists it', async () => {
    const calls = await part([THIS]);
    await enter('Code of the device to approve', 'ABCDE-12345');
    await press('Approve device');
    await screen.findByText('Device approved.');
    expect(calls).toEqual([['approve', 'ABCDE-12345']]);
    await waitFor(async () => expect(await rows()).toHaveLength(2));
  });

  test('removes another device, and explains the consequences', async () => {
    const calls = await part([THIS, OTHER]);
    await removeOf(OTHER);
    await screen.findByText('Device removed. It gets no new keys.');
    expect(calls).toEqual([['remove', [OTHER.id]]]);
    await waitFor(async () => expect(await rows()).toHaveLength(1));
  });

  test('keeps a device in the list when the server rejects the removal, and says why', async () => {
    await part([THIS, OTHER], {
      remove: () => Promise.reject(new FixpointError('FORBIDDEN', 'It belongs to Grace.')),
    });
    await removeOf(OTHER);
    expect((await screen.findByRole('alert')).textContent).toMatch(
      /Couldn’t remove the device: .*It belongs to Grace\./,
    );
    expect(await rows()).toHaveLength(2);
  });

  test('shows a new recovery code once, and asks before the page is closed', async () => {
    let isMade = false;
    await part([], {
      list: async () => (isMade ? [THIS, CODE] : [THIS]),
      newRecoveryCode: async () => {
        isMade = true;
        return 'RECOVER-ME';
      },
    });
    await press('Create recovery code');
    const dialog = await screen.findByRole('dialog', { name: 'Your recovery code' });
    expect(screen.getByLabelText('Recovery code').textContent).toBe('RECOVER-ME');
    await act(async () => void fireEvent.keyDown(dialog, { key: 'Escape' }));
    expect([screen.queryByText('RECOVER-ME') !== null, isLossAhead()]).toEqual([true, true]);
    await press('I’ve saved it');
    await waitFor(() => expect(screen.queryByText('RECOVER-ME')).toBeNull());
    expect([await rows(), isLossAhead()]).toEqual([
      [expect.anything(), expect.stringMatching(/Recovery code/)],
      false,
    ]);
  });

  test('creates one recovery code at a time, and reports a failure', async () => {
    const answer = waiting<string | Error>();
    let asked = 0;
    await part([THIS], {
      newRecoveryCode: async () => {
        asked += 1;
        const made = await answer.promise;
        if (made instanceof Error) throw made;
        return made;
      },
    });
    await press('Create recovery code');
    await press('Create recovery code');
    expect([asked, isDisabled('Create recovery code')]).toEqual([1, true]);
    await answer.come(new FixpointError('FETCH', 'reset'));
    expect((await screen.findByRole('alert')).textContent).toMatch(/Couldn’t create a recovery code/);
    expect([screen.queryByRole('dialog'), isDisabled('Create recovery code')]).toEqual([null, false]);
  });
});

describe('a device that isn’t trusted', () => {
  const untrusted = { isApproved: () => false };

  test('shows its code, to enter on a trusted device, and offers no changes', async () => {
    await part([OTHER], untrusted);
    await screen.findByText(/This device isn’t trusted yet/);
    await screen.findByText('of grace@example.com');
    expect(screen.getByLabelText('Code of this device').textContent).toBe('OWN-CODE');
    expect(await rows()).toEqual(['bbbbbbbbbbbbof grace@example.com']);
    expect([hasButton('Approve device'), hasButton('Create recovery code'), hasButton('Remove')]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('gets access by a recovery code', async () => {
    let isIn = false;
    const calls = await part([OTHER, THIS], {
      isApproved: () => isIn,
      recover: async () => {
        isIn = true;
      },
    });
    await enter('Or enter a recovery code', 'RECOVER-ME');
    await press('Recover access');
    await screen.findByText('This device is now trusted.');
    await screen.findByRole('button', { name: 'Approve device' });
    expect(calls).toEqual([]);
  });

  test('keeps a wrong recovery code in the field, and says what is wrong', async () => {
    await part([OTHER], { ...untrusted, recover: () => Promise.reject(new FixpointError('KEY_UNKNOWN')) });
    await enter('Or enter a recovery code', 'WRONG');
    await press('Recover access');
    expect((await screen.findByRole('alert')).textContent).toContain('doesn’t open this database');
    expect(screen.getByLabelText<HTMLInputElement>('Or enter a recovery code').value).toBe('WRONG');
  });
});
