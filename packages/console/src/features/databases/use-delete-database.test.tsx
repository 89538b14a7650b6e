import { screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { signedIn } from '../../cloud/app.fixture.ts';
import { attachedDatabases, attachLocal, detachAll } from '../../cloud/ledgers/attached-databases.ts';
import { rememberKind } from '../../cloud/ledgers/known-kinds.ts';
import { press } from '../../cloud/part.fixture.tsx';
import { withEngine } from '../../engine/engine-here.fixture.ts';
import { type Connection, connectionOf, listConnections, recordConnection } from '../../local/connections.ts';
import { existsLocal } from '../../local/databases.ts';
import { endpointHere } from '../../local/endpoint.ts';
import { drawPages, pageCalled, withPages } from '../../ui/pages.fixture.tsx';
import { attachedWith } from '../keys/attached.fixture.ts';
import { localWith } from './local-database.fixture.ts';
import { useDeleteDatabase } from './use-delete-database.ts';

withPages();
withEngine();

const PLACE = { tenantId: 'zT', ledgerId: 'zDeleted' };
const confirm = vi.fn((_question: string) => true);
beforeEach(() => void vi.stubGlobal('confirm', confirm.mockClear().mockReturnValue(true)));
afterEach(async () => {
  await detachAll();
  localStorage.clear();
  vi.restoreAllMocks();
});

/** Renders a button that deletes a database; with an endpoint, the database is connected. */
async function page(endpoint?: string) {
  const local = await localWith();
  const { localName, database } = local;
  const connection: Connection | undefined =
    endpoint === undefined
      ? undefined
      : {
          localName,
          remoteName: 'languages',
          sanitizedRemoteName: 'languages',
          endpoint,
          firstConnect: false,
        };
  if (connection !== undefined) await recordConnection(connection);
  function Page() {
    const remove = useDeleteDatabase(localName, connection);
    return (
      <button type="button" onClick={() => void remove()}>
        Delete
      </button>
    );
  }
  const pages = await drawPages(
    [
      { path: '/databases', Component: Page },
      { path: '*', Component: pageCalled('Elsewhere') },
    ],
    '/databases',
    signedIn(),
  );
  return { ...pages, database, localName };
}

describe('deleting a local database', () => {
  test('names what is removed, and does nothing without consent', async () => {
    confirm.mockReturnValue(false);
    const { localName, path } = await page();
    await press('Delete');
    expect(confirm.mock.calls).toEqual([
      [
        `Are you sure you want to delete the database "${localName}"?\n\nIts documents, its history and its saved queries are removed from this browser for good.`,
      ],
    ]);
    expect([await existsLocal(localName), path()]).toEqual([true, '/databases']);
  });

  test('removes the database, and opens the first page', async () => {
    const { localName, path } = await page();
    await press('Delete');
    await screen.findByText(`${localName} deleted.`);
    await waitFor(() => expect(path()).toBe('/'));
    expect(await existsLocal(localName)).toBe(false);
  });

  test('ends the sync first, forgets the connection, and says that the cloud keeps its copy', async () => {
    const { localName, database } = await page(endpointHere(PLACE));
    const order: string[] = [];
    const { attached } = attachedWith({
      kind: () => 'open-key',
      detach: async () => void order.push(`detached while it existed: ${await existsLocal(localName)}`),
    });
    vi.spyOn(database, 'attach').mockResolvedValue(attached);
    rememberKind(PLACE.ledgerId, 'open-key');
    attachLocal(signedIn().api, database, PLACE);
    await press('Delete');
    await screen.findByText(`${localName} deleted.`);
    expect(confirm.mock.calls[0]?.[0]).toMatch(
      /"languages" in the cloud stays, with all documents that were sent\.$/,
    );
    expect(order).toEqual(['detached while it existed: true']);
    expect(attachedDatabases().get(localName)).toBeUndefined();
    expect(connectionOf(await listConnections(), localName)).toBeUndefined();
  });

  test.each(['', 'fpcloud://elsewhere.example'])(
    'claims no copy in the cloud if the console never synced with "%s"',
    async (endpoint) => {
      confirm.mockReturnValue(false);
      await page(endpoint);
      await press('Delete');
      expect(confirm.mock.calls[0]?.[0]).not.toContain('in the cloud stays');
    },
  );

  test('says why a database couldn’t be deleted, and stays on the page', async () => {
    const { database, path } = await page();
    vi.spyOn(database, 'destroy').mockRejectedValue(new Error('another page uses it'));
    await press('Delete');
    expect((await screen.findByRole('alert')).textContent).toContain(
      'Couldn’t delete the database: another page uses it',
    );
    expect(path()).toBe('/databases');
  });
});
