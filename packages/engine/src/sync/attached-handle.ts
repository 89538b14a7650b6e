/** The handle of an attachment that the application gets. */
import type { DeviceOperations, DeviceParts } from './ledger/ledger-devices.ts';
import type { Attached, LedgerDevices } from './remote.ts';
import type { SyncParts, Waits } from './sync-progress.ts';
import type { Connect } from './transport/connection.ts';

/** Loads rarely used features. */
export type LoadChunk = () => Promise<typeof import('./lazy-chunk.ts')>;

export interface HandleParts {
  readonly connect: Connect;
  readonly load: LoadChunk;
  readonly waits: Waits;
  /** Ends what isn't one of the parts. */
  readonly stop: () => void;
}

export function attachedHandle(
  { session, status, ledger, link, downloads, uploads, files, withheld, repairs }: SyncParts,
  { connect, load, waits, stop }: HandleParts,
): Attached {
  const { connected, readable, refresh, synced } = waits;
  return {
    status: status.get,
    onStatus: status.onChange,
    synced,
    held: async () => {
      await readable();
      return (await load()).heldAt(session, connect);
    },
    withheld: async () => (await load()).withheldAt(session, connect),
    removeEntries: async (cids) => {
      await (await load()).removeEntries(session, connect, await connected(), cids);
      withheld.forget(cids);
    },
    kind: () => ledger.sealing()?.kind,
    devices: devicesOnDemand(load, { session, ledger, refresh, changed: downloads.keysChanged }),
    detach: async () => {
      stop();
      downloads.stop();
      const sent = uploads.stop();
      files.stop();
      withheld.stop();
      repairs.stop();
      link.stop();
      await withheld.settled();
      await downloads.settled();
      await sent;
      await files.settled();
    },
  };
}

/** Returns the devices of a ledger. Their operations load with the other rarely used features. */
function devicesOnDemand(load: LoadChunk, parts: DeviceParts): LedgerDevices {
  const keys = () => parts.ledger.keys();
  const later =
    <A extends unknown[], R>(choose: (devices: DeviceOperations) => (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> =>
      choose((await load()).ledgerDevices(parts))(...args);
  return {
    isApproved: () => keys()?.isApproved() ?? false,
    keyring: async () => keys()?.keyring(),
    code: later(({ code }) => code),
    list: later(({ list }) => list),
    approve: later(({ approve }) => approve),
    remove: later(({ remove }) => remove),
    newRecoveryCode: later(({ newRecoveryCode }) => newRecoveryCode),
    recover: later(({ recover }) => recover),
  };
}
