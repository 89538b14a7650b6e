/** Sends archives, and the meta entry that names them. */
import { LIMITS } from '@fixpoint/protocol';
import { type Archive, packArchive } from '../../archive/pack.ts';
import type { Head } from '../../clock/event.ts';
import type { Cid } from '../../codec/cid.ts';
import { remember } from '../ledger/remote-memory.ts';
import type { Session } from '../sync-session.ts';
import type { Connection } from '../transport/connection.ts';
import { inParallel, putArchive, putMeta } from '../transport/object-transfer.ts';
import { withRetries } from '../transport/transfer-retries.ts';
import type { Merging } from './merge-scheduler.ts';
import { createUploadPacker, type Parts, withoutHeaders } from './pack-upload.ts';
import { unlessGone } from './unsent-archives.ts';

/**
 * Sends archives and their meta entry. Returns whether the remote has the head now.
 * @throws FixpointError; unsent archives stay pending
 */
export async function sendArchives(
  session: Session,
  connection: Connection,
  merging: Merging,
  head: Head,
  unsent: readonly Cid[],
): Promise<boolean> {
  const { commits, memory, platform } = session;
  const packer = createUploadPacker();
  const carriers: Cid[] = [];
  for (const cid of unsent) {
    const blocks = await unlessGone(() => commits.blocksOf(cid));
    // Compaction merged this archive into another one. The next run finds the other archive, and no
    // meta has named a head that needs it yet.
    if (blocks === undefined) return false;
    packer.add(cid, withoutHeaders(blocks));
    if (packer.ready() >= LIMITS.uploadsParallelMax)
      await sendParts(session, connection, packer.takeReady(), carriers);
  }
  const { archives, covered, blocks } = packer.finish();
  const parts = archives.map(({ cid }) => [cid]);
  for (const group of parts) memory.expect(group);
  // In a sealed ledger, a part gets its name when it is sealed. The last archive announces the
  // name, so the parts are sent first.
  await putAll(session, connection, archives);
  // A merge of groups may have finished while the parts were sent. This header then names the
  // merged archive.
  const [cars, compact] = [[...parts, ...memory.groups()], merging.replaced()];
  const last = await packArchive({ cars, compact, head }, [session.sealing().mark(cars), ...blocks]);
  memory.expect([last.cid]);
  await putAll(session, connection, [last]);
  await putMeta(session, connection, last.cid, head, cars.flat());
  session.sealing().told();
  merging.told(compact);
  const now = platform.time.now();
  const rows = [
    ...memory.rowsOfGroups([...parts, ...memory.groupsIn('part')], 'live', now),
    ...memory.rowsOfMerged([last.cid], now + 1),
    ...memory.rowsOfSent(covered, [...carriers, ...parts.flat(), last.cid]),
    ...memory.rowsOfSeen(head),
  ];
  await remember(session, rows, covered);
  return true;
}

/**
 * Sends parts of a big upload. An interrupted upload resumes after these parts.
 * @param carriers the parts that were sent earlier; this function adds the new ones
 */
async function sendParts(
  session: Session,
  connection: Connection,
  parts: Parts,
  carriers: Cid[],
): Promise<void> {
  const { memory, platform } = session;
  const groups = parts.archives.map(({ cid }) => [cid]);
  await putAll(session, connection, parts.archives);
  for (const { cid } of parts.archives) carriers.push(cid);
  const rows = [
    ...memory.rowsOfGroups(groups, 'part', platform.time.now()),
    ...memory.rowsOfSent(parts.covered, carriers),
  ];
  await remember(session, rows, parts.covered);
}

function putAll(session: Session, connection: Connection, archives: readonly Archive[]): Promise<void> {
  return inParallel(archives, LIMITS.uploadsParallelMax, (archive) =>
    withRetries(session, connection, () => putArchive(session, connection, archive)),
  );
}
