import { FixpointError } from '@fixpoint/protocol';
import { screen, waitFor } from '@testing-library/react';
import type { Attached } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { describe, expect, test } from 'vitest';
import { signedIn } from '../../cloud/app.fixture.ts';
import { drawPart, press } from '../../cloud/part.fixture.tsx';
import { waiting, withPages } from '../../ui/pages.fixture.tsx';
import { attachedWith } from '../keys/attached.fixture.ts';
import { SyncButton } from './sync-button.tsx';

withPages();

const database = { name: 'notes' } as unknown as BridgedDatabase;
const drawn = (attached?: Promise<Attached>) =>
  drawPart(() => <SyncButton database={database} attached={attached} tenantId="t1" />, signedIn());
const parts = () => screen.getAllByRole('region').map((part) => part.getAttribute('aria-label'));

describe('the dialog about sync and storage', () => {
  test('shows only the storage of a local database', async () => {
    await drawn();
    await press('Storage');
    await screen.findByRole('dialog', { name: 'Storage' });
    expect(parts().filter((part) => part !== 'Messages')).toEqual(['Storage in this browser']);
  });

  test('shows all parts of a database that syncs, once it is attached', async () => {
    const attaching = waiting<Attached>();
    await drawn(attaching.promise);
    await press('Sync and storage');
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
    await press('Sync and storage');
    expect((await screen.findByRole('alert')).textContent).toContain('You were removed.');
    expect(parts()).toEqual(expect.arrayContaining(['Storage in this browser']));
    expect(parts()).not.toContain('Keys');
  });

  test('closes, and opens again', async () => {
    await drawn();
    await press('Storage');
    await press('Close');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await press('Storage');
    await screen.findByRole('dialog', { name: 'Storage' });
  });
});
