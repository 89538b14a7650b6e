import { FixpointError } from '@fixpoint/protocol';
import { act, screen } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { ada, appWith } from '../../cloud/app.fixture.ts';
import { SESSION_KEY } from '../../cloud/app.ts';
import type { Session } from '../../cloud/identity/session-port.ts';
import { drawPart } from '../../cloud/part.fixture.tsx';
import { keepLastKnown } from '../../cloud/queries/last-known.ts';
import { withPages } from '../../ui/pages.fixture.tsx';
import { useSyncUser } from './use-sync-user.ts';

withPages();
beforeEach(() => localStorage.clear());

/** Shows the user as JSON, or "unknown". */
async function user(session: Partial<Session>) {
  const parts = appWith({ session });
  await drawPart(() => <p role="note">{JSON.stringify(useSyncUser()) ?? 'unknown'}</p>, parts);
  return { ...parts, shown: () => screen.getByRole('note').textContent };
}
const unreachable = () => Promise.reject(new FixpointError('FETCH'));

describe('the user whose rights a sync has', () => {
  test('is the signed-in user', async () => {
    const { shown } = await user({ user: () => Promise.resolve(ada) });
    await expect.poll(shown).toBe('"ada@example.com"');
  });

  test('is nobody when the server says that nobody is signed in', async () => {
    const { shown } = await user({ user: () => Promise.resolve(undefined) });
    await expect.poll(shown).toBe('null');
  });

  test('is unknown until the server answers', async () => {
    const { shown } = await user({ user: () => new Promise(() => undefined) });
    expect(shown()).toBe('unknown');
  });

  test('is the last known user while the server is unreachable', async () => {
    const before = appWith({});
    keepLastKnown(before.queries);
    before.queries.setQueryData(SESSION_KEY, ada);
    const { shown } = await user({ user: unreachable });
    await expect.poll(shown).toBe('"ada@example.com"');
  });

  test('is nobody while the server is unreachable if the last user signed out', async () => {
    const before = appWith({});
    keepLastKnown(before.queries);
    before.queries.setQueryData(SESSION_KEY, ada);
    before.queries.setQueryData(SESSION_KEY, null);
    const { shown } = await user({ user: unreachable });
    await expect.poll(shown).toBe('null');
  });

  test('is nobody while the server is unreachable if the stored note is damaged', async () => {
    localStorage.setItem('lastKnown', '{"broken');
    const { shown } = await user({ user: unreachable });
    await expect.poll(shown).toBe('null');
  });

  test('changes when the session ends in another tab', async () => {
    const { shown, queries } = await user({ user: () => Promise.resolve(ada) });
    await expect.poll(shown).toBe('"ada@example.com"');
    await act(async () => void queries.setQueryData(SESSION_KEY, null));
    await expect.poll(shown).toBe('null');
  });
});
