import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { forgetKind } from '../../cloud/ledgers/known-kinds.ts';
import { copyOf } from '../../cloud/ledgers/ledger-copies.ts';
import { drawPart, enter, hasButton, isDisabled, press } from '../../cloud/part.fixture.tsx';
import { withPages } from '../../ui/pages.fixture.tsx';
import { EncryptionCard } from './encryption-card.tsx';
import { ledgerOf, openMove } from './move.fixture.ts';

withPages();
beforeEach(() => {
  localStorage.clear();
  for (const id of ['z1', 'n1', 'n2']) forgetKind(id);
});

async function card(...given: Parameters<typeof openMove>) {
  const world = openMove(...given);
  const page = await drawPart(() => <EncryptionCard ledger={world.ledger} />, world.parts);
  return { ...page, ...world };
}
const ENCRYPT = 'Encrypt end-to-end';
const MOVED = [
  'create Notes (encrypted) sealed for z1',
  'attach z1 open-key files',
  'detach z1 open-key files',
  'attach n1 sealed',
  'detach z1 open-key',
  'name n1',
];
const pressIn = async (name: string) => {
  const dialog = await screen.findByRole('dialog');
  within(dialog).getByRole('button', { name }).click();
};

describe('encrypting a database', () => {
  test('says what the server has already seen, and moves nothing when the user cancels', async () => {
    const { log } = await card();
    await press(ENCRYPT);
    const dialog = await screen.findByRole('dialog', { name: 'Encrypt Notes end-to-end?' });
    for (const fact of [
      /The server could read everything until now\. Its operator, its backups, and anybody who had access/,
      /Members keep the copies on their devices/,
      /a trusted device must approve each of them/,
      /Create a recovery code right afterwards/,
      /Notes stays on the server, readable, until you delete it/,
      /Files that only earlier versions of documents refer to aren’t copied/,
    ])
      expect(dialog.textContent).toMatch(fact);
    await press('Cancel');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(log).toEqual([]);
  });

  test('creates the new database, sends everything, ends the old sync, and only then names the successor', async () => {
    const { log, path } = await card();
    await press(ENCRYPT);
    await pressIn(ENCRYPT);
    await waitFor(() => expect(path()).toBe('/fp/cloud/tenants/t1/ledgers/n1'));
    expect(log).toEqual(MOVED);
    await screen.findByText('Notes moved to Notes (encrypted).');
    expect([copyOf('n1'), copyOf('z1')]).toEqual(['cloud-ledger-z1', 'cloud-ledger-z1-2']);
  });

  test('lists people with a pending invite, who must be invited again', async () => {
    await card(
      'open-key',
      [],
      [
        { inviteId: 'i1', query: { byEmail: 'bob@example.com' }, status: 'pending' },
        { inviteId: 'i2', query: {}, invitee: 'Eve', status: 'pending' },
        { inviteId: 'i3', query: { byEmail: 'old@example.com' }, status: 'expired' },
      ],
    );
    await press(ENCRYPT);
    await screen.findByText(
      'Pending invites stay with Notes. Share the new database with these people again: bob@example.com, Eve.',
    );
  });

  test('names no successor while the new database lacks something', async () => {
    const { log, failing } = await card();
    failing.held = { ...failing.held, unsent: 2 };
    await press(ENCRYPT);
    await pressIn(ENCRYPT);
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('Nothing is lost. Try again to continue.');
    expect(log.filter((line) => line.startsWith('name'))).toEqual([]);
    expect(log.at(-1)).toBe('detach n1 sealed');
    expect(copyOf('n1')).toBe('cloud-ledger-n1');
  });

  test.each([
    ['before the files are here', 'z1 open-key files', 1],
    ['while it sends', 'n1 sealed', 1],
  ])('continues with the same new database after a failure %s', async (_, place, created) => {
    const { log, failing, path } = await card();
    failing.attach = place;
    await press(ENCRYPT);
    await pressIn(ENCRYPT);
    await screen.findByRole('alert');
    failing.attach = '';
    await pressIn('Continue');
    await waitFor(() => expect(path()).toContain('/ledgers/n1'));
    expect(log.filter((line) => line.startsWith('create'))).toHaveLength(created);
    expect(log.at(-1)).toBe('name n1');
  });

  test('checks the new database again, and attaches nothing to the old one, if only the last step failed', async () => {
    const { log, failing, path } = await card();
    failing.move = true;
    await press(ENCRYPT);
    await pressIn(ENCRYPT);
    await screen.findByRole('alert');
    expect(log).toEqual(MOVED.slice(0, -1));
    failing.move = false;
    await pressIn('Continue');
    await waitFor(() => expect(path()).toContain('/ledgers/n1'));
    expect(log).toEqual(MOVED);
  });

  test('requires a name that a database may have', async () => {
    await card();
    await press(ENCRYPT);
    await enter('Name of the new database', 'ab');
    await pressIn(ENCRYPT);
    await screen.findByText('Name must be at least 3 characters');
    expect(screen.queryByRole('status')).toBeNull();
  });
});

describe('turning off end-to-end encryption', () => {
  test('says that nobody can take it back, and moves to a database that the server can read', async () => {
    const { log, path } = await card('sealed');
    await press('Turn off end-to-end encryption');
    const dialog = await screen.findByRole('dialog', { name: 'Turn off end-to-end encryption of Notes?' });
    expect(dialog.textContent).toMatch(/including what you wrote while they were encrypted/);
    expect(dialog.textContent).toMatch(/Nobody can take this back/);
    expect(dialog.textContent).toMatch(/without approval/);
    await pressIn('Turn off end-to-end encryption');
    await waitFor(() => expect(path()).toContain('/ledgers/n1'));
    expect(log).toContain('attach n1 open-key');
    expect(log[0]).toBe('create Notes (not encrypted) open-key for z1');
  });
});

describe('a database that moved, or is about to', () => {
  test('offers to continue a move that an earlier page began', async () => {
    const begun = ledgerOf('n9', 'Notes 2', { kind: 'sealed', successorOf: 'z1' });
    const { log, path } = await card('open-key', [begun]);
    await screen.findByText(/isn’t finished\. Continue it, or delete Notes 2 in its settings\./);
    await press('Continue');
    expect(screen.queryByLabelText('Name of the new database')).toBeNull();
    await pressIn('Continue');
    await waitFor(() => expect(path()).toBe('/fp/cloud/tenants/t1/ledgers/n9'));
    expect(log.filter((line) => line.startsWith('create'))).toEqual([]);
  });

  test('undoes a move', async () => {
    const world = openMove('open-key', [ledgerOf('n9', 'Notes 2', { kind: 'sealed', successorOf: 'z1' })]);
    await world.parts.api.moveLedger({ tenantId: 't1', ledgerId: 'z1' }, 'n9');
    await drawPart(() => <EncryptionCard ledger={world.ledger} />, world.parts);
    await screen.findByText('This database moved to Notes 2.');
    expect(hasButton(ENCRYPT)).toBe(false);
    await press('Undo the move');
    await screen.findByText('Notes no longer points to Notes 2.');
    expect(world.log.at(-1)).toBe('name null');
    await waitFor(() => expect(isDisabled('Continue')).toBe(false));
  });
});
