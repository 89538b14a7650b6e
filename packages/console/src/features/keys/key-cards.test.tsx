import { screen, within } from '@testing-library/react';
import type { Attached, LedgerDevice, LedgerKeyring } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { signedIn } from '../../cloud/app.fixture.ts';
import { drawPart, enter, press } from '../../cloud/part.fixture.tsx';
import { withPages } from '../../ui/pages.fixture.tsx';
import { attachedWith } from './attached.fixture.ts';
import { DevicesCard, KeyCards } from './key-cards.tsx';
import { useKnownKind } from './use-known-kind.ts';

withPages();

const NUMBER = '304827719604415918276553018264499072285173016584430697234109';

async function cards(kind: 'open-key' | 'sealed' | undefined, keyring?: Partial<LedgerKeyring>) {
  const { attached } = attachedWith({
    kind: () => kind,
    devices: {
      keyring: async () =>
        keyring && ({ hasRecoveryCode: true, asking: [], count: 1, ...keyring } as LedgerKeyring),
    },
  });
  await drawPart(() => <KeyCards attached={attached} />, signedIn());
}
const headings = () => screen.getAllByRole('heading').map(({ textContent }) => textContent);

describe('the cards with the keys of a ledger', () => {
  test('says that the server can read the ledger, and shows no keys then', async () => {
    await cards('open-key');
    expect(headings()).toEqual(['Who can read it']);
    expect(screen.getByText('The server can read this database')).toBeDefined();
  });

  test('claims nothing before the kind is known', async () => {
    await cards(undefined);
    expect(screen.getByText('Not known yet')).toBeDefined();
  });

  test('shows the safety number of a compared list, and that a recovery code exists', async () => {
    await cards('sealed', {
      log: { isCompared: true, safetyNumber: NUMBER } as NonNullable<LedgerKeyring['log']>,
    });
    await screen.findByRole('button', { name: 'Compare safety number' });
    expect(screen.getByText('Created')).toBeDefined();
    expect(headings()).toEqual(['Who can read it', 'Safety number', 'Recovery code']);
  });

  test('says that no recovery code exists', async () => {
    await cards('sealed', { hasRecoveryCode: false });
    await screen.findByText('None yet');
    expect(headings()).toEqual(['Who can read it', 'Recovery code']);
  });
});

describe('the card of the trusted devices', () => {
  const deviceWith = (id: string, given: Partial<LedgerDevice> = {}): LedgerDevice => ({
    id,
    isThis: false,
    isRecovery: false,
    owner: undefined,
    isOwn: false,
    since: undefined,
    ...given,
  });

  test('lists the devices, and approves another one', async () => {
    const approved: string[] = [];
    const { attached } = attachedWith({
      devices: {
        list: async () => [deviceWith('aaaaaaaaaaaa1111', { isThis: true, isOwn: true })],
        code: async () => 'OWN-CODE',
        approve: async (code) => void approved.push(code),
      },
    });
    await drawPart(() => <DevicesCard attached={attached} />, signedIn());
    const list = within(await screen.findByRole('list', { name: 'Devices' }));
    expect(list.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'aaaaaaaaaaaaThis deviceyoursRename',
    ]);
    await enter('Code of the device to approve', 'ABCDE-12345');
    await press('Approve device');
    await screen.findByText('Device approved.');
    expect(approved).toEqual(['ABCDE-12345']);
  });

  test('shows the code of a device that isn’t trusted', async () => {
    const { attached } = attachedWith({
      devices: { isApproved: () => false, list: async () => [], code: async () => 'OWN-CODE' },
    });
    await drawPart(() => <DevicesCard attached={attached} />, signedIn());
    await screen.findByText('OWN-CODE');
    expect(screen.queryByRole('button', { name: 'Approve device' })).toBeNull();
  });
});

describe('the kind of a ledger', () => {
  test('is known once the database is attached and told its kind', async () => {
    let kind: 'sealed' | undefined;
    const { attached, become } = attachedWith({ kind: () => kind });
    const Kind = ({ of }: { of: Promise<Attached> | undefined }) => (
      <p>kind: {useKnownKind(of)?.kind() ?? 'unknown'}</p>
    );
    const promise = Promise.resolve(attached);
    await drawPart(() => <Kind of={promise} />, signedIn());
    expect(screen.getByText('kind: unknown')).toBeDefined();
    kind = 'sealed';
    await become({ toSend: 1 });
    await screen.findByText('kind: sealed');
  });

  test.each([
    ['nothing is attached', () => undefined],
    ['the database couldn’t be attached', () => Promise.reject(new Error('no access'))],
  ])('stays unknown if %s', async (_why, attach) => {
    const of = attach();
    of?.catch(() => undefined);
    const Kind = () => <p>kind: {useKnownKind(of)?.kind() ?? 'unknown'}</p>;
    await drawPart(Kind, signedIn());
    expect(screen.getByText('kind: unknown')).toBeDefined();
  });
});
