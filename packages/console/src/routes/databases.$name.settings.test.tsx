import { FixpointError } from '@fixpoint/protocol';
import { act, screen, waitFor, within } from '@testing-library/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { Outlet } from 'react-router';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { signedIn, tenantCalled } from '../cloud/app.fixture.ts';
import { attachLocal, detachAll } from '../cloud/ledgers/attached-databases.ts';
import { rememberKind } from '../cloud/ledgers/known-kinds.ts';
import { enter, hasButton, press } from '../cloud/part.fixture.tsx';
import { withEngine } from '../engine/engine-here.fixture.ts';
import { localWith } from '../features/databases/local-database.fixture.ts';
import type { LocalDatabase } from '../features/databases/local-database.ts';
import { attachedWith } from '../features/keys/attached.fixture.ts';
import { agreeTo } from '../local/agreed-endpoints.ts';
import { WritingContext } from '../local/can-write.ts';
import { destroyLocal, storageNames } from '../local/databases.ts';
import { endpointHere } from '../local/endpoint.ts';
import { drawPages, pageCalled, withPages } from '../ui/pages.fixture.tsx';
import { Component as Settings } from './databases.$name.settings.tsx';

withPages();
withEngine();
/** Names of the databases to delete after a test. */
const opened: string[] = [];

afterEach(async () => {
  await detachAll();
  localStorage.clear();
  vi.restoreAllMocks();
  // Other files share the databases.
  await Promise.all(opened.splice(0).map((name) => destroyLocal(name)));
});

const PLACE = { tenantId: 'zT', ledgerId: 'zSettings' };
const ENDPOINT = endpointHere(PLACE);
const app = signedIn({ tenants: [tenantCalled('zT', 'Language Lab')] });

const draw = (local: LocalDatabase, isLocked = false) =>
  drawPages(
    [
      {
        path: '/',
        Component: () => (
          <WritingContext value={isLocked ? 'locked' : 'allowed'}>
            <Outlet context={local} />
          </WritingContext>
        ),
        children: [{ index: true, Component: Settings }],
      },
      { path: '*', Component: pageCalled('Elsewhere') },
    ],
    '/',
    app,
  );

const setting = (name: string) => screen.getByText(name, { selector: 'dt' }).nextElementSibling?.textContent;
const rows = async () =>
  within(await screen.findByRole('table', { name: 'Indexes' }))
    .getAllByRole('row')
    .slice(1)
    .map((row) => [...row.children].map(({ textContent }) => textContent));

describe('the settings of a local database that isn’t connected', () => {
  test('shows its name, that only this browser can read it, and that it syncs with nothing', async () => {
    const local = await localWith();
    await draw(local);
    expect(setting('Name')).toBe(
      `${local.localName}The name can’t change, because apps open the database by its name.`,
    );
    expect(setting('Who can read it')).toMatch(/^ ?Only this browser/);
    expect(setting('Syncs with')).toMatch(/^Nothing: it is only on this device/);
    expect(hasButton('Connect')).toBe(true);
    expect(hasButton('Disconnect')).toBe(false);
  });

  test('measures its size on request, and says how long the browser keeps it', async () => {
    const local = await localWith({ docs: [{ _id: 'milk' }] });
    vi.spyOn(local.database, 'verify').mockResolvedValue({ bytes: 3_100_000, archives: 2 } as never);
    await draw(local);
    expect(setting('On this device')).toMatch(/^Not measured yet/);
    await press('Measure');
    await waitFor(() => expect(setting('On this device')).toMatch(/^3\.1 MB in 2 archives/));
    expect(setting('On this device')).toContain('The browser may remove it when storage runs low.');
  });

  test('asks the browser to keep the data, and says whether it agreed', async () => {
    const state = { isKept: false };
    const persist = vi.fn(async () => {
      state.isKept = true;
      return true;
    });
    const estimate = async () => ({ usage: 1, quota: 10 });
    vi.stubGlobal('navigator', { storage: { estimate, persist, persisted: async () => state.isKept } });
    await draw(await localWith());
    await press('Keep when storage runs low');
    await screen.findByText('The browser keeps the data until you delete it.');
    await waitFor(() =>
      expect(setting('On this device')).toContain('The browser keeps it until you delete it.'),
    );
    expect([persist.mock.calls.length, hasButton('Keep when storage runs low')]).toEqual([1, false]);
    vi.unstubAllGlobals();
  });

  test('encrypts the database again with a new key, and reports a failure', async () => {
    const local = await localWith();
    const rotate = vi.spyOn(local.database, 'rotateKey');
    rotate.mockRejectedValueOnce(new FixpointError('STORE_FULL'));
    await draw(local);
    await press('Use a new key');
    await screen.findByRole('alert');
    rotate.mockResolvedValueOnce({ keyId: '0123456789abcdef' } as never);
    await press('Use a new key');
    await screen.findByText('Encrypted again with the new key 01234567.');
    expect(rotate.mock.calls).toEqual([[{ rewrite: true }], [{ rewrite: true }]]);
  });

  test('compacts the database', async () => {
    const local = await localWith();
    const compact = vi.spyOn(local.database, 'compact');
    await draw(local);
    await press('Compact');
    await screen.findByText('Storage compacted.');
    expect(compact).toHaveBeenCalledTimes(1);
  });

  test.each(['constructor', '__proto__', 'toString', 'then', 'settings', 'sharing'])(
    '[S10] shows the database %s',
    async (name) => {
      opened.push(name);
      const local = await localWith({
        name,
        docs: [{ _id: 'constructor', constructor: 1, ['__proto__']: 2 }],
      });
      await draw(local);
      expect(setting('Name')).toContain(name);
      await screen.findByRole('button', { name: 'Export 1 document' });
      await screen.findByText(/^No indexes yet/);
    },
  );
});

describe('the settings of a connected database', () => {
  /** Renders the settings of a database that is attached to a stub. */
  async function connected(kind: 'open-key' | 'sealed') {
    const local = await localWith({ connection: { remoteName: 'languages', endpoint: ENDPOINT } });
    agreeTo(local.localName, ENDPOINT, 'ada@example.com');
    const synced = vi.fn(async () => undefined);
    const { attached } = attachedWith({ kind: () => kind, synced, detach: async () => undefined });
    vi.spyOn(local.database, 'attach').mockResolvedValue(attached);
    rememberKind('zSettings', kind);
    attachLocal(app.api, local.database, PLACE);
    await draw(local);
    return { local, synced };
  }

  test.each([
    ['open-key', 'The server can read this database'],
    ['sealed', 'End-to-end encrypted'],
  ] as const)('shows who can read a database of the kind %s, and what it syncs with', async (kind, text) => {
    await connected(kind);
    await waitFor(() => expect(setting('Who can read it')).toContain(text));
    await waitFor(() => expect(setting('Syncs with')).toMatch(/^languages in Language Lab ?In sync/));
    expect(screen.getByRole('link', { name: 'Settings in the cloud' }).getAttribute('href')).toBe(
      '/fp/cloud/tenants/zT/ledgers/zSettings/settings',
    );
  });

  test('syncs on request', async () => {
    const { synced } = await connected('open-key');
    await press('Sync now');
    await screen.findByText('Everything is in sync.');
    expect(synced).toHaveBeenCalledTimes(1);
  });

  test('asks before it disconnects', async () => {
    const { local } = await connected('open-key');
    await press('Disconnect');
    await screen.findByRole('dialog', { name: `Disconnect ${local.localName}?` });
    expect(screen.getByText(/Both copies stay as they are; changes/)).toBeDefined();
  });

  test('says why a database can’t sync', async () => {
    await draw(
      await localWith({ connection: { remoteName: 'far', endpoint: 'fpcloud://elsewhere.example' } }),
    );
    expect(setting('Syncs with')).toMatch(/^far at fpcloud:\/\/elsewhere\.example ?Not connected/);
    expect(setting('Syncs with')).toContain('Open the database to connect it at elsewhere.example.');
    expect(setting('Who can read it')).toMatch(/Only this browser/);
  });
});

describe('deleting a database in its settings', () => {
  test('asks with the browser’s dialog, and deletes nothing without consent', async () => {
    const local = await localWith();
    const confirm = vi.fn((_question: string) => false);
    vi.stubGlobal('confirm', confirm);
    const { path } = await draw(local);
    await press('Delete Database');
    expect(confirm.mock.calls[0]?.[0]).toMatch(
      new RegExp(`^Are you sure you want to delete the database "${local.localName}"\\?`),
    );
    expect((await storageNames())?.some((name) => name.endsWith(local.localName))).toBe(true);
    confirm.mockReturnValue(true);
    await press('Delete Database');
    await screen.findByText(`${local.localName} deleted.`);
    expect((await storageNames())?.some((name) => name.endsWith(local.localName))).toBe(false);
    expect(path()).toBe('/');
  });

  test('says that the copy on the server stays', async () => {
    await draw(await localWith({ connection: { remoteName: 'languages', endpoint: ENDPOINT } }));
    expect(screen.getByText(/from this device\. The copy on the server stays\.$/)).toBeDefined();
  });

  test('offers no deletion while the database is locked', async () => {
    await draw(await localWith(), true);
    expect(hasButton('Delete Database')).toBe(false);
    expect(screen.getByText(/Unlock the database first\.$/)).toBeDefined();
  });
});

describe('the indexes of a database', () => {
  test('lists declared indexes, and looks again until they are built', async () => {
    const local = await localWith();
    const known = (isReady: boolean) => [
      { kind: 'fields' as const, fields: ['country', 'address.city'], prefix: '', isReady: true },
      { kind: 'text' as const, fields: ['title'], prefix: 'note-', isReady },
    ];
    const answers = [known(false), known(true)];
    const explain = vi
      .spyOn(local.database, 'explain')
      .mockImplementation(async () => ({ declared: answers.shift() ?? known(true) }) as never);
    await draw(local);
    expect(await rows()).toEqual([
      ['country, address.city', 'filter and sort', 'Up to date'],
      ['titleids that start with note-', 'search', 'Being built'],
    ]);
    await waitFor(async () => expect((await rows())[1]?.[2]).toBe('Up to date'));
    expect(explain).toHaveBeenCalledTimes(2);
  });

  test('creates an index of several fields, whatever their names are', async () => {
    const local = await localWith({ docs: [{ _id: 'a', constructor: 1, city: 'Bern' }] });
    await draw(local);
    await screen.findByText(/^No indexes yet/);
    await press('Create index');
    await enter('Fields', ' constructor , city,');
    const dialog = await screen.findByRole('dialog', { name: 'Create an index' });
    await act(async () => within(dialog).getByRole('button', { name: 'Create index' }).click());
    await screen.findByText('Created an index on constructor, city.');
    expect(await rows()).toEqual([['constructor, city', 'filter and sort', 'Up to date']]);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('says why an index can’t be created, and keeps the form', async () => {
    const local = await localWith();
    await draw(local);
    await press('Create index');
    const dialog = await screen.findByRole('dialog', { name: 'Create an index' });
    const create = () =>
      act(async () => within(dialog).getByRole('button', { name: 'Create index' }).click());
    await create();
    expect((await screen.findByRole('alert')).textContent).toBe('Enter at least one field.');
    await enter('Fields', 'a[]b');
    await create();
    await waitFor(() =>
      expect(screen.getByRole('alert').textContent).toMatch(/isn’t a field|is not a field/),
    );
  });

  test('says why the indexes can’t be read, and tries again on request', async () => {
    const local = await localWith();
    const explain = vi
      .spyOn(local.database, 'explain')
      .mockRejectedValueOnce(new FixpointError('WORKER_LOST', 'out of memory'));
    await draw(local);
    expect((await screen.findByRole('alert')).textContent).toMatch(/out of memory/);
    await press('Try again');
    await screen.findByText(/^No indexes yet/);
    expect(explain).toHaveBeenCalledTimes(2);
  });
});

describe('the export of a database', () => {
  test('exports all documents in the chosen format, and counts them live', async () => {
    const local = await localWith({ docs: [{ _id: 'milk', litres: 1 }] });
    const links: string[] = [];
    vi.stubGlobal(
      'URL',
      Object.assign(URL, { createObjectURL: () => 'blob:', revokeObjectURL: () => undefined }),
    );
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      links.push(this.download);
    });
    await draw(local);
    await screen.findByRole('button', { name: 'Export 1 document' });
    await act(async () => void (await (local.database as BridgedDatabase).put({ _id: 'rice' })));
    await screen.findByRole('button', { name: 'Export 2 documents' });
    expect(screen.queryByRole('checkbox', { name: 'Safe for spreadsheets' })).toBeNull();
    await press('CSV');
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Safe for spreadsheets' }).checked).toBe(
      true,
    );
    await press('Export 2 documents');
    await screen.findByText('Exported 2 documents.');
    expect(links).toEqual([`${local.localName}.csv`]);
  });
});
