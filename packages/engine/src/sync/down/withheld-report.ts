/** Lists entries of a ledger that don't sync, and removes them for admins. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import type { WithheldEntry } from '../remote.ts';
import type { SyncParts, Waits } from '../sync-progress.ts';
import type { Session } from '../sync-session.ts';
import type { Connect } from '../transport/connection.ts';
import { ledgerFields } from '../transport/object-transfer.ts';
import { listedNow } from './ledger-holdings.ts';

/** Lists entries that don't sync. @throws FixpointError when the connection fails */
export async function withheldAt(session: Session, connect: Connect): Promise<readonly WithheldEntry[]> {
  const { listed, withheld } = await listedNow(session, connect);
  const unreadable: WithheldEntry[] = [];
  // Without the keys, this device can't read any entry.
  if (session.isReady())
    for (const entry of listed)
      if (!(await isReadable(session, entry))) unreadable.push({ cid: entry.cid, why: 'unreadable' });
  const known = withheld.map(({ cid, why, objects = [], author, since = '' }) => ({
    cid,
    why,
    ...(objects.length > 0 && { objects }),
    ...(author !== undefined && { author }),
    ...(!Number.isNaN(Date.parse(since)) && { since: Date.parse(since) }),
  }));
  return [...known, ...unreadable];
}

async function isReadable(session: Session, entry: MetaEntry): Promise<boolean> {
  try {
    await session.sealing().readEntry(entry);
    return true;
  } catch (cause) {
    if (!isFixpointError(cause)) throw cause;
    return cause.code !== 'CORRUPT';
  }
}

/**
 * Removes entries.
 * @throws FixpointError FORBIDDEN when the server keeps them, and any error of `connection.request`
 */
export async function removeEntries(
  { session, withheld: watched }: Pick<SyncParts, 'session' | 'withheld'>,
  connect: Connect,
  { connected }: Pick<Waits, 'connected'>,
  cids: readonly string[],
): Promise<void> {
  const connection = await connected();
  await connection.request('reqDelMeta', 'resDelMeta', {
    ...ledgerFields(session.target, 'meta', 'DELETE', 'main'),
    meta: { metas: cids.map((cid) => ({ cid, parents: [], data: '' })), keys: [] },
  });
  // The gateway silently keeps entries that the user may not remove.
  const { listed, withheld } = await listedNow(session, connect);
  const entries = [...listed, ...withheld.filter(({ why }) => why !== 'files')];
  const left = new Set(entries.map(({ cid }) => cid));
  if (cids.some((cid) => left.has(cid))) throw new FixpointError('FORBIDDEN');
  watched.forget(cids);
}
