import { FixpointError } from '@fixpoint/protocol';
import type { LedgerKeys } from '../crypto/ledger-keys.ts';
import type { Ledger } from './ledger-kind.ts';
import type { LedgerDevices } from './remote.ts';

export interface DeviceParts {
  readonly ledger: Ledger;
  readonly publish: (records: readonly string[]) => Promise<void>;
  /** Resolves when what the remote lists now was handed over. */
  readonly refresh: () => Promise<void>;
  /** A key may be new. */
  readonly changed: () => void;
}

/** What an application does with the devices of a sealed ledger. A record takes effect when the remote has it. */
export function ledgerDevices({
  ledger,
  publish,
  refresh,
  changed,
}: DeviceParts): Omit<LedgerDevices, 'isApproved' | 'keyring'> {
  async function heard(): Promise<LedgerKeys> {
    if (ledger.sealing() === undefined) await refresh();
    const keys = ledger.keys();
    if (keys !== undefined) return keys;
    throw ledger.sealing() === undefined
      ? new FixpointError('CONNECTION_NOT_OPEN')
      : new FixpointError('LEDGER_KIND', 'it is not sealed');
  }

  async function put(keys: LedgerKeys, record: string): Promise<void> {
    await publish([record]);
    await keys.learn([record]);
    changed();
  }

  return {
    code: async () => (await heard()).code(),
    list: async () => (await heard()).devices(),
    approve: async (code) => {
      const keys = await heard();
      await refresh();
      await put(keys, await keys.grant(code));
    },
    remove: async (ids) => {
      const keys = await heard();
      await put(keys, await keys.rotate(ids));
    },
    newRecoveryCode: async () => {
      const keys = await heard();
      const { code, record } = await keys.newRecoveryCode();
      await put(keys, record);
      return code;
    },
    recover: async (code) => {
      const keys = await heard();
      await refresh();
      await put(keys, await keys.recover(code));
    },
  };
}
