import { FixpointError } from '@fixpoint/protocol';
import type { Member } from '@fixpoint/protocol/admin';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { Attached, LedgerDevice, LedgerKeyring, LedgerLog } from 'fixpoint';
import { beforeEach, describe, expect, test } from 'vitest';
import { signedIn, tenantCalled } from '../../../cloud/app.fixture.ts';
import { drawPart, hasButton, isDisabled, press } from '../../../cloud/part.fixture.tsx';
import { withPages } from '../../../ui/pages.fixture.tsx';
import { attachedWith } from '../attached.fixture.ts';
import { DevicesPart } from '../devices-part.tsx';
import { KeysNotice } from '../keys-notice.tsx';

withPages();

const ADA = { user: 'u1', name: 'Ada', role: 'admin', isYou: true, admittedBy: undefined } as const;
const BOB = { user: 'u2', name: 'Bob', role: 'write', isYou: false, admittedBy: 'Ada' } as const;
const LOG: LedgerLog = {
  ...{ id: 'a1', isCompared: true, role: 'admin', members: [ADA, BOB], ignored: [], forks: [] },
  ...{ safetyNumber: '12345'.repeat(12), withoutAccess: [], withheld: [], waits: undefined },
};
/** The same list, as Bob sees it. */
const BOBS = {
  role: 'write',
  members: [
    { ...ADA, isYou: false },
    { ...BOB, isYou: true },
  ],
} as const;

const deviceWith = (id: string, given: Partial<LedgerDevice> = {}): LedgerDevice => ({
  ...{ id, isThis: false, isRecovery: false, owner: undefined, isOwn: false, since: undefined },
  ...given,
});
const THIS = deviceWith('aaaaaaaaaaaa1111', { isThis: true, isOwn: true });
const CODE = deviceWith('cccccccccccc3333', { isRecovery: true, isOwn: true });
const OTHER = deviceWith('bbbbbbbbbbbb2222', { name: 'Bob' });

interface Given {
  readonly log?: Partial<LedgerLog>;
  readonly otherLogs?: readonly string[];
  readonly listed?: readonly LedgerDevice[];
  readonly calls?: Partial<Attached['devices']>;
  readonly members?: readonly Member[];
}

/** Renders a part of a ledger; returns the calls that changed the ledger. */
async function draw(
  Part: (given: { attached: Attached }) => React.ReactNode,
  { log, otherLogs, listed = [THIS, CODE], calls: given = {}, members = [] }: Given,
) {
  const calls: unknown[] = [];
  const keyring: LedgerKeyring = {
    ...{ current: 'key1', count: 1, hasRecoveryCode: true, asking: [] },
    ...(log && { log: { ...LOG, ...log } }),
    ...(otherLogs && { otherLogs }),
  };
  const noted =
    (name: string) =>
    async (...args: unknown[]) =>
      void calls.push([name, ...args]);
  const { attached } = attachedWith({
    devices: {
      ...{ keyring: async () => keyring, list: async () => listed, code: async () => 'OWN-CODE' },
      newRecoveryCode: async () => 'RECOVER-ME',
      ...{ approve: noted('approve'), remove: noted('remove'), compareLog: noted('compareLog') },
      ...given,
    },
  });
  const tenant = { ...tenantCalled('t1', 'Engines'), members: [...members] };
  await drawPart(() => <Part attached={attached} />, signedIn({ tenants: [tenant] }));
  return calls;
}
const notice = (given: Given, offersList = false) =>
  draw(({ attached }) => <KeysNotice {...{ offersList }} attached={Promise.resolve(attached)} />, given);
const part = (given: Given) => draw(DevicesPart, given);
const panel = (name: string) => screen.findByRole('region', { name });
const panels = () =>
  screen
    .queryAllByRole('region')
    .map((one) => one.getAttribute('aria-label'))
    .filter((name) => name !== 'Messages');
const choose = (field: HTMLElement, value: string) =>
  act(async () => void fireEvent.change(field, { target: { value } }));

describe('a request for a recovery code', () => {
  const asked = { id: 'd1', user: 'u2', name: 'Bob', isYou: false };

  test('[J5] asks an admin to speak to the member, and confirms it', async () => {
    const calls = await notice({ log: { codeRequests: [asked] } });
    expect((await panel('A recovery code is requested')).textContent).toMatch(/Ask this member first/);
    await press('Confirm the code of Bob');
    await screen.findByText('Bob can now use the code.');
    expect(calls).toEqual([['approve', 'd1']]);
  });

  test('[J5] names each of several members, by their id if they have no name', async () => {
    await notice({ log: { codeRequests: [asked, { ...asked, id: 'd2', user: 'u3', name: undefined }] } });
    const list = within(await panel('Recovery codes are requested'));
    expect(list.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'BobConfirm',
      'u3Confirm',
    ]);
  });

  test('[C9] says that only admins above the member can confirm it', async () => {
    const approve = () => Promise.reject(new FixpointError('FORBIDDEN'));
    await notice({ log: { codeRequests: [asked] }, calls: { approve } });
    await panel('A recovery code is requested');
    await press('Confirm the code of Bob');
    expect((await screen.findByRole('alert')).textContent).toMatch(/only admins above Bob in the list can/);
  });

  test.each([
    ['an own one', { codeRequests: [{ ...asked, isYou: true }] }],
    ['one that this member can’t confirm', { ...BOBS, codeRequests: [asked] }],
    ['none', {}],
  ])('shows nothing for %s', async (_, log) => {
    await notice({ log });
    expect(panels()).toEqual([]);
  });

  test('[J5] is made by a member, and waits for an admin', async () => {
    await part({ log: { ...BOBS, codeRequests: [{ ...asked, isYou: true }] }, listed: [THIS] });
    await screen.findByText(/Your recovery code isn’t valid yet/);
    await press('Request new recovery code');
    expect((await screen.findByRole('dialog')).textContent).toMatch(/becomes valid when an admin/);
    expect(screen.getByLabelText('Recovery code').textContent).toBe('RECOVER-ME');
  });

  test('offers neither to the founder, who replaces their code', async () => {
    await part({ log: {} });
    await screen.findByRole('list', { name: 'Devices' });
    expect([hasButton('Request new recovery code'), hasButton('Leave with this device')]).toEqual([
      false,
      false,
    ]);
  });
});

describe('a list that isn’t that of the database', () => {
  test('[G2] is explained, and withdrawn', async () => {
    const calls = await notice({ otherLogs: ['b2'] });
    const shown = await panel('Somebody started another list of members');
    expect(shown.textContent).toMatch(/no device or member can be removed/);
    await press('Withdraw list');
    await screen.findByText('List ignored, and withdrawn if possible.');
    expect(calls).toEqual([['compareLog', 'b2', false]]);
  });

  test('[G2] reports why it couldn’t be withdrawn', async () => {
    const compareLog = () => Promise.reject(new FixpointError('FORBIDDEN'));
    await notice({ otherLogs: ['b2'], calls: { compareLog } });
    await panel('Somebody started another list of members');
    await press('Withdraw list');
    expect((await screen.findByRole('alert')).textContent).toMatch(/^Couldn’t withdraw the list/);
  });

  test('replaces the offer to start one, which the server would reject', async () => {
    await notice({ otherLogs: ['b2'] }, true);
    await panel('Somebody started another list of members');
    expect(panels()).toHaveLength(1);
  });
});

describe('a list of the founder alone', () => {
  const alone = { members: [ADA] };

  test('[G2] can be withdrawn', async () => {
    const calls = await part({ log: alone });
    await screen.findByText(/You can withdraw the list while/);
    await press('Withdraw list');
    await screen.findByText('The list of members was withdrawn.');
    expect(calls).toEqual([['compareLog', 'a1', false]]);
  });

  test('[G2] says if it has further entries by now', async () => {
    const compareLog = () => Promise.reject(new FixpointError('CONFLICT'));
    await part({ log: alone, calls: { compareLog } });
    await screen.findByText(/You can withdraw the list while/);
    await press('Withdraw list');
    expect((await screen.findByRole('alert')).textContent).toMatch(/it has further entries/);
  });

  test.each([
    ['another member', { log: {} }],
    ['another device', { log: alone, listed: [THIS, CODE, OTHER] }],
  ])('stays with %s', async (_, given) => {
    await part(given);
    await screen.findByRole('list', { name: 'Devices' });
    expect(hasButton('Withdraw list')).toBe(false);
  });
});

describe('leaving', () => {
  test('[C4] asks first, and takes this device out of the list', async () => {
    const calls = await part({ log: BOBS });
    await screen.findByRole('list', { name: 'Devices' });
    await press('Leave with this device');
    expect((await screen.findByRole('dialog')).textContent).toMatch(/gets no new keys/);
    await press('Leave');
    await screen.findByText('This device left the list of members.');
    expect(calls).toEqual([['remove', ['aaaaaaaaaaaa1111']]]);
  });

  test('reports a failure', async () => {
    const remove = () => Promise.reject(new FixpointError('FETCH'));
    await part({ log: BOBS, calls: { remove } });
    await screen.findByRole('list', { name: 'Devices' });
    await press('Leave with this device');
    await press('Leave');
    expect((await screen.findByRole('alert')).textContent).toMatch(/^Couldn’t leave the list/);
  });
});

describe('devices from before the list', () => {
  const earlier = [
    { id: 'dddddddddddd4444', user: 'u2' },
    { id: 'eeeeeeeeeeee5555', user: 'u9' },
  ];
  const members: Member[] = [{ userId: 'u2', email: 'grace@example.com', role: 'member' }];
  const section = async () => {
    const shown = within(await screen.findByRole('region', { name: 'Devices from before the list' }));
    // The names are those that the server knows.
    await waitFor(() => expect(shown.getAllByDisplayValue('grace@example.com')).toHaveLength(1));
    return shown;
  };

  test('[L5] adds them at once, with the names and roles that the user confirms', async () => {
    const calls = await part({ log: { earlierDevices: earlier }, members });
    const shown = await section();
    const names = () => shown.getAllByRole('textbox').map((field) => (field as HTMLInputElement).value);
    await waitFor(() => expect(names()).toEqual(['grace@example.com', '']));
    expect(isDisabled('Add device')).toBe(true);
    const roles = shown.getAllByRole('combobox');
    // Nobody becomes an admin in this way.
    expect(
      within(roles[0] as HTMLElement)
        .getAllByRole('option')
        .map((one) => one.textContent),
    ).toEqual(['Don’t add', 'can read', 'can read and write']);
    await choose(roles[0] as HTMLElement, 'write');
    expect(isDisabled('Add device')).toBe(false);
    await choose(roles[1] as HTMLElement, 'read');
    expect(isDisabled('Add device')).toBe(false);
    await choose(shown.getByLabelText('Name of the owner of eeeeeeeeeeee'), ' Alan ');
    await press('Add 2 devices');
    await screen.findByText('2 devices added.');
    expect(calls).toEqual([
      ['approve', 'dddddddddddd4444', { name: 'grace@example.com', role: 'write' }],
      ['approve', 'eeeeeeeeeeee5555', { name: 'Alan', role: 'read' }],
    ]);
  });

  test('[L5] leaves out those that the user doesn’t choose', async () => {
    const calls = await part({ log: { earlierDevices: earlier }, members });
    const [first] = (await section()).getAllByRole('combobox');
    await choose(first as HTMLElement, 'read');
    await choose(first as HTMLElement, '');
    expect(isDisabled('Add device')).toBe(true);
    await choose(first as HTMLElement, 'read');
    await press('Add device');
    await screen.findByText('Device added.');
    expect(calls).toHaveLength(1);
  });

  test('[L5] says which failure ended it', async () => {
    const approve = () => Promise.reject(new FixpointError('FORBIDDEN'));
    await part({ log: { earlierDevices: earlier }, members, calls: { approve } });
    const [first] = (await section()).getAllByRole('combobox');
    await choose(first as HTMLElement, 'read');
    await press('Add device');
    expect((await screen.findByRole('alert')).textContent).toMatch(/^Couldn’t add all devices/);
  });
});

describe('the offer of a signed list', () => {
  beforeEach(() => localStorage.clear());

  test('is shown to admins of the tenant, until they decline it in this browser', async () => {
    await notice({}, true);
    const shown = await panel('Protect the list of members');
    expect(shown.textContent).toMatch(/The server alone decides who is a member/);
    await press('Start signed list of members');
    expect((await screen.findByRole('dialog')).textContent).toMatch(
      /Other devices and recovery codes aren’t in the list/,
    );
    await press('Cancel');
    await press('Not now');
    expect(panels()).toEqual([]);
    await notice({}, true);
    expect(panels()).toEqual([]);
  });

  test.each([
    ['others', {}, false],
    ['a database that has one', { log: {} }, true],
  ])('stays hidden from %s', async (_, given, offersList) => {
    await notice(given, offersList);
    expect(panels()).toEqual([]);
  });
});
