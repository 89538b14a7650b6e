import { FixpointError } from '@fixpoint/protocol';
import { act, screen, waitFor } from '@testing-library/react';
import type { Attached } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { afterEach, describe, expect, test } from 'vitest';
import { signedIn } from '../../cloud/app.fixture.ts';
import { drawPart, press } from '../../cloud/part.fixture.tsx';
import { setLocked } from '../../local/lock.ts';
import { waiting, withPages } from '../../ui/pages.fixture.tsx';
import { attachedWith } from '../keys/attached.fixture.ts';
import { DatabaseMenu, LockedButton } from './database-menu.tsx';

withPages();

const database = { name: 'notes' } as unknown as BridgedDatabase;
const drawn = (attached?: Promise<Attached>) =>
  drawPart(() => <DatabaseMenu database={database} attached={attached} tenantId="t1" />, signedIn());
/** Opens the menu and chooses an item. */
async function choose(name: string) {
  await press('Database actions');
  const item = await screen.findByRole('menuitem', { name });
  await act(async () => item.click());
}
const parts = () => screen.getAllByRole('region').map((part) => part.getAttribute('aria-label'));

describe('the dialog about sync and storage', () => {
  test('shows only the storage of a local database', async () => {
    await drawn();
    await choose('Storage');
    await screen.findByRole('dialog', { name: 'Storage' });
    expect(parts().filter((part) => part !== 'Messages')).toEqual(['Storage in this browser']);
  });

  test('shows all parts of a database that syncs, once it is attached', async () => {
    const attaching = waiting<Attached>();
    await drawn(attaching.promise);
    await choose('Sync and storage');
    await screen.findByRole('dialog', { name: 'Sync and storage' });
    await screen.findByText('Connecting...');
    await attaching.come(attachedWith({ kind: () => 'open-key' }).attached);
    expect(parts()).toEqual(
      expect.arrayContaining(['Sync', 'Compare with the server', 'Keys', 'Storage in this browser']),
    );
    expect(screen.queryByText('Connecting...')).toBeNull();
  });

  test('shows why a database couldn’t be attached, and still shows its storage', async () => {
    const failed = Promise.reject(new FixpointError('FORBIDDEN', 'You were removed.'));
    failed.catch(() => undefined);
    await drawn(failed);
    await choose('Sync and storage');
    expect((await screen.findByRole('alert')).textContent).toContain('You were removed.');
    expect(parts()).toEqual(expect.arrayContaining(['Storage in this browser']));
    expect(parts()).not.toContain('Keys');
  });

  test('closes, and opens again', async () => {
    await drawn();
    await choose('Storage');
    await press('Close');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await choose('Storage');
    await screen.findByRole('dialog', { name: 'Storage' });
  });
});

describe('the lock of a database', () => {
  afterEach(() => setLocked('notes', false));

  test('locks by the menu, and unlocks by a button', async () => {
    const Page = () => (
      <>
        <LockedButton database="notes" />
        <DatabaseMenu database={database} />
      </>
    );
    await drawPart(Page, signedIn());
    expect(screen.queryByRole('button', { name: 'Locked' })).toBeNull();
    await choose('Lock');
    expect(screen.getByRole('button', { name: 'Locked' }).getAttribute('aria-pressed')).toBe('true');
    await press('Database actions');
    await screen.findByRole('menuitem', { name: 'Storage' });
    expect(screen.queryByRole('menuitem', { name: 'Lock' })).toBeNull();
    await act(async () => setLocked('notes', false));
    expect(screen.queryByRole('button', { name: 'Locked' })).toBeNull();
  });

  test('hides the lock from users who may only read', async () => {
    await drawPart(() => <DatabaseMenu database={database} canLock={false} />, signedIn());
    await press('Database actions');
    await screen.findByRole('menuitem', { name: 'Storage' });
    expect(screen.queryByRole('menuitem', { name: 'Lock' })).toBeNull();
  });
});
