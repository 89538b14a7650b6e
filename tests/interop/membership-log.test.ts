/**
 * Starts the membership log of a sealed ledger at the real gateway, with devices that don't use
 * logs yet beside it (docs/internals/membership-rules.md).
 */
import { FixpointError } from '@fixpoint/protocol';
import { decodeEntry, ledgerBytes } from '@fixpoint/protocol/storage';
import { fixpoint, toCloud } from 'fixpoint';
import { expect, onTestFinished, test } from 'vitest';
import {
  bind,
  httpClient,
  type Ledger,
  newLedger,
  newMember,
  type TestCloud,
  temporaryFolder,
  testCloud,
} from '../../packages/cloud/tests/cloud.fixture.ts';
import { hex } from '../../packages/engine/src/base/bytes.ts';
import { sha256 } from '../../packages/engine/src/codec/sha256.ts';
import type { Commits } from '../../packages/engine/src/commit/commits-interface.ts';
import { loadPair } from '../../packages/engine/src/crypto/device-pair.ts';
import { openLedgerKeys } from '../../packages/engine/src/crypto/ledger-keys.ts';
import type { Platform } from '../../packages/engine/src/ports/platform.ts';
import { remoteKey } from '../../packages/engine/src/store/names.ts';
import { viewOfLog } from '../../packages/engine/src/sync/ledger/log-view.ts';
import { remoteIdOf } from '../../packages/engine/src/sync/ledger/remote-memory.ts';
import { type LogStart, startLog } from '../../packages/engine/src/sync/ledger/start-log.ts';
import type { Remote } from '../../packages/engine/src/sync/remote.ts';
import { connect } from '../../packages/engine/src/sync/transport/connect.ts';
import { tokenSource } from '../../packages/engine/src/sync/transport/token-source.ts';

const PATIENT = { interval: 100, timeout: 20_000 };

/** Opens a database, and attaches it to the ledger. */
async function openDevice(cloud: TestCloud, place: Ledger, { directory = '', signed = true } = {}) {
  const folder = directory === '' ? await temporaryFolder() : directory;
  const db = fixpoint('notes', { directory: folder, signed });
  onTestFinished(() => db.close());
  let inner: { commits: Commits; platform: Platform } | undefined;
  const remote: Remote = toCloud({ base: cloud.url, ...place, kind: 'sealed' });
  const attached = await db.attach({
    idOn: (platform) => remote.idOn?.(platform),
    attach: (commits, platform, watch) => {
      inner = { commits, platform };
      return remote.attach(commits, platform, watch);
    },
  } as Remote);
  if (inner === undefined) throw new Error('not attached');
  const { commits, platform } = inner;
  const gateway = new URL('/fp', cloud.url);
  const prefix = `${remoteKey(remoteIdOf(gateway, place.tenant, place.ledger))}/secret/`;
  const rows = () => commits.remembered(prefix);
  const ledger = ledgerBytes(place.tenant, place.ledger);
  const { random } = platform;
  const parts = async () => ({
    ...{ ledger, random, prefix, rows: await rows() },
    save: (changes: Parameters<Commits['markUploaded']>[1]) => commits.markUploaded([], changes),
  });
  const target = { gateway, ...place, name: 'toCloud', tokens: tokenSource(place.token, platform.time) };
  async function started(
    more: Partial<LogStart> | ((given: LogStart) => Partial<LogStart>) = {},
  ): Promise<string> {
    let code = '';
    const events = { metas: () => undefined, closed: () => undefined };
    const load = () => import('../../packages/engine/src/sync/lazy-sync-chunk.ts');
    const connection = await connect(platform, target, load, { reqId: 'start' }, events);
    const keepCode = async (text: string) => {
      code = text;
    };
    const keys = await openLedgerKeys({ ...(await parts()), followsLogs: true });
    const refresh = async () => {
      const { meta } = await (await httpClient(cloud, place)).request('bindGetMeta', bind(place));
      await keys.learn(meta.keys as string[]);
    };
    const founding = { platform, commits, keys, target, connection, refresh };
    try {
      const given = { ...founding, user: place.userId, name: 'Ada', keepCode };
      await startLog({ ...given, ...(typeof more === 'function' ? more(given) : more) });
    } finally {
      connection.close();
    }
    return code;
  }
  return { db, attached, folder, rows, parts, prefix, started, ledger };
}
type Device = Awaited<ReturnType<typeof openDevice>>;

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: { code?: string }) => error.code,
  );

const logOf = async ({ rows, prefix }: Device): Promise<string | undefined> => {
  const row = (await rows()).get(`${prefix}log`);
  return row && hex(row);
};

async function join(by: Device, device: Device): Promise<void> {
  expect(await codeOf(device.attached.synced())).toBe('DEVICE_NOT_APPROVED');
  await by.attached.devices.approve(await device.attached.devices.code());
  await expect.poll(() => device.attached.status().state, PATIENT).toBe('in-sync');
}

const idsOf = async ({ db }: Device) => (await db.allDocs()).rows.map(({ key }) => key).sort();

test('[L1, L2] starts a log that devices learn from grants, while devices without it continue', async () => {
  const cloud = await testCloud({ startsLogs: true });
  const notes = await newLedger(cloud);
  const first = await openDevice(cloud, notes);
  await first.db.put({ _id: 'before' });
  await first.attached.synced();
  const code = await first.started();
  const id = await logOf(first);
  const listed = async () => {
    const { meta } = await (await httpClient(cloud, notes)).request('bindGetMeta', bind(notes));
    return meta.keys as string[];
  };
  const [start] = (await listed()).filter((text) => text.startsWith('S2.'));
  expect(decodeEntry(start as string, sha256).entry).toMatchObject({ kind: 'start', id, user: notes.userId });

  // A database that doesn't sign, as those of earlier versions.
  const second = await openDevice(cloud, notes, { signed: false });
  await join(first, second);
  await second.db.put({ _id: 'from second' });
  await second.attached.synced();
  await first.attached.synced();
  expect(await idsOf(first)).toEqual(['before', 'from second']);
  expect(await logOf(second)).toBeUndefined();

  // No application can start a log yet, so devices continue as in a ledger without one.
  await first.db.close();
  const again = await openDevice(cloud, notes, { directory: first.folder });
  await again.db.put({ _id: 'without the log' });
  await again.attached.synced();
  expect((await again.attached.devices.keyring())?.log).toBeUndefined();
  const recovered = await openDevice(cloud, notes);
  expect(await codeOf(recovered.attached.synced())).toBe('DEVICE_NOT_APPROVED');
  await recovered.attached.devices.recover(code);
  await recovered.attached.synced();
  expect(await idsOf(recovered)).toEqual(['before', 'from second', 'without the log']);

  const parts = await again.parts();
  const keys = (await openLedgerKeys({ ...parts, followsLogs: true })).all();
  const { pair } = await loadPair(parts, true);
  const view = await viewOfLog(await listed(), { ledger: again.ledger, start: id as string, pair, keys });
  expect(view).toMatchObject({ isStartProven: true, needsUpdate: false, strayRotations: [] });
  expect(view.invalid.size).toBe(0);
  expect(view.membership.members).toMatchObject([{ person: id, role: 'admin' }]);
});

test('[L1, G2] starts no second log, whether the device knows the first one or not', async () => {
  const cloud = await testCloud({ startsLogs: true });
  const notes = await newLedger(cloud);
  const first = await openDevice(cloud, notes);
  await first.attached.synced();
  const second = await openDevice(cloud, notes);
  await join(first, second);
  await first.started();
  const id = await logOf(first);
  expect(await codeOf(first.started())).toBe('CONFLICT');
  expect(await codeOf(second.started())).toBe('FORBIDDEN');
  expect([await logOf(first), await logOf(second)]).toEqual([id, undefined]);
});

test('[L1] starts the log with the key of a rotation that arrived while the user kept the code', async () => {
  const cloud = await testCloud({ startsLogs: true });
  const notes = await newLedger(cloud);
  const first = await openDevice(cloud, notes);
  await first.attached.synced();
  const member = await openDevice(cloud, await newMember(cloud, notes, 'write'));
  await join(first, member);
  const code = await first.started({ keepCode: () => member.attached.devices.remove([]) });
  expect(code).toBe('');
  const { current } = (await member.attached.devices.keyring()) as { current: string };
  const { meta } = await (await httpClient(cloud, notes)).request('bindGetMeta', bind(notes));
  const [start] = (meta.keys as string[]).filter((text) => text.startsWith('S2.'));
  expect(decodeEntry(start as string, sha256).entry).toMatchObject({ kind: 'start', dataKey: current });
});

test('[G2] creates start again if another device rotates the key at the same moment', async () => {
  const cloud = await testCloud({ startsLogs: true });
  const notes = await newLedger(cloud);
  const first = await openDevice(cloud, notes);
  await first.attached.synced();
  const member = await openDevice(cloud, await newMember(cloud, notes, 'write'));
  await join(first, member);
  let refreshed = 0;
  // The list is read, then the key rotates, then `start` is put.
  const code = await first.started(({ refresh }) => ({
    refresh: async () => {
      await refresh();
      if (++refreshed === 1) await member.attached.devices.remove([]);
    },
  }));
  expect([code === '', refreshed]).toEqual([false, 3]);
  const { current } = (await member.attached.devices.keyring()) as { current: string };
  const { meta } = await (await httpClient(cloud, notes)).request('bindGetMeta', bind(notes));
  const [start, ...more] = (meta.keys as string[]).filter((text) => text.startsWith('S2.'));
  expect(more).toEqual([]);
  expect(decodeEntry(start as string, sha256).entry).toMatchObject({ dataKey: current });
});

test('[L1] puts the same start again after the answer was lost, with the code that the user has', async () => {
  const cloud = await testCloud({ startsLogs: true });
  const notes = await newLedger(cloud);
  const first = await openDevice(cloud, notes);
  await first.attached.synced();
  const lost = (when: 'before' | 'after') => (given: LogStart) => ({
    connection: {
      ...given.connection,
      request: async (type: string, ...rest: [never, never]) => {
        if (type !== 'reqPutMeta') return given.connection.request(type, ...rest);
        if (when === 'after') await given.connection.request(type, ...rest);
        throw new FixpointError('TIMEOUT');
      },
    } as LogStart['connection'],
  });
  expect(await codeOf(first.started(lost('before')))).toBe('TIMEOUT');
  expect(await codeOf(first.started(lost('after')))).toBe('TIMEOUT');
  expect(await logOf(first)).toBeUndefined();
  // No code is asked for again.
  expect(await first.started()).toBe('');
  const { meta } = await (await httpClient(cloud, notes)).request('bindGetMeta', bind(notes));
  const [start, ...more] = (meta.keys as string[]).filter((text) => text.startsWith('S2.'));
  expect(more).toEqual([]);
  expect(decodeEntry(start as string, sha256).entry.id).toBe(await logOf(first));
});

test('[G2] starts no log for a member who is not an admin', async () => {
  const cloud = await testCloud({ startsLogs: true });
  const notes = await newLedger(cloud);
  const first = await openDevice(cloud, notes);
  await first.attached.synced();
  const member = await openDevice(cloud, await newMember(cloud, notes, 'write'));
  await join(first, member);
  expect(await codeOf(member.started())).toBe('FORBIDDEN');
  expect(await logOf(member)).toBeUndefined();
});

test('[G6] starts no log at a server without logs, with an unsigned database, or without a kept code', async () => {
  const cloud = await testCloud({ startsLogs: true });
  const notes = await newLedger(cloud);
  const first = await openDevice(cloud, notes);
  await first.attached.synced();
  const sent: string[] = [];
  const connection = {
    conn: { reqId: 'a', resId: 'b' },
    request: async (type: string) => {
      sent.push(type);
      return { type: 'resGestalt', gestalt: {} };
    },
    bind: async () => undefined,
    close: () => undefined,
  } as unknown as LogStart['connection'];
  expect(await codeOf(first.started({ connection }))).toBe('NOT_IMPLEMENTED');
  expect(sent).toEqual(['reqGestalt']);
  const unsigned = await openDevice(cloud, notes, { signed: false });
  await join(first, unsigned);
  expect(await codeOf(unsigned.started())).toBe('NOT_IMPLEMENTED');
  const refused = first.started({ keepCode: () => Promise.reject(new Error('lost')) });
  await expect(refused).rejects.toThrow('lost');
  const { meta } = await (await httpClient(cloud, notes)).request('bindGetMeta', bind(notes));
  expect((meta.keys as string[]).filter((text) => text.startsWith('S2.'))).toEqual([]);
  expect(await logOf(first)).toBeUndefined();
});
