import type { BridgedDatabase } from 'fixpoint/bridge';
import { afterEach, expect, test, vi } from 'vitest';
import { attachedWith } from '../../features/keys/attached.fixture.ts';
import { done, signedIn } from '../app.fixture.ts';
import {
  attachElsewhere,
  attachedDatabases,
  attachLocal,
  detachAll,
  detachLocal,
  detachSignedOut,
  forgetFailed,
  onAttachedChange,
  tenantHere,
} from './attached-databases.ts';

afterEach(detachAll);

test('attaches a database to another ledger only after it is detached from the first', async () => {
  const steps: string[] = [];
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const detach = async () => {
    steps.push('detaching');
    await released;
    steps.push('detached');
  };
  const { attached } = attachedWith({ detach, kind: () => 'open-key' });
  const database = {
    name: 'pantry',
    attach: async () => {
      steps.push('attached');
      return attached;
    },
    onClosed: () => undefined,
  } as unknown as BridgedDatabase;
  const ledgers = ['zA', 'zB'].map((ledgerId) => ({ tenantId: 'zT', ledgerId, name: ledgerId, users: [] }));
  const { api } = signedIn({ api: { listLedgersByUser: () => done(ledgers as never) } });
  attachLocal(api, database, { tenantId: 'zT', ledgerId: 'zA' });
  await attachedDatabases().get('pantry')?.attached;
  const detaching = detachLocal('pantry');
  attachLocal(api, database, { tenantId: 'zT', ledgerId: 'zB' });
  const second = attachedDatabases().get('pantry')?.attached;
  release();
  await Promise.all([detaching, second]);
  expect(steps).toEqual(['attached', 'detaching', 'detached', 'attached']);
});

const PLACE = { tenantId: 'zT', ledgerId: 'zA' };

const works = async (): Promise<unknown> =>
  attachedWith({ kind: () => 'open-key', detach: async () => undefined }).attached;

/** Returns a database that attaches to a stub. */
function stub(answer = works) {
  let close = (): void => undefined;
  const attach = vi.fn(answer);
  const onClosed = (listener: () => void) => {
    close = listener;
  };
  const database = { name: 'pantry', attach, onClosed } as unknown as BridgedDatabase;
  const { api } = signedIn({ api: { listLedgersByUser: () => done([{ ...PLACE, users: [] }] as never) } });
  return { api, database, attach, close: () => close() };
}
const entry = () => attachedDatabases().get('pantry');

const OTHER = { server: 'https://other.example/x', user: null };

test('attaches to another server, and leaves it attached when a user signs out here', async () => {
  const { database, attach } = stub();
  attachElsewhere(database, { ...PLACE, other: OTHER }, { kind: 'sealed', token: 't' });
  await entry()?.attached;
  const [remote] = attach.mock.calls[0] as unknown as [{ options(): object }];
  expect(remote.options()).toMatchObject({ base: 'https://other.example/x/fp', kind: 'sealed', token: 't' });
  expect(tenantHere(entry())).toBeUndefined();
  await detachSignedOut();
  expect(entry()?.place.other).toEqual(OTHER);
});

test('ends the sync with another server that a user allowed who signed out here', async () => {
  const { database } = stub();
  attachElsewhere(database, { ...PLACE, other: { ...OTHER, user: 'ada@example.com' } }, { token: 't' });
  await detachSignedOut();
  expect(entry()).toBeUndefined();
});

test('attaches again for the same ledger id of another server', async () => {
  const { database, attach, api } = stub();
  attachLocal(api, database, PLACE);
  expect(tenantHere(entry())).toBe('zT');
  attachElsewhere(database, { ...PLACE, other: OTHER }, { token: 't' });
  await entry()?.attached;
  expect(attach).toHaveBeenCalledTimes(2);
});

test('attaches once, however often a page asks for the same ledger', async () => {
  const { api, database, attach } = stub();
  attachLocal(api, database, PLACE);
  attachLocal(api, database, { ...PLACE });
  await entry()?.attached;
  attachLocal(api, database, PLACE);
  expect(attach).toHaveBeenCalledTimes(1);
});

test('keeps a failure until it is forgotten, and tries again only then', async () => {
  const { api, database, attach } = stub(() => Promise.reject(new Error('the server failed')));
  attachLocal(api, database, PLACE);
  await expect(entry()?.attached).rejects.toThrow('the server failed');
  await vi.waitFor(() => expect(entry()?.failure).toEqual(new Error('the server failed')));
  attachLocal(api, database, PLACE);
  expect(attach).toHaveBeenCalledTimes(1);
  forgetFailed();
  expect(entry()).toBeUndefined();
  attachLocal(api, database, PLACE);
  await expect(entry()?.attached).rejects.toThrow('the server failed');
  expect(attach).toHaveBeenCalledTimes(2);
});

test('keeps working attachments when it forgets those that failed', async () => {
  const { api, database } = stub();
  attachLocal(api, database, PLACE);
  await entry()?.attached;
  forgetFailed();
  expect(entry()?.failure).toBeUndefined();
  expect(entry()).toBeDefined();
});

test('refuses a ledger that the server doesn’t list for the user', async () => {
  const { api, database, attach } = stub();
  attachLocal(api, database, { ...PLACE, ledgerId: 'zSecret' });
  await expect(entry()?.attached).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(attach).not.toHaveBeenCalled();
});

test('forgets a database that was closed or deleted', async () => {
  const { api, database, close } = stub();
  attachLocal(api, database, PLACE);
  await entry()?.attached;
  close();
  expect(entry()).toBeUndefined();
});

test('replaces the map at each change, so that pages notice it', async () => {
  const { api, database } = stub();
  const before = attachedDatabases();
  const seen = vi.fn();
  const stop = onAttachedChange(seen);
  attachLocal(api, database, PLACE);
  expect([attachedDatabases() === before, seen.mock.calls.length]).toEqual([false, 1]);
  stop();
  await detachLocal('pantry');
  expect(seen).toHaveBeenCalledTimes(1);
});
