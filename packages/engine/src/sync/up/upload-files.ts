/**
 * Sends attached files before the documents that refer to them, so that any device with a document
 * can read its files.
 */
import { type FixpointError, isFixpointError, LIMITS } from '@fixpoint/protocol';
import type { Cid } from '../../codec/cid.ts';
import { asFailure } from '../failures.ts';
import { remember } from '../ledger/remote-memory.ts';
import type { Session } from '../sync-session.ts';
import type { Connection } from '../transport/connection.ts';
import { inParallel, putObject } from '../transport/object-transfer.ts';
import { withRetries } from '../transport/transfer-retries.ts';

/** Returns the file archives on this device that the remote may lack: the upload queue of files. */
export const unsentFiles = ({ commits, memory }: Session): Cid[] =>
  [...commits.files.list()].filter((cid) => !memory.holdsFile(cid));

/**
 * Sends each archive, and records it once the remote has it. If an archive is damaged or the remote
 * rejects it, sends the others and returns the reason.
 * @throws FixpointError when the link fails
 */
export async function sendFiles(
  session: Session,
  connection: Connection,
  files: readonly Cid[],
  onProgress: (left: number) => void,
): Promise<FixpointError | undefined> {
  let failure: FixpointError | undefined;
  let left = files.length;
  await inParallel(files, LIMITS.uploadsParallelMax, async (cid) => {
    try {
      await sendFile(session, connection, cid);
    } catch (cause) {
      if (session.connection() !== connection || !isOfOneObject(cause)) throw cause;
      failure ??= asFailure(cause);
      return;
    }
    left -= 1;
    onProgress(left);
  });
  return failure;
}

async function sendFile(session: Session, connection: Connection, cid: Cid): Promise<void> {
  const { commits, memory } = session;
  let bytes: Uint8Array;
  try {
    bytes = await commits.files.readHere(cid);
  } catch (cause) {
    // The archive was removed, because no document refers to it any more.
    if (isFixpointError(cause, 'MISSING_CARS')) return;
    throw cause;
  }
  await withRetries(session, connection, () => putObject(session, connection, 'file', { cid, bytes }));
  await remember(session, memory.rowsOfFiles([cid]));
}

const isOfOneObject = (cause: unknown): boolean =>
  isFixpointError(cause, 'GATEWAY_PUT') ||
  isFixpointError(cause, 'GATEWAY_GET') ||
  isFixpointError(cause, 'CORRUPT') ||
  isFixpointError(cause, 'KEY_UNKNOWN');
