/**
 * Finds the events that this device wrote before it saw a membership log (E6 in
 * docs/internals/membership-rules.md). Later ones have its signature.
 */
import { isFixpointError } from '@fixpoint/protocol';
import { mergeHeads } from '../../clock/advance.ts';
import { type Head, sortHead } from '../../clock/event.ts';
import { isSigned } from '../../clock/stamp.ts';
import { type Cid, parseCid } from '../../codec/cid.ts';
import { asArray, asText, decode, encode } from '../../codec/dag-cbor.ts';
import type { Commits } from '../../commit/commits-interface.ts';
import type { RemoteMemory } from '../ledger/remote-memory.ts';

/**
 * The local row with these events. The server can make this device send archives of others again,
 * so later on, an archive doesn't show who wrote its events.
 */
export const OWN_ROW = 'log-own-events';

export interface OwnEventsParts {
  readonly commits: Pick<Commits, 'archiveOf' | 'pendingUploads' | 'readers' | 'snapshot'>;
  /** Returns whether this device created an archive that it sent to the ledger. */
  readonly hasSent: (archive: Cid) => boolean;
}

/** Returns {@link OwnEventsParts.hasSent}. The row of a received archive names no archives. */
export const sentBy =
  ({ sentRow }: Pick<RemoteMemory, 'sentRow'>): OwnEventsParts['hasSent'] =>
  (archive) =>
    (sentRow(archive)?.length ?? 0) > 0;

/**
 * Returns the newest unsigned events in archives of this device. Call this only until the device
 * sees a log: until then, it accepts all events, and builds on them.
 */
export async function ownUnsigned({ commits, hasSent }: OwnEventsParts): Promise<Head> {
  const read = commits.readers.event;
  const pending = new Set(await commits.pendingUploads());
  const isOwn = (cid: Cid) => {
    const archive = commits.archiveOf(cid);
    return archive !== undefined && (pending.has(archive) || hasSent(archive));
  };
  const [found, seen]: [Cid[], Set<Cid>] = [[], new Set()];
  const open: Cid[] = [...commits.snapshot().head];
  for (let cid = open.pop(); cid !== undefined; cid = open.pop()) {
    if (seen.has(cid)) continue;
    seen.add(cid);
    const event = await read(cid).catch((cause) => {
      if (!isFixpointError(cause, 'MISSING_BLOCK')) throw cause;
    });
    if (event === undefined) continue;
    if (!isSigned(event.by) && isOwn(cid)) found.push(cid);
    else for (const parent of event.parents) open.push(parent);
  }
  return mergeHeads(sortHead(found), sortHead([]), read);
}

export const encodeOwn = (events: Iterable<Cid>): Uint8Array => encode([...events]);

/** @throws FixpointError CORRUPT */
export const decodeOwn = (bytes: Uint8Array | undefined): ReadonlySet<Cid> =>
  new Set(bytes === undefined ? [] : asArray(decode(bytes)).map((text) => parseCid(asText(text))));
