/**
 * Uploads objects again that entries of the remote need and that are missing or damaged at the
 * remote.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { textOf } from '../../base/bytes.ts';
import type { Cid } from '../../codec/cid.ts';
import type { StoreChange } from '../../ports/byte-store.ts';
import type { ArchiveGroup } from '../ledger/ledger-sealing.ts';
import type { RemoteMemory } from '../ledger/remote-memory.ts';
import type { Session } from '../sync-session.ts';
import type { Connection } from '../transport/connection.ts';
import { putObject } from '../transport/object-transfer.ts';

/**
 * Records that the remote lacks these objects, which puts their content back into the upload queue.
 * An unchanged archive of an open-key ledger is uploaded at once under its name, which also repairs
 * other devices' entries. Returns how many of the objects this device had counted as held by the
 * remote.
 * @param names as `car/<key>` or `file/<key>`
 * @throws FixpointError GATEWAY_PUT, or when the link fails
 */
export async function healObjects(
  session: Session,
  connection: Connection,
  names: readonly string[],
): Promise<number> {
  const { commits, memory, platform } = session;
  const wanted = new Set(names);
  const isWanted = (store: string) => (cid: Cid) => {
    const name = session.sealing().nameOf(cid);
    return name !== undefined && wanted.has(`${store}/${name}`);
  };
  const files = memory.heldFiles().filter(isWanted('file'));
  const lost: Cid[] = [];
  let sent = 0;
  for (const cid of memory.heldArchives().filter(isWanted('car'))) {
    // An object of a sealed ledger can't be recreated: each sealing produces different bytes, and
    // so a different name.
    const bytes = session.sealing().kind === 'open-key' ? await plainOf(session, cid) : undefined;
    if (bytes !== undefined && (await isSent(() => putObject(session, connection, 'car', { cid, bytes }))))
      sent += 1;
    else lost.push(cid);
  }
  const found = lost.length + files.length + sent;
  if (found > 0) platform.report(new FixpointError('MISSING_CARS', `at the ledger: ${found}, sent again`));
  if (lost.length === 0 && files.length === 0) return found;
  const rows = rowsOfLost(memory, lost, files, platform.time.now());
  await commits.markUploaded([], rows);
  memory.learned(rows);
  memory.forget(lost);
  session.sealing().tellAgain();
  return found;
}

/**
 * Uploads an archive under its name. Returns false when the remote keeps damaged bytes under this
 * name; the content is then sent under another name.
 */
async function isSent(put: () => Promise<void>): Promise<boolean> {
  try {
    await put();
    return true;
  } catch (cause) {
    if (isFixpointError(cause, 'CORRUPT') || isFixpointError(cause, 'KEY_UNKNOWN')) return false;
    throw cause;
  }
}

async function plainOf({ commits }: Session, cid: Cid): Promise<Uint8Array | undefined> {
  if (!commits.hasArchive(cid)) return undefined;
  try {
    return await commits.plainArchive(cid);
  } catch (cause) {
    // Compaction removed the archive, or it can't be read here either.
    if (isFixpointError(cause)) return undefined;
    throw cause;
  }
}

/**
 * Returns the rows that forget archives and files that the remote lost, so that their content is
 * sent again.
 */
function rowsOfLost(
  memory: RemoteMemory,
  archives: readonly Cid[],
  files: readonly Cid[],
  at: number,
): readonly StoreChange[] {
  const lost = new Set(archives);
  const isLost = (cids: ArchiveGroup) => cids.some((cid) => lost.has(cid));
  const groups = memory.allGroups().filter(({ cids }) => isLost(cids));
  const rows = [
    ...files.map((cid) => ({ key: `${memory.prefix}file/${cid}`, bytes: undefined })),
    ...groups.map(({ cids }) => ({ key: `${memory.prefix}group/${cids[0]}`, bytes: undefined })),
  ];
  if (!groups.some(({ state }) => state === 'live' || state === 'part')) return rows;
  // Groups that were merged into a lost group are needed again.
  const needed = memory.groupsIn('replaced').filter((cids) => !isLost(cids));
  const wasCarried = (cid: Cid): boolean => {
    const carriers = textOf(memory.sentRow(cid) ?? new Uint8Array());
    return carriers === '' || archives.some((one) => carriers.includes(one));
  };
  return [
    ...rows,
    ...memory.rowsOfGroups(needed, 'live', at),
    ...memory.rowsOfGone(memory.sentArchives().filter(wasCarried)),
  ];
}
