import { act, screen } from '@testing-library/react';
import type { SyncStatus } from 'fixpoint';
import { expect, test } from 'vitest';
import { freshLocal, withEngine } from '../../engine/engine-here.fixture.ts';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { useIsArriving } from './use-standing.ts';

withPages();
withEngine();

interface Given {
  readonly state?: SyncStatus['state'];
  readonly firstConnect?: boolean;
}

async function drawn({ state, firstConnect = true }: Given) {
  const database = await freshLocal();
  const names = { localName: 'a', remoteName: 'r', sanitizedRemoteName: 'r', endpoint: 'e' };
  const status = state && { state, toSend: 0, toFetch: 0 };
  const Part = () => (
    <p role="note">{useIsArriving(database, { ...names, firstConnect }, status) ? 'arriving' : 'there'}</p>
  );
  await drawPages([{ path: '/', Component: Part }], '/');
  return { database, text: () => screen.getByRole('note').textContent };
}

test.each<[Given, string]>([
  [{ state: 'connecting' }, 'arriving'],
  [{ state: 'catching-up' }, 'arriving'],
  [{ state: 'in-sync' }, 'there'],
  [{ state: 'offline' }, 'there'],
  [{ state: 'refused' }, 'there'],
  [{}, 'there'],
  [{ state: 'connecting', firstConnect: false }, 'there'],
])('says of a database without documents and %j: %s', async (given, expected) => {
  expect((await drawn(given)).text()).toBe(expected);
});

test('shows the documents as soon as the first of them arrive', async () => {
  const { database, text } = await drawn({ state: 'catching-up' });
  await act(async () => void (await database.put({ _id: 'milk' })));
  await expect.poll(text).toBe('there');
});
