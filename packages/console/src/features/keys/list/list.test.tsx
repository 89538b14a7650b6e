import { FixpointError } from '@fixpoint/protocol';
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { Attached, LedgerDevice, LedgerKeyring, LedgerLog } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { appWith } from '../../../cloud/app.fixture.ts';
import { drawPart, enter, hasButton, isDisabled, press } from '../../../cloud/part.fixture.tsx';
import { withPages } from '../../../ui/pages.fixture.tsx';
import { dayOf } from '../../../ui/text/moment.ts';
import { attachedWith } from '../attached.fixture.ts';
import { DevicesPart } from '../devices-part.tsx';
import { KeysNotice } from '../keys-notice.tsx';

withPages();

const ADA = { user: 'u1', name: 'Ada', role: 'admin', isYou: true, admittedBy: undefined } as const;
const BOB = { user: 'u2', name: 'Bob', role: 'write', isYou: false, admittedBy: 'Ada' } as const;
const LOG: LedgerLog = {
  id: 'a1',
  isCompared: true,
  role: 'admin',
  members: [ADA, BOB],
  ignored: [],
  forks: [],
  safetyNumber: '12345'.repeat(12),
  withoutAccess: [],
  withheld: [],
  waits: undefined,
};
const deviceOf = ({ user, name }: typeof ADA | typeof BOB, id: string, more = {}): LedgerDevice => ({
  ...{ id, isThis: false, isRecovery: false, owner: user, isOwn: user === 'u1', since: undefined },
  ...{ name, approvedBy: 'Ada', ...more },
});
const DEVICES = [
  deviceOf(ADA, 'aaaaaaaaaaaa1111', { isThis: true, approvedBy: undefined }),
  deviceOf(BOB, 'bbbbbbbbbbbb2222'),
  deviceOf(BOB, 'cccccccccccc3333', { isUnlisted: true, name: undefined, approvedBy: undefined }),
];

type Calls = Partial<Attached['devices']>;

/** Renders a part of a ledger; returns the calls that changed the ledger. */
async function draw(
  Part: (given: { attached: Attached }) => React.ReactNode,
  log: Partial<LedgerLog> | undefined,
  given: Calls = {},
  { asking = [], listed = DEVICES }: { asking?: string[]; listed?: LedgerDevice[] } = {},
) {
  const calls: unknown[] = [];
  const keyring: LedgerKeyring = {
    ...{ current: 'key1', count: 1, hasRecoveryCode: true, asking },
    ...(log && { log: { ...LOG, ...log } }),
  };
  const noted =
    (name: string) =>
    async (...args: unknown[]) =>
      void calls.push([name, ...args]);
  const { attached } = attachedWith({
    devices: {
      ...{ keyring: async () => keyring, list: async () => listed, code: async () => 'OWN-CODE' },
      newLogCode: async () => 'RECOVER-ME',
      approve: noted('approve'),
      remove: noted('remove'),
      setRole: noted('setRole'),
      startLog: noted('startLog'),
      compareLog: noted('compareLog'),
      rename: noted('rename'),
      ...given,
    },
  });
  await drawPart(() => <Part attached={attached} />, appWith({}));
  return calls;
}
type Given = [given?: Calls, state?: { asking?: string[]; listed?: LedgerDevice[] }];
const part = (log: Partial<LedgerLog> | undefined, ...given: Given) =>
  draw(({ attached }) => <DevicesPart attached={attached} />, log, ...given);
const notice = (log: Partial<LedgerLog> | undefined, ...given: Given) =>
  draw(({ attached }) => <KeysNotice attached={Promise.resolve(attached)} />, log, ...given);

const choose = async (label: string, value: string) => {
  const field = await screen.findByLabelText(label);
  await act(async () => void fireEvent.change(field, { target: { value } }));
};
const textsIn = async (name: string) =>
  within(await screen.findByRole('list', { name }))
    .getAllByRole('listitem')
    .map((item) => item.textContent);
const panels = () =>
  screen
    .queryAllByRole('region')
    .map((one) => one.getAttribute('aria-label'))
    .filter((name) => name !== 'Messages');

describe('the signed list of members', () => {
  test('names members, their roles and devices, and says what protects the database', async () => {
    await part({});
    await waitFor(async () =>
      expect(await textsIn('Members')).toEqual([
        expect.stringMatching(/^AdaYoustarted this list, can also add and remove people/),
        expect.stringMatching(/^Bobadded by Ada/),
      ]),
    );
    expect(await textsIn('Devices')).toEqual([
      'aaaaaaaaaaaaThis deviceyoursRename',
      'bbbbbbbbbbbbof Bob, added by AdaRenameRemove',
      'ccccccccccccNot in the listof u2RenameRemove',
    ]);
    expect(screen.getByText('Safety number').nextElementSibling?.textContent).toMatch(
      new RegExp(`^${Array(12).fill('12345').join(' ')}`),
    );
    expect(screen.getByText('Who can read it').nextElementSibling?.textContent).toMatch(
      /signed list of members can read the database, and the server can’t add any. Only what its members write counts/,
    );
    expect(hasButton('Create recovery code')).toBe(false);
  });

  test('lets an admin change a role, and remove a member with all devices after a question', async () => {
    const calls = await part({});
    await choose('Role of Bob', 'read');
    await screen.findByText('Role changed.');
    await press('Remove Bob');
    expect(calls).toEqual([['setRole', 'u2', 'read']]);
    await press('Remove member');
    await screen.findByText('Bob was removed, and gets no new keys.');
    expect(calls.at(-1)).toEqual(['remove', ['bbbbbbbbbbbb2222', 'cccccccccccc3333']]);
  });

  test('saves your name for a member and for a device, and removes it', async () => {
    const calls = await part({ role: 'read', members: [ADA, { ...BOB, yourName: 'Bobby' }] });
    expect(await textsIn('Members')).toContainEqual(
      expect.stringMatching(/^Bobbyin the list as Bob, added by Ada/),
    );
    await press('Rename Bob');
    expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('Bobby');
    await enter('Name', '  ');
    await press('Save name');
    await screen.findByText('Name removed.');
    await press('Rename device aaaaaaaaaaaa');
    await enter('Name', ' Laptop ');
    await press('Save name');
    await screen.findByText('Name saved.');
    expect(calls).toEqual([
      ['rename', { user: 'u2' }, ''],
      ['rename', { device: 'aaaaaaaaaaaa1111' }, 'Laptop'],
    ]);
  });

  test('shows your name for a device, and says why a name could not be saved', async () => {
    const listed = [deviceOf(ADA, 'aaaaaaaaaaaa1111', { isThis: true, yourName: 'Laptop' })];
    const rename = () => Promise.reject(new FixpointError('REQUEST_INVALID', 'the name'));
    await part({}, { rename }, { listed });
    expect((await textsIn('Devices'))[0]).toMatch(/^LaptopaaaaaaaaaaaaThis device/);
    for (const name of ['Rename device aaaaaaaaaaaa', 'Rename Bob']) {
      await press(name);
      await enter('Name', 'x');
      await press('Save name');
      await screen.findAllByText(/^Couldn’t save the name: /);
    }
  });

  test('[N4] compares the safety number by a QR code, and by typed or pasted digits', async () => {
    await part({});
    await press('Compare safety number');
    await screen.findByRole('img', { name: 'QR code of the safety number below' });
    const result = () => within(screen.getByRole('dialog')).getByRole('status').textContent;
    expect(result()).toBe('');
    await enter('Number of the other member', '12345 1');
    expect(result()).toBe('54 digits are missing. All others are equal.');
    await enter('Number of the other member', `${'12345 '.repeat(11)}12346`);
    expect(result()).toMatch(/^Different\. .*the server shows you different lists/);
    await enter('Number of the other member', '12345 '.repeat(12));
    expect(result()).toBe('Equal. You both see the same members and devices.');
    await enter('Number of the other member', 'ABCDE');
    expect(result()).toBe('Enter only the 60 digits.');
    await press('Close');
  });

  test('offers to remove only devices that the list allows the user to remove', async () => {
    const removable = async (log: Partial<LedgerLog>) => {
      await part(log);
      const items = (await screen.findAllByRole('list', { name: 'Devices' })).at(-1) as HTMLElement;
      const rows = within(items).getAllByRole('listitem');
      return rows.map((row) => within(row).queryByRole('button', { name: 'Remove' }) !== null);
    };
    expect(await removable({ role: 'admin' })).toEqual([false, true, true]);
    cleanup();
    // Bob is a writer, and none of these devices belongs to Bob.
    const members = [
      { ...ADA, isYou: false },
      { ...BOB, isYou: true },
    ];
    expect(await removable({ role: 'write', members })).toEqual([false, false, false]);
  });

  test('[E6] lists changes that do not count, and accepts one of a member after a question', async () => {
    const withheld = [
      { event: 'bafyone11111111', reason: 'unknown device', signer: undefined },
      { event: 'bafytwo22222222', reason: 'removed', signer: 'Bob' },
      { event: 'bafysix66666666', reason: 'unknown entry', signer: 'Bob' },
    ];
    const calls = await part({ withheld });
    await waitFor(async () =>
      expect(await textsIn('Changes that don’t count')).toEqual([
        '…66666666by Bob, names a part of the list of members that the server doesn’t show',
        '…22222222by Bob, arrived after its author was removedAccept',
        '…11111111written by a device that isn’t in the list of members',
      ]),
    );
    await press('Accept change 22222222');
    await screen.findByText(/^The change, and all changes before it, become part of this database/);
    await press('Accept change');
    await screen.findByText('Change accepted. It now counts for all members.');
    expect(calls).toEqual([['approve', 'bafytwo22222222']]);
    cleanup();
    await part({ withheld, role: 'read' });
    expect([await textsIn('Changes that don’t count'), hasButton(/^Accept/)]).toEqual([
      expect.anything(),
      false,
    ]);
  });

  test.each([
    [[], /^The change becomes part of this database for all members\. No earlier changes come along\./],
    [
      [{ signer: undefined, count: 1 }],
      /with 1 earlier one that doesn’t count yet: 1 by somebody who isn’t in the list\. The history/,
    ],
    [
      [
        { signer: 'Bob', count: 98 },
        { signer: undefined, count: 2 },
      ],
      /with at least 100 earlier ones that don’t count yet: 98 by Bob, 2 by somebody who/,
    ],
  ])('[E6] says how many earlier changes come along, and by whom: %#', async (earlier, text) => {
    await part({ withheld: [{ event: 'bafytwo22222222', reason: 'removed', signer: 'Bob', earlier }] });
    await press('Accept change 22222222');
    await screen.findByText(text);
  });

  test('[E6] says why a change could not be accepted, and how many it does not show', async () => {
    const one = { reason: 'removed', signer: 'Bob' };
    const withheld = Array.from({ length: 22 }, (_, at) => ({ ...one, event: `bafy${10_000_000 + at}` }));
    const approve = () => Promise.reject(new FixpointError('CONNECTION_NOT_OPEN'));
    await part({ withheld }, { approve });
    await waitFor(async () => expect(await textsIn('Changes that don’t count')).toHaveLength(20));
    screen.getByText('And 2 earlier ones.');
    await press('Accept change 10000021');
    await press('Accept change');
    await screen.findByText(/^Couldn’t accept the change: /);
  });

  test('[E7] asks to compare the list with each member who named a part that the server does not show', async () => {
    const named = (member: string, id: string) => ({ id, member });
    let failure: FixpointError | undefined = new FixpointError('STORE_FULL');
    const compared: unknown[] = [];
    const compareLog = async (...given: unknown[]) => {
      if (failure !== undefined) throw failure;
      compared.push(given);
    };
    const shown = [named('Bob', 'e1'), named('Bob', 'e2'), named('Eve', 'e3')];
    await notice({ unconfirmed: shown }, { compareLog });
    await screen.findByText(
      /^Changes of several members name parts of the list.* with each of these members/,
    );
    await press('The numbers of Bob match');
    await screen.findByText(/^Couldn’t confirm the list: /);
    failure = undefined;
    await press('The numbers of Bob match');
    await screen.findByText('List of members confirmed with Bob.');
    await press('The numbers of Eve match');
    await screen.findByText('List of members confirmed with Eve.');
    expect(compared).toEqual([
      ['a1', true, shown.slice(0, 2)],
      ['a1', true, shown.slice(2)],
    ]);
  });

  test('[E7] confirms only what was shown when the user began to compare', async () => {
    const compared: unknown[] = [];
    const keyring = (...ids: string[]): LedgerKeyring => ({
      ...{ current: 'key1', count: 1, hasRecoveryCode: true, asking: [] },
      log: { ...LOG, unconfirmed: ids.map((id) => ({ id, member: 'Bob' })) },
    });
    let now = keyring('e1');
    const compareLog = async (...given: unknown[]) => void compared.push(given[2]);
    const { attached, become } = attachedWith({ devices: { keyring: async () => now, compareLog } });
    await drawPart(() => <KeysNotice attached={Promise.resolve(attached)} />, appWith({}));
    await screen.findByText(/^A change of Bob names a part of the list/);
    const find = async (...ids: string[]) => {
      now = keyring(...ids);
      await become({ keys: compared.length + ids.length });
    };
    await find('e1', 'e2');
    await press('The numbers match');
    await find('e2');
    await press('The numbers match');
    await waitFor(() =>
      expect(compared).toEqual([[{ id: 'e1', member: 'Bob' }], [{ id: 'e2', member: 'Bob' }]]),
    );
  });

  test('creates a new key at once', async () => {
    const calls = await part({ role: 'write' });
    await press('Create a new key now');
    await screen.findByText('New key created. Later changes are encrypted with it.');
    expect(calls).toEqual([['remove', []]]);
  });

  test('offers no new key to readers', async () => {
    await part({ role: 'read' });
    expect([await textsIn('Devices'), hasButton('Create a new key now')]).toEqual([expect.anything(), false]);
  });

  test('says why a new key could not be created', async () => {
    await part({}, { remove: () => Promise.reject(new FixpointError('CONFLICT')) });
    await press('Create a new key now');
    await screen.findByText(/^Couldn’t create a new key: /);
  });

  test('says that only admins above a person can change them', async () => {
    await part({}, { setRole: () => Promise.reject(new FixpointError('FORBIDDEN')) });
    await choose('Role of Bob', 'admin');
    expect((await screen.findByRole('alert')).textContent).toMatch(/only admins above this person/);
  });

  test('offers no changes to members who are not admins', async () => {
    await part({ role: 'write' });
    expect(await textsIn('Members')).toHaveLength(2);
    expect([hasButton('Remove Bob'), screen.queryByLabelText('Role of Bob')]).toEqual([false, null]);
    const whose = await screen.findByLabelText<HTMLSelectElement>('Whose device is it?');
    expect([...whose.options].map(({ text }) => text)).toEqual(['Choose...', 'Mine']);
  });
});

describe('an approval with a signed list of members', () => {
  const approving = async (given?: Calls) => {
    const calls = await part({}, given);
    await enter('Code of the device to approve', 'ABCDE-12345');
    expect(isDisabled('Approve device')).toBe(true);
    return calls;
  };

  test('needs a choice of whose device it is', async () => {
    const calls = await approving();
    await choose('Whose device is it?', 'own');
    await press('Approve device');
    await screen.findByText('Device approved.');
    expect(calls).toEqual([['approve', 'ABCDE-12345']]);
  });

  test('adds a device to a member by their name and role', async () => {
    const calls = await approving();
    await choose('Whose device is it?', 'member ["u2","Bob","write"]');
    await press('Approve device');
    await screen.findByText('Device approved.');
    expect(calls).toEqual([['approve', 'ABCDE-12345', { name: 'Bob', role: 'write' }]]);
  });

  test('admits somebody new with a name and a role', async () => {
    const calls = await approving();
    await choose('Whose device is it?', 'new');
    expect(isDisabled('Approve device')).toBe(true);
    await enter('Name that members see', ' Eve ');
    await choose('Role', 'read');
    await press('Approve device');
    await screen.findByText('Device approved.');
    expect(calls).toEqual([['approve', 'ABCDE-12345', { name: 'Eve', role: 'read' }]]);
  });

  test.each([
    ['FORBIDDEN', 'by rule C6', /only admins of the list/],
    ['FORMAT_NEWER', 'reload', /update Fixpoint there/],
    ['REQUEST_INVALID', 'a device of u2', /this device belongs to somebody else/],
    ['REQUEST_INVALID', 'the code is mistyped', /This code isn’t valid/],
  ] as const)('explains %s: %s', async (code, detail, text) => {
    await approving({ approve: () => Promise.reject(new FixpointError(code, detail)) });
    await choose('Whose device is it?', 'own');
    await press('Approve device');
    expect((await screen.findByRole('alert')).textContent).toMatch(text);
  });
});

describe('the start of a signed list of members', () => {
  test('asks for a name, and starts only after the recovery code is saved', async () => {
    const calls = await part(undefined, {}, { listed: DEVICES.slice(0, 1) });
    await press('Start signed list of members');
    expect([isDisabled('Continue'), screen.queryByText(/aren’t in the list/)]).toEqual([true, null]);
    await enter('Your name, as members see it', 'Ada');
    await press('Continue');
    expect((await screen.findByLabelText('Recovery code')).textContent).toBe('RECOVER-ME');
    expect(calls).toEqual([]);
    await press('I’ve saved it');
    await screen.findByText('The signed list of members has started.');
    expect(calls).toEqual([['startLog', { name: 'Ada', code: 'RECOVER-ME' }]]);
  });

  test('says what happens to other devices first', async () => {
    await part(undefined);
    await press('Start signed list of members');
    await screen.findByText(/2 other devices and recovery codes aren’t in the list/);
  });

  test.each([
    ['NOT_IMPLEMENTED', /doesn’t support signed lists/],
    ['FETCH', /Couldn’t start the list/],
  ] as const)('shows no code if the list can’t start: %s', async (code, text) => {
    await part(undefined, { newLogCode: () => Promise.reject(new FixpointError(code)) });
    await press('Start signed list of members');
    await enter('Your name, as members see it', 'Ada');
    await press('Continue');
    expect((await screen.findByRole('alert')).textContent).toMatch(text);
    expect(screen.queryByLabelText('Recovery code')).toBeNull();
  });

  test.each([
    ['FORBIDDEN', /only an admin of the tenant/],
    ['CONFLICT', /earlier code counts/],
  ] as const)('keeps the code on the screen after a failure, and explains %s', async (code, text) => {
    await part(undefined, { startLog: () => Promise.reject(new FixpointError(code)) });
    await press('Start signed list of members');
    await enter('Your name, as members see it', 'Ada');
    await press('Continue');
    await press('I’ve saved it');
    expect((await screen.findByRole('alert')).textContent).toMatch(text);
    expect(screen.queryByLabelText('Recovery code')).not.toBeNull();
  });
});

describe('the replacement of a recovery code', () => {
  const listed = [...DEVICES, deviceOf(ADA, 'dddddddddddd4444', { isRecovery: true })];
  const given = (newRecoveryCode: Attached['devices']['newRecoveryCode']): Given => {
    const codes = ['RECOVER-ME', 'ANOTHER'];
    return [{ newRecoveryCode, newLogCode: async () => codes.shift() ?? '' }, { listed }];
  };
  const showNext = async (...calls: Given) => {
    await part({}, ...calls);
    await press('Replace recovery code');
    expect(isDisabled('Continue')).toBe(true);
    await enter('Current recovery code', ' OLD-CODE ');
    await press('Continue');
    expect((await screen.findByLabelText('Recovery code')).textContent).toBe('RECOVER-ME');
  };

  test('shows the next code, and replaces the current one only after the next one is saved', async () => {
    const replaced: unknown[] = [];
    await showNext(
      ...given(async (codes) => {
        replaced.push(codes);
        return 'RECOVER-ME';
      }),
    );
    expect(replaced).toEqual([]);
    await press('I’ve saved it');
    await screen.findByText('Recovery code replaced. The previous code no longer works.');
    expect(replaced).toEqual([{ previous: 'OLD-CODE', code: 'RECOVER-ME' }]);
    expect(screen.queryByLabelText('Recovery code')).toBeNull();
  });

  test.each([
    ['REQUEST_INVALID', /a character is wrong/],
    ['KEY_UNKNOWN', /doesn’t open this database/],
    ['DEVICE_NOT_APPROVED', /the new code is valid already/],
    ['FORBIDDEN', /it added this device/],
    ['FETCH', /\. Keep both codes/],
  ] as const)(
    'keeps the next code, lets the user correct the current one, and explains %s',
    async (code, text) => {
      await showNext(...given(() => Promise.reject(new FixpointError(code))));
      await press('I’ve saved it');
      expect((await screen.findByRole('alert')).textContent).toMatch(text);
      await press('Back');
      expect(screen.getByLabelText<HTMLInputElement>('Current recovery code').value).toBe(' OLD-CODE ');
      await press('Continue');
      expect((await screen.findByLabelText('Recovery code')).textContent).toBe('RECOVER-ME');
      expect(screen.queryByRole('alert')).toBeNull();
    },
  );

  test('is offered only to users who have a code', async () => {
    await part({});
    expect([await textsIn('Devices'), hasButton('Replace recovery code')]).toEqual([
      expect.anything(),
      false,
    ]);
  });
});

describe('the notice of a signed list of members', () => {
  test('shows nothing while all is well', async () => {
    await notice({});
    expect(panels()).toEqual([]);
  });

  test('asks to confirm a list that no member showed to this device, and then follows or ignores it', async () => {
    const calls = await notice(
      { isCompared: false, role: undefined, waits: 'LEDGER_NOT_COMPARED' },
      {},
      { asking: ['d'] },
    );
    const title = 'This database has a list of members that this device doesn’t trust yet';
    await waitFor(() => expect(panels()).toEqual([title]));
    expect(screen.getByText(/stay on this device until the list is confirmed/)).not.toBeNull();
    expect((await screen.findByLabelText('Code of this device')).textContent).toBe('OWN-CODE');
    await press('The numbers match');
    await press(/ignore it/);
    expect(calls).toEqual([
      ['compareLog', 'a1', true],
      ['compareLog', 'a1', false],
    ]);
  });

  test('asks an admin to remove devices whose owners lost access at the server', async () => {
    const calls = await notice({ withoutAccess: ['d1'] });
    await screen.findByRole('region', { name: 'A device lost access' });
    await press('Remove device');
    await screen.findByText('Devices removed. They get no new keys.');
    expect(calls).toEqual([['remove', ['d1']]]);
  });

  test('leaves that to admins', async () => {
    await notice({ withoutAccess: ['d1', 'd2'], role: 'write' });
    expect(panels()).toEqual([]);
  });

  test('reports contradictions once each, with the person if known', async () => {
    const fork = { kind: 'logs', sides: ['a', 'b'], signer: undefined } as const;
    await notice({ forks: [fork, fork, { ...fork, kind: 'copies', signer: 'Bob' }] });
    const panel = await screen.findByRole('region', { name: 'The list of members contradicts itself' });
    expect(panel.querySelectorAll('p')).toHaveLength(3);
    expect(panel.textContent).toMatch(/It’s a device of Bob\./);
  });

  test('asks for an update if a newer version changed the list', async () => {
    await notice({ waits: 'FORMAT_NEWER' });
    await screen.findByRole('region', { name: 'Update needed' });
  });

  test('[N3] says since when no other device was heard of, and whose clock is wrong', async () => {
    const silentSince = Date.parse('2026-11-03T12:00:00Z');
    await notice({ silentSince });
    const panel = await screen.findByRole('region', { name: 'Nothing new from other devices' });
    expect(panel.textContent).toContain(dayOf(new Date(silentSince).toISOString()));
  });
});

test('[N3] shows when each member was seen last, except yourself', async () => {
  const heardAt = Date.parse('2026-11-03T12:00:00Z');
  const members = [
    { ...ADA, heardAt },
    { ...BOB, heardAt },
  ];
  await draw(DevicesPart, { members, clocksAhead: ['Bob'] });
  const list = await screen.findByRole('list', { name: 'Members' });
  const seen = `last seen ${dayOf(new Date(heardAt).toISOString())}`;
  expect(
    within(list)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent?.includes(seen)),
  ).toEqual([false, true]);
  expect(screen.getByText(/Signed times of Bob are later/)).not.toBeNull();
});
