import { FixpointError } from '@fixpoint/protocol';
import type { Attached, Remote } from '../sync/remote.ts';
import type { Core } from './core.ts';

/** What one handle of a database is attached to. */
export interface Attachments {
  /** @throws FixpointError DATABASE_CLOSED when the handle was closed meanwhile */
  attach(core: Core, remote: Remote): Promise<Attached>;
  /** Resolves when nothing of it runs any more. */
  detachAll(): Promise<void>;
}

export function createAttachments(): Attachments {
  const attachments = new Set<Attached>();
  let isClosed = false;
  return {
    attach: async (core, remote) => {
      const attached = await attachTo(core, remote);
      if (isClosed) {
        await attached.detach();
        throw new FixpointError('DATABASE_CLOSED');
      }
      const own: Attached = {
        ...attached,
        detach: () => {
          attachments.delete(own);
          return attached.detach();
        },
      };
      attachments.add(own);
      return own;
    },
    detachAll: async () => {
      isClosed = true;
      await Promise.all([...attachments].map((attached) => attached.detach()));
    },
  };
}

/** Where other tabs or processes may be attached to the same ledger, one connection does for all. */
async function attachTo(core: Core, remote: Remote): Promise<Attached> {
  const { commits, platform } = core;
  const remoteId = remote.idOn?.(platform);
  if (platform.leases === undefined || remoteId === undefined) return remote.attach(commits, platform);
  const { attachShared } = await import('./seldom.ts');
  return attachShared(core, remote, platform.leases, remoteId);
}
