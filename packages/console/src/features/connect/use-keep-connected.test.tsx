import { act } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ada, appWith, done, signedIn } from '../../cloud/app.fixture.ts';
import { type App, SESSION_KEY } from '../../cloud/app.ts';
import { attachedDatabases, attachLocal, detachAll } from '../../cloud/ledgers/attached-databases.ts';
import { drawPart } from '../../cloud/part.fixture.tsx';
import { freshLocal, freshName, withEngine } from '../../engine/engine-here.fixture.ts';
import { tokenUntil } from '../../local/access-token.fixture.ts';
import { agreeTo } from '../../local/agreed-endpoints.ts';
import { forgetConnections, recordConnection } from '../../local/connections.ts';
import { keepAccess } from '../../local/elsewhere-access.ts';
import { endpointHere } from '../../local/endpoint.ts';
import { withPages } from '../../ui/pages.fixture.tsx';
import { attachedWith } from '../keys/attached.fixture.ts';
import { useKeepConnected } from './use-keep-connected.ts';

withPages();
withEngine();
beforeEach(() => localStorage.clear());
const made: string[] = [];
afterEach(async () => {
  for (const name of made.splice(0)) await forgetConnections(name);
  await detachAll();
  localStorage.clear();
});

const PLACE = { tenantId: 'zT', ledgerId: 'zL' };
const ledger = { ...PLACE, name: 'pantry', users: [] };
const api = { listLedgersByUser: () => done([ledger] as never) };

/** Creates a database that Ada connected here, or that somebody connected with another server. */
async function connected(endpoint = endpointHere(PLACE)) {
  const localName = freshName();
  made.push(localName);
  const database = await freshLocal([], localName);
  const names = { localName, remoteName: localName, sanitizedRemoteName: localName };
  await recordConnection({ ...names, endpoint, firstConnect: false });
  agreeTo(localName, endpoint, ada.email);
  keepAccess(localName, { endpoint, token: tokenUntil(Date.now() + 3_600_000), user: null, isSealed: false });
  const { attached } = attachedWith({ kind: () => 'open-key', detach: async () => undefined });
  vi.spyOn(database, 'attach').mockResolvedValue(attached);
  return { localName, database };
}

/** Renders a page that keeps databases connected, and is quiet once the test calls `beQuiet`. */
async function page(parts: App) {
  const waiting = new Set<() => void>();
  const whenQuiet = (run: () => void) => {
    waiting.add(run);
    return () => void waiting.delete(run);
  };
  function Page() {
    useKeepConnected(whenQuiet);
    return null;
  }
  const pages = await drawPart(Page, parts);
  await vi.waitFor(() => expect(parts.queries.getQueryData(SESSION_KEY)).toBeDefined());
  const beQuiet = () =>
    act(async () => {
      for (const run of waiting) await run();
    });
  return { ...pages, waiting, beQuiet };
}
const names = () => [...attachedDatabases().keys()];

describe('the connected databases of a signed-in user', () => {
  test('syncs once the page is quiet, and not before', async () => {
    const { localName } = await connected();
    const { waiting, beQuiet } = await page(signedIn({ api }));
    await vi.waitFor(() => expect(waiting.size).toBe(1));
    expect(names()).toEqual([]);
    await beQuiet();
    await vi.waitFor(() => expect(names()).toEqual([localName]));
  });

  test('syncs only with other servers while nobody is signed in', async () => {
    await connected();
    const { localName } = await connected('fpcloud://other.example/?tenant=zT&ledger=zL');
    const { waiting, beQuiet } = await page(appWith({ api }));
    await vi.waitFor(() => expect(waiting.size).toBe(1));
    await beQuiet();
    await vi.waitFor(() => expect(names()).toEqual([localName]));
  });

  test('stops syncing when the session ends in another tab', async () => {
    const { localName } = await connected();
    const parts = signedIn({ api });
    const { waiting, beQuiet } = await page(parts);
    await vi.waitFor(() => expect(waiting.size).toBe(1));
    await beQuiet();
    await vi.waitFor(() => expect(names()).toEqual([localName]));
    await act(async () => void parts.queries.setQueryData(SESSION_KEY, null));
    await vi.waitFor(() => expect(names()).toEqual([]));
  });

  test('stops syncing at once for a user who opens the page signed out', async () => {
    const { database } = await connected();
    attachLocal(signedIn({ api }).api, database, PLACE);
    await page(appWith({ api }));
    await vi.waitFor(() => expect(names()).toEqual([]));
  });

  test('starts nothing when the page is left before it is quiet', async () => {
    await connected();
    const { waiting, go } = await page(signedIn({ api }));
    await vi.waitFor(() => expect(waiting.size).toBe(1));
    await go('/elsewhere');
    expect(waiting.size).toBe(0);
  });

  test.each([
    ['lists no storages', undefined],
    ['denies to list them', { databases: () => Promise.reject(new Error('denied')) }],
    ['has no connection', { databases: async () => [{ name: 'fp.pantry' }] }],
  ])('finds none in a browser that %s', async (_what, indexedDB) => {
    vi.stubGlobal('indexedDB', indexedDB);
    const { waiting, beQuiet } = await page(signedIn({ api }));
    await vi.waitFor(() => expect(waiting.size).toBe(1));
    await beQuiet();
    expect(names()).toEqual([]);
  });
});
