import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { LedgerKeys } from '../crypto/ledger-keys.ts';
import type { Ledger, LedgerParts } from './ledger-kind.ts';
import type { LedgerDevices } from './remote.ts';
import { linkKeys, tidyRecords } from './renew-keys.ts';

/** How often somebody else may change the keys while a device is let in, or left out. */
const TRIES_MAX = 5;

export interface DeviceParts extends Pick<LedgerParts, 'publish' | 'withdraw' | 'platform'> {
  readonly ledger: Ledger;
  /** Resolves when what the remote lists now was handed over. */
  readonly refresh: () => Promise<void>;
  /** A key may be new. */
  readonly changed: () => void;
}

/** The server has the code. The next listing brings it where this one fails. */
function unlessOther(cause: unknown): void {
  if (!isFixpointError(cause)) throw cause;
}

/** What an application does with the devices of a sealed ledger. A record takes effect when the remote has it. */
export function ledgerDevices(parts: DeviceParts): Omit<LedgerDevices, 'isApproved' | 'keyring'> {
  const { ledger, publish, refresh, changed } = parts;

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

  /** Puts a record that another device's put may overtake: then it is made again of what is listed by then. */
  async function putInTurn(
    keys: LedgerKeys,
    make: () => Promise<string>,
    isDone = () => true,
  ): Promise<void> {
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
      if (tries === TRIES_MAX) throw new FixpointError('CONFLICT', 'the keys change all the time');
    }
  }

  return {
    code: async () => (await heard()).code(),
    list: async () => (await heard()).devices(),
    approve: async (code) => {
      const keys = await heard();
      await refresh();
      // Somebody may have made another key before the grant was in the list.
      await putInTurn(
        keys,
        () => keys.grant(code),
        () => keys.isIn(code),
      );
      await linkKeys(keys, parts);
    },
    remove: async (ids) => {
      const keys = await heard();
      await refresh();
      await putInTurn(keys, () => keys.rotate(ids));
      await linkKeys(keys, parts);
      await tidyRecords(keys, parts);
    },
    newRecoveryCode: async () => {
      const keys = await heard();
      const { code, record } = await keys.newRecoveryCode();
      await publish([record]);
      // Learned from the server alone, which says who announced the code. Until then the code would count as nobody's, and the next key would leave it out.
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
