import { screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { forgetKind, rememberKind } from '../../cloud/ledgers/known-kinds.ts';
import { copyOf } from '../../cloud/ledgers/ledger-copies.ts';
import { moveCopy } from '../../cloud/ledgers/move-copy.ts';
import { drawPart, hasButton, press } from '../../cloud/part.fixture.tsx';
import { withPages } from '../../ui/pages.fixture.tsx';
import { ledgerOf, openMove } from './move.fixture.ts';
import { MovedNotice } from './moved-notice.tsx';

withPages();
beforeEach(() => {
  localStorage.clear();
  for (const id of ['z1', 'n9']) forgetKind(id);
});

const CONFIRM = 'Switch this device';
type Kind = 'sealed' | 'open-key';

async function notice(kind: Kind, other: Kind | undefined, isListed = true) {
  const more = { successorOf: 'z1', ...(other && { kind: other }) };
  const world = openMove(kind, isListed ? [ledgerOf('n9', 'Notes 2', more)] : []);
  const page = await drawPart(() => <MovedNotice ledger={world.ledger} movedTo="n9" />, world.parts);
  return { ...page, ...world };
}

describe('the notice of a database that moved', () => {
  test('names the encrypted database, and switches only after the user confirms', async () => {
    const { log, path } = await notice('open-key', 'sealed');
    await screen.findByText('Notes moved to an end-to-end encrypted database');
    await press('Switch to Notes 2');
    const dialog = await screen.findByRole('dialog', { name: 'Switch to Notes 2?' });
    expect(dialog.textContent).toMatch(/end-to-end encrypted: after you switch, a trusted device must/);
    expect([log, copyOf('n9')]).toEqual([[], 'cloud-ledger-n9']);
    await press(CONFIRM);
    await waitFor(() => expect(path()).toBe('/fp/cloud/tenants/t1/ledgers/n9'));
    expect(log).toEqual(['detach z1 open-key', 'attach n9 sealed']);
    expect([copyOf('n9'), copyOf('z1')]).toEqual(['cloud-ledger-z1', 'cloud-ledger-z1-2']);
  });

  test.each([
    ['says so', 'open-key'],
    ['doesn’t say its kind', undefined],
  ] as const)('warns that the server can read the new database, if the server %s', async (_, other) => {
    const { log } = await notice('sealed', other);
    await screen.findByText('Notes moved');
    expect(document.body.textContent).toContain('isn’t end-to-end encrypted: the server has its key');
    await press('Switch to Notes 2');
    await press(CONFIRM);
    await waitFor(() => expect(log).toEqual(['detach z1 sealed', 'attach n9 open-key']));
  });

  test('[S16] names the kind that this browser knows, whatever the server says now', async () => {
    rememberKind('n9', 'sealed');
    const { log } = await notice('open-key', 'open-key');
    await screen.findByText('Notes moved to an end-to-end encrypted database');
    await press('Switch to Notes 2');
    await press(CONFIRM);
    await waitFor(() => expect(log.at(-1)).toBe('attach n9 sealed'));
  });

  test('[S16] never switches from one encrypted database to another, which a server could read', async () => {
    const { log } = await notice('sealed', 'sealed');
    await screen.findByText(/this device sends no documents there/);
    expect(hasButton(/Switch/)).toBe(false);
    expect(log).toEqual([]);
  });

  test('does nothing when the user cancels', async () => {
    const { log } = await notice('open-key', 'sealed');
    await press('Switch to Notes 2');
    await press('Cancel');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect([log, copyOf('n9')]).toEqual([[], 'cloud-ledger-n9']);
  });

  test('asks for access to a database that the user can’t open', async () => {
    await notice('open-key', 'sealed', false);
    await screen.findByText(/a database that you can’t open\. Ask an admin for access\./);
    expect(hasButton(/Switch/)).toBe(false);
  });

  test('offers no second switch in a browser that has switched', async () => {
    moveCopy('z1', 'n9');
    await notice('open-key', 'sealed');
    const link = await screen.findByRole('link', { name: 'Notes 2' });
    expect(link.getAttribute('href')).toBe('/fp/cloud/tenants/t1/ledgers/n9');
    expect(hasButton(/Switch/)).toBe(false);
  });

  test('keeps unsent changes of both databases: it refuses to replace a copy that has some', async () => {
    localStorage.setItem('fixpoint:unsent-since:cloud-ledger-n9', '2026-11-30T12:00:00Z');
    const { log } = await notice('open-key', 'sealed');
    await press('Switch to Notes 2');
    await press(CONFIRM);
    await screen.findByText(/Couldn’t switch: .*open the new database first, and wait until it has synced/);
    expect([log, copyOf('n9')]).toEqual([[], 'cloud-ledger-n9']);
  });
});
