import type { FixpointError } from '@fixpoint/protocol';
import { loadDatabaseChunk } from '../chunks.ts';
import type { Attached, Remote } from '../sync/remote.ts';
import type { Core } from './core.ts';
import type { AttachmentState } from './shared-attach.ts';

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

/** Creates the attachments of a handle. The code that attaches is loaded when it is needed. */
export function createAttachments(): Attachments {
  const state: AttachmentState = { all: new Set(), onLost: new Set(), isClosed: false, lost: undefined };
  return {
    attach: async (core, remote) => (await loadDatabaseChunk()).attachRemote(state, core, remote),
    detachAll: async (reason) => {
      state.isClosed = true;
      const isNews = state.lost === undefined && reason !== undefined;
      state.lost ??= reason;
      if (isNews) for (const tell of [...state.onLost]) tell();
      await Promise.all([...state.all].map((attached) => attached.detach()));
    },
  };
}
