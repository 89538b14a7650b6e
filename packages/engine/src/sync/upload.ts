import { LIMITS } from '@fixpoint/protocol';
import type { Commits } from '../commit/open.ts';
import { keyText } from '../crypto/keys.ts';
import type { Platform } from '../ports/platform.ts';
import { encodeMetaEntry } from './meta-entry.ts';
import { inParallel, ledgerFields, putArchive } from './objects.ts';
import { packUpload, withoutHeader } from './pack-upload.ts';
import { decodeRemoteRecord, encodeRemoteRecord } from './remote-record.ts';
import type { Connection, Target } from './transport/connection.ts';

/** Sends what waits, in one step that the remote sees whole. Gives whether there was something. @throws FixpointError; what waits stays queued */
export async function uploadPending(
  commits: Commits,
  platform: Platform,
  target: Target,
  remoteId: string,
  connection: Connection,
): Promise<boolean> {
  // The head first: whatever is committed after it only adds blocks that it does not need.
  const { head } = commits.snapshot();
  const record = decodeRemoteRecord(await commits.remoteRecord(remoteId));
  const known = new Set(record.groups.flat());
  const pending = (record.complete ? await commits.pendingUploads() : commits.archiveIds()).filter(
    (cid) => !known.has(cid),
  );
  if (pending.length === 0 && record.complete) return false;
  const blocks = (
    await Promise.all(pending.map(async (cid) => withoutHeader(await commits.blocksOf(cid))))
  ).flat();
  if (blocks.length === 0) {
    await commits.markUploaded(pending, remoteId, encodeRemoteRecord({ ...record, complete: true }));
    return false;
  }
  const pack = packUpload(blocks, head, record.groups);
  const keys = commits.keys.keys();
  await inParallel(pack.archives, LIMITS.uploadsParallelMax, (archive) =>
    withRetries(platform, () => putArchive(connection, target, platform.network, archive, keys)),
  );
  await connection.request('reqPutMeta', 'resPutMeta', {
    ...ledgerFields(target, 'meta', 'PUT', 'main'),
    meta: { metas: [encodeMetaEntry([pack.last.cid])], keys: [...keys.all.values()].map(keyText) },
  });
  await commits.markUploaded(pending, remoteId, encodeRemoteRecord({ groups: pack.groups, complete: true }));
  return true;
}

/** Five quick tries; after that the caller backs off and starts again. */
async function withRetries(platform: Platform, work: () => Promise<void>): Promise<void> {
  for (let retry = 0; ; retry++) {
    try {
      return await work();
    } catch (cause) {
      if (retry >= LIMITS.uploadRetriesMax) throw cause;
      await new Promise<void>(
        (resolve) => void platform.time.after(LIMITS.retryFirstDelayMs * 2 ** retry, resolve),
      );
    }
  }
}
