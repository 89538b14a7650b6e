import { FixpointError } from '@fixpoint/protocol';
import { screen } from '@testing-library/react';
import type { Attached } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { appWith } from '../../cloud/app.fixture.ts';
import { drawPart } from '../../cloud/part.fixture.tsx';
import { waiting, withPages } from '../../ui/pages.fixture.tsx';
import { attachedWith } from '../keys/attached.fixture.ts';
import { SyncBadge } from './sync-badge.tsx';

withPages();

const drawn = (attached: Promise<Attached>) => drawPart(() => <SyncBadge attached={attached} />, appWith({}));
/** Returns the text that screen readers announce. */
const announced = () => screen.getByRole('status').textContent;

describe('the sync badge', () => {
  test('shows "Connecting" until the database is attached', async () => {
    const attaching = waiting<Attached>();
    await drawn(attaching.promise);
    expect(announced()).toBe('Connecting');
    await attaching.come(attachedWith().attached);
    expect(announced()).toBe('In sync');
  });

  test('announces each change of the state', async () => {
    const { attached, become } = attachedWith();
    await drawn(Promise.resolve(attached));
    await become({ state: 'offline', toSend: 3 });
    expect(announced()).toBe('Offline, 3 to send');
  });

  test('gives the reason when the server rejects the sync', async () => {
    const { attached, become } = attachedWith();
    await drawn(Promise.resolve(attached));
    const error = new FixpointError('FORBIDDEN', 'You were removed.');
    await become({ state: 'refused', toSend: 2, error });
    expect(announced()).toBe(`Refused, 2 to send: ${error.message}`);
  });

  test('shows the reason of a lost connection only as the badge’s title, because the reason is long', async () => {
    const { attached, become } = attachedWith();
    await drawn(Promise.resolve(attached));
    const error = new FixpointError('FETCH', 'ECONNRESET');
    await become({ state: 'offline', error });
    expect([announced(), screen.getByRole('status').title]).toEqual(['Offline', error.message]);
  });

  test('shows "Not trusted yet" while the device waits for approval', async () => {
    const { attached, become } = attachedWith();
    await drawn(Promise.resolve(attached));
    await become({ state: 'offline', error: new FixpointError('DEVICE_NOT_APPROVED') });
    expect(announced()).toBe('Not trusted yet');
  });

  test('shows a database that couldn’t be attached as rejected, with the reason', async () => {
    const error = new FixpointError('LEDGER_KIND');
    await drawn(Promise.reject(error));
    expect(announced()).toBe(`Refused: ${error.message}`);
  });
});
