/** What a database remembers of a remote: JSON `{v: 1, groups, complete}`. */
import { FixpointError } from '@fixpoint/protocol';
import { textOf, utf8 } from '../base/bytes.ts';
import { type Cid, parseCid } from '../codec/cid.ts';
import { sha256 } from '../codec/sha256.ts';

export type ArchiveGroup = readonly Cid[];

export interface RemoteRecord {
  /** Archive groups that the remote holds and whose blocks this database has, newest first. */
  readonly groups: readonly ArchiveGroup[];
  /** Whether everything from before the first attach was sent. */
  readonly complete: boolean;
}

export function remoteIdOf(gateway: URL, tenant: string, ledger: string): string {
  const hash = sha256(utf8(JSON.stringify([gateway.origin, tenant, ledger])));
  return Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export const encodeRemoteRecord = (record: RemoteRecord): Uint8Array =>
  utf8(JSON.stringify({ v: 1, ...record }));

/** @throws FixpointError CORRUPT, FORMAT_NEWER */
export function decodeRemoteRecord(bytes: Uint8Array | undefined): RemoteRecord {
  if (bytes === undefined) return { groups: [], complete: false };
  try {
    const { v, groups, complete } = JSON.parse(textOf(bytes)) as {
      v: unknown;
      groups: unknown[][];
      complete: unknown;
    };
    if (v !== 1) throw new FixpointError('FORMAT_NEWER', 'remote record');
    return { groups: groups.map((group) => group.map(parseCid)), complete: complete === true };
  } catch (cause) {
    throw cause instanceof FixpointError ? cause : new FixpointError('CORRUPT', 'remote record', { cause });
  }
}

/** The groups with new ones in front, without those that a compaction replaced. */
export function joinGroups(
  fresh: readonly ArchiveGroup[],
  known: readonly ArchiveGroup[],
  replaced: readonly ArchiveGroup[] = [],
): ArchiveGroup[] {
  const gone = new Set(replaced.map((group) => group.join()));
  const byText = new Map([...fresh, ...known].map((group) => [group.join(), group]));
  return [...byText].filter(([text]) => !gone.has(text)).map(([, group]) => group);
}
