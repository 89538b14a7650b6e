import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { newLogCode } from '../../crypto/grant.ts';
import type { LedgerKeys } from '../../crypto/ledger-keys.ts';
import type { DeviceCall } from '../device-calls.ts';
import type { LedgerDevices } from '../remote.ts';
import type { SyncParts, Waits } from '../sync-progress.ts';
import type { Connection } from '../transport/connection.ts';
import { type KeyList, keyListAt, linkKeys, tidyRecords } from './renew-keys.ts';
import { cutOfStart, requireNoLog, requireOwnLog, startLog } from './start-log.ts';

/** Maximum number of tries while other devices keep changing the keys. */
const TRIES_MAX = 5;
/** For how long a removal waits until the event that vouches for earlier ones was sent. */
const VOUCHED_MS = 10_000;

export type DeviceParts = Pick<SyncParts, 'session' | 'ledger' | 'link' | 'downloads' | 'uploads' | 'status'>;

/** Operations that need the remote, or change who holds the keys. */
export type DeviceOperations = Pick<LedgerDevices, DeviceCall>;

/** Ignores that the remote can't be reached, or rejects the call. A later listing repeats it. */
function unlessOther(cause: unknown): void {
  if (!isFixpointError(cause)) throw cause;
}

/** Resolves when this device has received everything that the remote lists now. */
async function refreshed({ link, downloads }: DeviceParts, connected: Waits['connected']): Promise<void> {
  await connected();
  await link.refresh();
  await downloads.settled();
}

/** Returns the keys, once the remote has responded. @throws FixpointError LEDGER_KIND */
async function keysOf({ ledger }: DeviceParts, refresh: () => Promise<void>): Promise<LedgerKeys> {
  if (ledger.sealing() === undefined) await refresh();
  const keys = ledger.keys();
  if (keys !== undefined) return keys;
  throw ledger.sealing() === undefined
    ? new FixpointError('CONNECTION_NOT_OPEN')
    : new FixpointError('LEDGER_KIND', 'it is not sealed');
}

/**
 * Vouches for all accepted events before this device ends the rights of another one (E3), and waits
 * until the remote has the event. If it can't be sent soon, the event arrives later: a server must
 * not be able to delay a removal.
 */
async function vouchFirst({ uploads, status, session }: DeviceParts, keys: LedgerKeys): Promise<void> {
  if (!(await keys.vouch())) return;
  const { platform, connection, signal } = session;
  let isLate = false;
  let stop = () => {};
  const late = new Promise<void>((resolve) => {
    stop = platform.time.after(VOUCHED_MS, () => {
      isLate = true;
      resolve();
    });
  });
  const isSending = uploads.pending();
  const mayArrive = () =>
    !isLate && isSending() && connection() !== undefined && uploads.failure() === undefined;
  for (let next = status.next(); mayArrive() && !signal.aborted; next = status.next())
    await Promise.race([next, late]);
  stop();
}

/**
 * Returns the operations on the devices of a sealed ledger. A key record takes effect once the
 * remote has it.
 */
export function ledgerDevices(parts: DeviceParts, waits: Pick<Waits, 'connected'>): DeviceOperations {
  const refresh = () => refreshed(parts, waits.connected);
  const [heard, list] = [() => keysOf(parts, refresh), keyListAt(parts.session)];

  async function put(keys: LedgerKeys, records: readonly string[]): Promise<void> {
    if (records.length > 0) await list.publish(records);
    await keys.learn(records);
    parts.downloads.keysChanged();
  }

  /**
   * Puts records in one request. If another device changed the list first, creates the records
   * again from the current list.
   */
  async function putInTurn(keys: LedgerKeys, make: () => Promise<readonly string[]>, isDone = () => true) {
    for (let tries = 1; ; tries++) {
      const wasTaken = await put(keys, await make()).then(
        () => true,
        (cause: unknown) => {
          if (!isFixpointError(cause, 'CONFLICT') || tries === TRIES_MAX) throw cause;
          return false;
        },
      );
      await refresh();
      if (wasTaken && isDone()) return;
      if (tries === TRIES_MAX) throw new FixpointError('CONFLICT', 'other devices kept changing the keys');
    }
  }

  return {
    code: async () => codeWithConsent(await heard(), list),
    list: async () => (await heard()).devices(),
    approve: async (code, admission) => {
      const keys = await heard();
      await refresh();
      // If another device creates a key before the grant is listed, the grant is repeated.
      await putInTurn(
        keys,
        () => keys.grant(code, admission),
        () => keys.isIn(code),
      );
      await linkKeys(keys, list);
    },
    remove: async (ids) => {
      const keys = await heard();
      await refresh();
      if (ids.length > 0) await vouchFirst(parts, keys);
      await putInTurn(keys, () => keys.rotate(ids));
      await linkKeys(keys, list);
      await tidyRecords(keys, list);
    },
    newRecoveryCode: async (replaced) => {
      const keys = await heard();
      if (replaced !== undefined) {
        await refresh();
        await putInTurn(keys, () => keys.replaceCode(replaced));
        return replaced.code;
      }
      const { code, records } = await keys.newRecoveryCode();
      await list.publish(records);
      // Only the server knows who announced the code. Until the server reports it, the code counts
      // as nobody's, and the next key would exclude the code.
      await refresh().catch(unlessOther);
      return code;
    },
    recover: async (code) => {
      const keys = await heard();
      await refresh();
      const isRejected = keys.keyring().isRejected === true;
      await put(keys, await keys.recover(code));
      // The next key would exclude a device that isn't announced.
      if (isRejected) await list.publish([keys.announcement()]);
    },
    ...requestCalls(list, { heard, refresh }),
    ...logCalls(parts, { heard, refresh, putInTurn }),
  };
}

/**
 * Returns the code of this device. In a ledger with a log, the code also names the key that signs
 * the consent, and nobody can approve the code before the server has the consent.
 */
async function codeWithConsent(keys: LedgerKeys, { publish }: Pick<KeyList, 'publish'>): Promise<string> {
  const consent = await keys.consent();
  if (consent !== undefined) await publish([consent]).catch(unlessOther);
  return keys.code();
}

interface Tools {
  readonly heard: () => Promise<LedgerKeys>;
  readonly refresh: () => Promise<void>;
  readonly putInTurn: (keys: LedgerKeys, make: () => Promise<readonly string[]>) => Promise<void>;
}

/** Returns the operations on requests for approval. */
const requestCalls = (
  { publish, withdraw }: KeyList,
  { heard, refresh }: Pick<Tools, 'heard' | 'refresh'>,
): Pick<DeviceOperations, 'reject' | 'ask'> => ({
  reject: async (ids) => {
    const keys = await heard();
    await refresh();
    const asking = () => ids.filter((id) => keys.keyring().asking.includes(id));
    const [open, requests] = [asking(), keys.requests()];
    if (open.length > 0) await withdraw(open.flatMap((id) => requests.get(id) ?? []));
    await refresh();
    // The server removes only the own requests of a user who isn't an admin.
    if (asking().length > 0) throw new FixpointError('FORBIDDEN', 'requests of other users');
    if (open.length < ids.length) throw new FixpointError('CONFLICT', 'a request was answered already');
  },
  ask: async () => {
    const keys = await heard();
    await publish([keys.announcement()]);
    await refresh();
  },
});

/** Returns the operations on the membership log. */
function logCalls(
  parts: DeviceParts,
  { heard, refresh, putInTurn }: Tools,
): Pick<DeviceOperations, 'newLogCode' | 'startLog' | 'setRole' | 'compareLog' | 'rename'> {
  const { downloads } = parts;
  const { withdraw } = keyListAt(parts.session);
  return {
    newLogCode: async () => {
      const keys = await heard();
      await refresh();
      // A member of a log needs the code to replace their own one.
      if (keys.keyring().log?.role === undefined) {
        await requireNoLog({ keys, connection: connected(parts) });
        await requireOwnLog(parts.session);
      }
      keys.current();
      await keys.signer();
      return newLogCode(parts.session.platform.random);
    },
    startLog: async ({ name, code }) => {
      const keys = await heard();
      await refresh();
      const user = keys.user();
      if (user === undefined) throw new FixpointError('NOT_IMPLEMENTED', 'a membership log at this server');
      const { platform, target } = parts.session;
      const place = { platform, target, keys, connection: connected(parts), refresh };
      await startLog({ ...place, user, name, code, cut: () => cutOfStart(parts.session) });
      downloads.keysChanged();
      await refresh().catch(unlessOther);
    },
    setRole: async (user, role) => {
      const keys = await heard();
      await refresh();
      if (role === 'read') await vouchFirst(parts, keys);
      await putInTurn(keys, () => keys.setRole(user, role));
    },
    rename: async (of, name) => {
      await (await heard()).rename(of, name);
      downloads.keysChanged();
    },
    compareLog: async (log, isRight, unconfirmed) => {
      const keys = await heard();
      if (isRight) await keys.acceptLog(log, unconfirmed);
      else await dismiss(keys, log, { withdraw, refresh });
      downloads.keysChanged();
    },
  };
}

/**
 * Ignores a log, and withdraws it if it has no other entry (G2). Somebody who may not do so still
 * ignores it. But if this device follows it, only the withdrawal ends that.
 */
async function dismiss(
  keys: LedgerKeys,
  log: string,
  { withdraw, refresh }: Pick<KeyList, 'withdraw'> & Pick<Tools, 'refresh'>,
): Promise<void> {
  const start = await keys.dismissLog(log);
  if (start === undefined) return;
  try {
    await withdraw([start]);
  } catch (cause) {
    if (!isFixpointError(cause, 'FORBIDDEN') || keys.keyring().log?.id === log) throw cause;
    return;
  }
  await refresh().catch(unlessOther);
}

/** @throws FixpointError CONNECTION_NOT_OPEN */
function connected({ session }: DeviceParts): Connection {
  const connection = session.connection();
  if (connection !== undefined) return connection;
  throw new FixpointError('CONNECTION_NOT_OPEN');
}
