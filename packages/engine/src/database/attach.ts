import { FixpointError } from '@fixpoint/protocol';
import { loadDatabaseChunk } from '../chunks.ts';
import type { Attached, Remote, SyncStatus } from '../sync/remote.ts';
import type { Core } from './core.ts';

/** The attachments of one handle of a database. */
export interface Attachments {
  /** @throws FixpointError DATABASE_CLOSED when the handle was closed in the meantime */
  attach(core: Core, remote: Remote): Promise<Attached>;
  /**
   * Resolves when every attachment has stopped.
   * @param lost the reason if the database is lost; each attachment then shows it in its status
   */
  detachAll(lost?: FixpointError): Promise<void>;
}

export function createAttachments(): Attachments {
  const attachments = new Set<Attached>();
  const onLost = new Set<() => void>();
  let isClosed = false;
  let lost: FixpointError | undefined;
  return {
    attach: async (core, remote) => {
      const attached = await attachTo(core, remote);
      if (isClosed) {
        await attached.detach();
        throw lost ?? new FixpointError('DATABASE_CLOSED');
      }
      const own: Attached = {
        ...attached,
        status: () => (lost === undefined ? attached.status() : lostStatus(lost)),
        onStatus: (fn) => {
          const stop = attached.onStatus((status) => {
            if (lost === undefined) fn(status);
          });
          const tellLost = () => {
            try {
              if (lost !== undefined) fn(lostStatus(lost));
            } catch (cause) {
              core.platform.report(cause);
            }
          };
          onLost.add(tellLost);
          return () => {
            stop();
            onLost.delete(tellLost);
          };
        },
        synced: () => attached.synced().catch((cause) => Promise.reject(lost ?? cause)),
        held: () => attached.held().catch((cause) => Promise.reject(lost ?? cause)),
        detach: () => {
          attachments.delete(own);
          return attached.detach();
        },
      };
      attachments.add(own);
      return own;
    },
    detachAll: async (reason) => {
      isClosed = true;
      const isNews = lost === undefined && reason !== undefined;
      lost ??= reason;
      if (isNews) for (const tell of [...onLost]) tell();
      await Promise.all([...attachments].map((attached) => attached.detach()));
    },
  };
}

const lostStatus = (error: FixpointError): SyncStatus => ({
  state: 'store-lost',
  toSend: 0,
  toFetch: 0,
  error,
});

/** Shares one connection between tabs or processes that may be attached to the same ledger. */
async function attachTo(core: Core, remote: Remote): Promise<Attached> {
  const { commits, platform } = core;
  const remoteId = remote.idOn?.(platform);
  if (platform.leases === undefined || remoteId === undefined) return remote.attach(commits, platform);
  const { attachShared } = await loadDatabaseChunk();
  return attachShared(core, remote, platform.leases, remoteId);
}
