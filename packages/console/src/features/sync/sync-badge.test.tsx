import { FixpointError } from '@fixpoint/protocol';
import { screen } from '@testing-library/react';
import type { Attached } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { appWith } from '../../cloud/app.fixture.ts';
import { drawPart } from '../../cloud/part.fixture.tsx';
import { waiting, withPages } from '../../ui/pages.fixture.tsx';
import { attachedWith } from '../keys/attached.fixture.ts';
import { RefusedNotice, SyncBadge } from './sync-badge.tsx';

withPages();

const drawn = (attached: Promise<Attached>) => drawPart(() => <SyncBadge attached={attached} />, appWith({}));
/** Returns the text that screen readers announce. */
const announced = () => screen.getByRole('status').textContent?.trim();

describe('the sync badge', () => {
  test('shows "Connecting" until the database is attached', async () => {
    const attaching = waiting<Attached>();
    await drawn(attaching.promise);
    expect(announced()).toBe('Connecting');
    await attaching.come(attachedWith().attached);
    expect(announced()).toBe('In sync');
  });

  test('shows the percentage of a first fetch, and counts later changes', async () => {
    const { attached, become } = attachedWith({ first: { state: 'catching-up', toFetch: 8 } });
    await drawn(Promise.resolve(attached));
    expect(announced()).toBe('0%');
    await become({ toFetch: 2 });
    expect(announced()).toBe('75%');
    await become({ state: 'in-sync', toFetch: 0 });
    expect(announced()).toBe('In sync');
    await become({ state: 'catching-up', toFetch: 8 });
    expect(announced()).toBe('8 to fetch');
  });

  test('shows no percentage while a few parts are fetched, or changes wait to be sent', async () => {
    const { attached, become } = attachedWith({ first: { state: 'catching-up', toFetch: 2 } });
    await drawn(Promise.resolve(attached));
    expect(announced()).toBe('2 to fetch');
    await become({ toFetch: 9, toSend: 1 });
    expect(announced()).toBe('1 to send');
  });

  test('announces each change of the state, and has the reason as its title', async () => {
    const { attached, become } = attachedWith();
    await drawn(Promise.resolve(attached));
    await become({ state: 'offline', toSend: 3, error: new FixpointError('FETCH', 'ECONNRESET') });
    expect(announced()).toBe('Offline');
    expect(screen.getByRole('status').title).toMatch(/^3 to send\. Couldn’t reach the server\./);
    await become({ state: 'refused', error: new FixpointError('DEVICE_NOT_APPROVED') });
    expect(announced()).toBe('Not trusted');
  });

  test('shows a database that couldn’t be attached as refused, with the reason', async () => {
    const error = new FixpointError('LEDGER_KIND');
    await drawn(Promise.reject(error));
    expect([announced(), screen.getByRole('status').title]).toEqual(['Refused', error.message]);
  });
});

describe('the notice of a refused sync', () => {
  const notice = (attached: Attached) =>
    drawPart(() => <RefusedNotice attached={Promise.resolve(attached)} />, appWith({}));

  test('appears when access is revoked, and says where the changes are and whom to ask', async () => {
    const { attached, become } = attachedWith();
    await notice(attached);
    expect(screen.queryByRole('status')).toBeNull();
    await become({ state: 'refused', toSend: 1, error: new FixpointError('NOT_FOUND') });
    expect(announced()).toBe(
      '1 to send. You don’t have access to this database in the cloud, or it was deleted. Changes that aren’t sent stay in this browser. Ask an admin of the tenant for access.',
    );
    await become({ state: 'in-sync', toSend: 0, error: undefined } as object);
    expect(screen.queryByRole('status')).toBeNull();
  });

  test('leaves a device without approval, and lost connections, to other notices', async () => {
    const { attached, become } = attachedWith();
    await notice(attached);
    await become({ state: 'refused', error: new FixpointError('DEVICE_NOT_APPROVED') });
    await become({ state: 'offline', error: new FixpointError('FETCH') });
    expect(screen.queryByRole('status')).toBeNull();
  });
});
