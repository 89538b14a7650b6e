import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { LedgerKeys } from '../../crypto/ledger-keys.ts';
import type { LedgerDevices } from '../remote.ts';
import type { SyncParts, Waits } from '../sync-progress.ts';
import { keyListAt, linkKeys, tidyRecords } from './renew-keys.ts';

/** Maximum number of tries while other devices keep changing the keys. */
const TRIES_MAX = 5;

export type DeviceParts = Pick<SyncParts, 'session' | 'ledger' | 'link' | 'downloads'>;

/** Operations that need the remote, or change who holds the keys. */
export type DeviceOperations = Omit<LedgerDevices, 'isApproved' | 'keyring'>;

/**
 * Ignores a failed listing after a recovery code was published: the server has the code, and the
 * next listing includes it.
 */
function unlessOther(cause: unknown): void {
  if (!isFixpointError(cause)) throw cause;
}

/** Resolves when this device has received everything that the remote lists now. */
async function refreshed({ link, downloads }: DeviceParts, connected: Waits['connected']): Promise<void> {
  await connected();
  await link.refresh();
  await downloads.settled();
}

/**
 * Returns the operations on the devices of a sealed ledger. A key record takes effect once the
 * remote has it.
 */
export function ledgerDevices(parts: DeviceParts, waits: Pick<Waits, 'connected'>): DeviceOperations {
  const { ledger, downloads } = parts;
  const refresh = () => refreshed(parts, waits.connected);
  const list = keyListAt(parts.session);

  async function heard(): Promise<LedgerKeys> {
    if (ledger.sealing() === undefined) await refresh();
    const keys = ledger.keys();
    if (keys !== undefined) return keys;
    throw ledger.sealing() === undefined
      ? new FixpointError('CONNECTION_NOT_OPEN')
      : new FixpointError('LEDGER_KIND', 'it is not sealed');
  }

  async function put(keys: LedgerKeys, records: readonly string[]): Promise<void> {
    await list.publish(records);
    await keys.learn(records);
    downloads.keysChanged();
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
    code: async () => (await heard()).code(),
    list: async () => (await heard()).devices(),
    approve: async (code, admission) => {
      const keys = await heard();
      await refresh();
      // Another device may have created a new key before the grant was listed. The grant is then
      // repeated, with the new key.
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
      await putInTurn(keys, () => keys.rotate(ids));
      await linkKeys(keys, list);
      await tidyRecords(keys, list);
    },
    newRecoveryCode: async () => {
      const keys = await heard();
      const { code, record } = await keys.newRecoveryCode();
      await list.publish([record]);
      // Only the server knows who announced the code. Until the server reports it, the code counts
      // as nobody's, and the next key would exclude the code.
      await refresh().catch(unlessOther);
      return code;
    },
    recover: async (code) => {
      const keys = await heard();
      await refresh();
      await put(keys, await keys.recover(code));
    },
  };
}
