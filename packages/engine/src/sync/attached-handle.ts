/** Creates the handle of an attachment, which the application receives. */
import type { DeviceParts } from './ledger/ledger-devices.ts';
import type { Attached, LedgerDevices } from './remote.ts';
import type { SyncParts, Waits } from './sync-progress.ts';
import type { Connect } from './transport/connection.ts';

/** Loads rarely used features. */
export type LoadChunk = () => Promise<typeof import('./lazy-sync-chunk.ts')>;

/**
 * Creates the handle.
 * @param stop aborts requests and unsubscribes from commits
 */
export function attachedHandle(
  parts: SyncParts,
  { connected, readable, refresh, synced }: Waits,
  connect: Connect,
  load: LoadChunk,
  stop: () => void,
): Attached {
  const { session, status, ledger, link, downloads, uploads, files, withheld, repairs } = parts;
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
    presence: { enter: async (state) => (await load()).enterPresence(parts, state) },
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

/**
 * Returns the devices of a ledger. Most of their operations load the other rarely used features
 * first.
 */
function devicesOnDemand(load: LoadChunk, parts: DeviceParts): LedgerDevices {
  const keys = () => parts.ledger.keys();
  return {
    isApproved: () => keys()?.isApproved() ?? false,
    keyring: async () => keys()?.keyring(),
    ...deviceCalls(async (work) => work((await load()).ledgerDevices(parts))),
  };
}

type DeviceCalls = Omit<LedgerDevices, 'isApproved' | 'keyring'>;

/**
 * Returns the operations on devices that need a connection.
 * @param withDevices runs an operation once its devices can be used
 */
export const deviceCalls = (
  withDevices: (work: (devices: DeviceCalls) => Promise<never>) => Promise<never>,
): DeviceCalls =>
  Object.fromEntries(
    (['code', 'list', 'approve', 'remove', 'newRecoveryCode', 'recover'] as const).map((name) => [
      name,
      (...args: never[]) => withDevices((devices) => (devices[name] as (...args: never[]) => Promise<never>)(...args)),
    ]),
  ) as unknown as DeviceCalls;
