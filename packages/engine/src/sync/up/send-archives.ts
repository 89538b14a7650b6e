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
import { createUploadPacker, type Parts, type UploadPacker, withoutHeaders } from './pack-upload.ts';
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
  const { memory, platform } = session;
  const packer = createUploadPacker();
  const packed = packedParts(session, packer, unsent);
  // Later parts are read and packed while earlier ones are sent.
  await inParallel(packed.parts, LIMITS.uploadsParallelMax, (part) => sendPart(session, connection, part));
  // Compaction merged an archive into another one. The next run finds the other archive, and no
  // meta has named a head that needs it yet.
  if (packed.isInterrupted()) return false;
  const { archives, covered, blocks } = packer.finish();
  const parts = archives.map(({ cid }) => [cid]);
  for (const group of parts) memory.expect(group);
  // In a sealed ledger, a part gets its name when it is sealed. The last archive announces the
  // name, so the parts are sent first.
  await inParallel(archives, LIMITS.uploadsParallelMax, (archive) => put(session, connection, archive));
  // A merge of groups may have finished while the parts were sent. This header then names the
  // merged archive.
  const [cars, compact] = [[...parts, ...memory.groups()], merging.replaced()];
  const last = await packArchive({ cars, compact, head }, [session.sealing().mark(cars), ...blocks]);
  memory.expect([last.cid]);
  await put(session, connection, last);
  await putMeta(session, connection, last.cid, head, cars.flat());
  session.sealing().told();
  merging.told(compact);
  const now = platform.time.now();
  const rows = [
    ...memory.rowsOfGroups([...parts, ...memory.groupsIn('part')], 'live', now),
    ...memory.rowsOfMerged([last.cid], now + 1),
    ...memory.rowsOfSent(covered, [...parts.flat(), last.cid]),
    ...memory.rowsOfSeen(head),
  ];
  await remember(session, rows, covered);
  return true;
}

/** One archive of the parts, and how many of the others aren't sent yet. */
interface Part {
  readonly archive: Archive;
  readonly of: Parts & { left: number };
}

/**
 * Packs archives into parts.
 * @param packer keeps what is too little for a separate part
 */
function packedParts({ commits }: Session, packer: UploadPacker, unsent: readonly Cid[]) {
  let isInterrupted = false;
  async function* parts(): AsyncGenerator<Part> {
    for (const cid of unsent) {
      const blocks = await unlessGone(() => commits.blocksOf(cid));
      isInterrupted = blocks === undefined;
      if (blocks === undefined) return;
      packer.add(cid, withoutHeaders(blocks));
      const ready = packer.takeReady();
      const of = { ...ready, left: ready.archives.length };
      for (const archive of ready.archives) yield { archive, of };
    }
  }
  return { parts: parts(), isInterrupted: () => isInterrupted };
}

/**
 * Sends a part of a big upload. Records the parts once all of them are sent, because together they
 * contain whole archives. An interrupted upload resumes after them.
 */
async function sendPart(session: Session, connection: Connection, { archive, of }: Part): Promise<void> {
  const { memory, platform } = session;
  await put(session, connection, archive);
  of.left -= 1;
  if (of.left > 0) return;
  const groups = of.archives.map(({ cid }) => [cid]);
  const rows = [
    ...memory.rowsOfGroups(groups, 'part', platform.time.now()),
    ...memory.rowsOfSent(of.covered, groups.flat()),
  ];
  await remember(session, rows, of.covered);
}

const put = (session: Session, connection: Connection, archive: Archive): Promise<void> =>
  withRetries(session, connection, () => putArchive(session, connection, archive));
