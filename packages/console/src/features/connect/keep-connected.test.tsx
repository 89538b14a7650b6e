import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { done, signedIn } from '../../cloud/app.fixture.ts';
import { attachedDatabases, detachAll, detachLocal } from '../../cloud/ledgers/attached-databases.ts';
import { freshLocal, freshName, withEngine } from '../../engine/engine-here.fixture.ts';
import { tokenUntil } from '../../local/access-token.fixture.ts';
import { agreeTo } from '../../local/agreed-endpoints.ts';
import { forgetConnections, recordConnection } from '../../local/connections.ts';
import { accessTo, keepAccess } from '../../local/elsewhere-access.ts';
import { endpointHere } from '../../local/endpoint.ts';
import { attachedWith } from '../keys/attached.fixture.ts';
import { keepConnected } from './keep-connected.ts';

withEngine();
// Other test files of this process leave connections and agreements.
beforeEach(() => localStorage.clear());
afterEach(async () => {
  await detachAll();
  localStorage.clear();
});

const ADA = 'ada@example.com';
const PLACE = { tenantId: 'zT', ledgerId: 'zL' };
const STUB = { kind: () => 'open-key' as const, detach: async () => undefined };
const ledger = { ...PLACE, name: 'pantry', users: [] };

async function connected(endpoint = endpointHere(PLACE)) {
  const localName = freshName();
  const database = await freshLocal([], localName);
  const names = { localName, remoteName: localName, sanitizedRemoteName: localName };
  await recordConnection({ ...names, endpoint, firstConnect: false });
  agreeTo(localName, endpoint, ADA);
  vi.spyOn(database, 'attach').mockResolvedValue(attachedWith(STUB).attached);
  const { api } = signedIn({ api: { listLedgersByUser: () => done([ledger] as never) } });
  return { localName, api };
}

test('attaches the databases that this user connected, and none that another user connected', async () => {
  const { localName, api } = await connected();
  const stop = keepConnected(api, 'grace@example.com');
  // The second look begins later, so the first one has ended when it attaches.
  const stopSecond = keepConnected(api, ADA);
  await vi.waitFor(() => expect([...attachedDatabases().keys()]).toEqual([localName]));
  stop();
  stopSecond();
});

test('does not attach a database again that was disconnected while it looked', async () => {
  const { localName, api } = await connected();
  let answer = (_found: IDBDatabaseInfo[]): void => undefined;
  const waiting = new Promise<IDBDatabaseInfo[]>((resolve) => {
    answer = resolve;
  });
  const real = indexedDB.databases.bind(indexedDB);
  const asked = vi.spyOn(indexedDB, 'databases').mockReturnValueOnce(real()).mockReturnValueOnce(waiting);
  const stop = keepConnected(api, ADA);
  await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
  await forgetConnections(localName);
  await detachLocal(localName);
  answer(await real());
  await new Promise((resolve) => setTimeout(resolve));
  expect(attachedDatabases().size).toBe(0);
  stop();
});

test('extends access to another server each minute, until it stops', async () => {
  const endpoint = 'fpcloud://other.example/?tenant=zT&ledger=zL';
  const { localName, api } = await connected(endpoint);
  const now = Date.now();
  const tokenAt = (minutes: number) =>
    tokenUntil(now + (minutes + 10) * 60_000, undefined, {
      issuedAtMs: now + minutes * 60_000,
      untilMs: now + 3_600_000,
    });
  keepAccess(localName, { endpoint, token: tokenAt(-6), user: ADA, isSealed: false }, now - 6 * 60_000);
  const send = vi.fn(async () => Response.json({ token: tokenAt(0) }));
  vi.stubGlobal('fetch', send);
  const ticks: (() => void)[] = [];
  const stopped = vi.fn();
  const stop = keepConnected(api, ADA, (run) => {
    ticks.push(run);
    return stopped;
  });
  await vi.waitFor(() => expect([...attachedDatabases().keys()]).toEqual([localName]));
  expect(send).not.toHaveBeenCalled();
  for (const tick of ticks) tick();
  await vi.waitFor(() => expect(accessTo(localName, endpoint, ADA)?.token).toBe(tokenAt(0)));
  stop();
  expect(stopped).toHaveBeenCalledTimes(1);
});
