import type { Metas } from '@fixpoint/protocol/storage';
import { type Archive, readArchiveHeader } from '../archive/pack.ts';
import { sortHead } from '../clock/event.ts';
import type { Cid } from '../codec/cid.ts';
import type { Commits } from '../commit/open.ts';
import { parseKeyText } from '../crypto/keys.ts';
import type { Platform } from '../ports/platform.ts';
import { decodeMetaEntry } from './meta-entry.ts';
import { DOWNLOADS_PARALLEL_MAX, getArchive, inParallel } from './objects.ts';
import { decodeRemoteRecord, encodeRemoteRecord, joinGroups } from './remote-record.ts';
import type { Connection, Target } from './transport/connection.ts';

/** Keys of other members come with the metas. One that is none is left out: it can open nothing. */
export async function learnKeys(commits: Commits, { keys }: Metas): Promise<void> {
  const parsed = keys.flatMap((text) => {
    try {
      return [parseKeyText(text)];
    } catch {
      return [];
    }
  });
  await commits.keys.learn(parsed);
}

/** Fetches what one meta entry names and merges its head, in one durable step. @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN ...; nothing is merged then */
export async function downloadEntry(
  commits: Commits,
  platform: Platform,
  target: Target,
  remoteId: string,
  connection: Connection,
  entry: Metas['metas'][number],
): Promise<void> {
  const group = decodeMetaEntry(entry);
  const record = decodeRemoteRecord(await commits.remoteRecord(remoteId));
  const known = new Set(record.groups.map((one) => one.join()));
  if (known.has(group.join())) return;
  const keys = commits.keys.keys().all;
  const fetchAll = (cids: readonly Cid[]) =>
    inParallel(cids, DOWNLOADS_PARALLEL_MAX, (cid) =>
      getArchive(connection, target, platform.network, cid, keys),
    );
  const own = await fetchAll(group);
  const header = readArchiveHeader((own[0] as Archive).bytes);
  const missing = header.cars.filter((one) => !known.has(one.join())).flat();
  const others = await fetchAll(missing.filter((cid) => !group.includes(cid) && !commits.hasArchive(cid)));
  await commits.mergeRemote({
    head: sortHead(header.head),
    archives: [...own, ...others],
    remoteId,
    remoteRecord: encodeRemoteRecord({
      ...record,
      groups: joinGroups([group, ...header.cars], record.groups, header.compact),
    }),
  });
}
