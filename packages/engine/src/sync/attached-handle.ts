/** Creates the handle of an attachment, which the application receives. */
import { passedOn } from './device-calls.ts';
import type { Attached } from './remote.ts';
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
  waits: Waits,
  connect: Connect,
  load: LoadChunk,
  stop: () => void,
): Attached {
  const { session, status, ledger, link, downloads, uploads, files, withheld, repairs } = parts;
  return {
    status: status.get,
    onStatus: status.onChange,
    synced: waits.synced,
    held: async () => (await load()).heldAt(session, connect, waits),
    withheld: async () => (await load()).withheldAt(session, connect),
    removeEntries: async (cids) => (await load()).removeEntries(parts, connect, waits, cids),
    kind: () => ledger.sealing()?.kind,
    presence: { enter: async (state) => (await load()).enterPresence(parts, state) },
    // Most operations on devices load the other rarely used features first.
    devices: {
      ...passedOn(async (work) => work((await load()).ledgerDevices(parts, waits))),
      isApproved: () => ledger.keys()?.isApproved() ?? false,
      keyring: async () => ledger.keys()?.keyring(),
    },
    detach: async () => {
      stop();
      downloads.stop();
      const sent = uploads.stop();
      files.stop();
      withheld.stop();
      repairs.stop();
      await link.connection()?.leaving;
      link.stop();
      await withheld.settled();
      await downloads.settled();
      await sent;
      await files.settled();
    },
  };
}
