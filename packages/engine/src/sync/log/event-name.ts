/**
 * Says which entry of the membership log the events of a device name: the only head, or the join of
 * all heads (docs/internals/membership-rules.md, "Events"). The local row contains this name (16
 * bytes), the id of the log (32 bytes) and the place of the log's rows. A device that sees a log
 * and doesn't follow it names zeros: it signs its events, so that it can vouch for them later.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { bytesOfHex, type EntryId } from '@fixpoint/protocol/storage';
import { concatBytes, equalBytes, hex, textOf, utf8 } from '../../base/bytes.ts';
import { ENTRY_NAME_BYTES } from '../../clock/stamp.ts';
import type { Commits } from '../../commit/commits-interface.ts';
import { LOG_NAME_ROW } from '../../commit/stamps.ts';
import type { Membership } from '../../membership/evaluate.ts';
import { type Joined, joined } from '../../membership/form/joins.ts';
import type { Followed } from './log-state.ts';
import { decodeOwn, encodeOwn, OWN_ROW, type OwnEventsParts, ownUnsigned } from './own-events.ts';

const ID_BYTES = 32;
const NO_NAME = new Uint8Array(ENTRY_NAME_BYTES);
const NO_LOG = new Uint8Array(ID_BYTES);

/** Returns the entry that an event names, and the joins that the list must have. */
export const namedBy = ({ heads }: Pick<Membership, 'heads'>): Joined => joined(heads, 1);

interface NamingParts extends OwnEventsParts {
  readonly local: Commits['local'];
  /** The prefix of the rows of the log. */
  readonly prefix: string;
  /** Creates the signing key of the database if needed. */
  readonly signer: () => Promise<unknown>;
}

/** Describes the log of a ledger, as far as the device knows it. */
interface Naming {
  /** The id of the log that the device follows. */
  readonly log: EntryId | undefined;
  /** The entry that events name; undefined if the device doesn't follow the log. */
  readonly name: EntryId | undefined;
  /** Whether the ledger has a log. */
  readonly hasLog: boolean;
}

/** Returns the name for events of a device that follows a log, or that doesn't. */
export function namingIn(
  log: Uint8Array | undefined,
  { followed, hasLog }: { followed(): Followed | undefined; hasLog(): boolean },
): Naming {
  const now = followed();
  const name = now && namedBy(now.view).ids[0];
  return { log: log && hex(log), name, hasLog: hasLog() };
}

type LocalName = Pick<NamingParts, 'local' | 'prefix'>;

/** Returns the stored name, and whether it belongs to the log of another ledger. */
async function storedName({ local, prefix }: LocalName) {
  const stored = await local.read(LOG_NAME_ROW);
  const isOther = stored !== undefined && textOf(stored.subarray(ENTRY_NAME_BYTES + ID_BYTES)) !== prefix;
  const log = stored?.subarray(ENTRY_NAME_BYTES, ENTRY_NAME_BYTES + ID_BYTES) ?? NO_LOG;
  return { stored, isOther, isNamed: isOther && !equalBytes(log, NO_LOG) };
}

/**
 * Requires that the events of this database don't name an entry of another ledger's log. Otherwise
 * the device couldn't follow a log that it starts here.
 * @throws FixpointError LEDGER_OTHER_LOG
 */
export async function requireNoOtherLog(parts: LocalName): Promise<void> {
  if ((await storedName(parts)).isNamed) throw otherLog();
}

const otherLog = () =>
  new FixpointError('LEDGER_OTHER_LOG', 'the database belongs to another ledger with a log');

/**
 * Makes the events of this database name an entry of a log. Before that, stores which unsigned
 * events belong to this device.
 * @throws FixpointError LEDGER_OTHER_LOG if they name an entry of another ledger's log
 */
export async function nameEvents(
  { local, prefix, signer, ...own }: NamingParts,
  { log, name, hasLog }: Naming,
): Promise<void> {
  const { stored, isOther, isNamed } = await storedName({ local, prefix });
  if (!hasLog) {
    if (stored !== undefined && !isOther) await local.write([{ name: LOG_NAME_ROW, bytes: undefined }]);
    return;
  }
  if (isNamed) {
    if (log === undefined) return;
    throw otherLog();
  }
  try {
    await signer();
  } catch (cause) {
    if (!isFixpointError(cause, 'NOT_IMPLEMENTED')) throw cause;
    return;
  }
  const entry = name === undefined ? NO_NAME : bytesOfHex(name).subarray(0, ENTRY_NAME_BYTES);
  const bytes = concatBytes([entry, log === undefined ? NO_LOG : bytesOfHex(log), utf8(prefix)]);
  if (stored !== undefined) {
    if (!equalBytes(stored, bytes)) await local.write([{ name: LOG_NAME_ROW, bytes }]);
    return;
  }
  const known = decodeOwn(await local.read(OWN_ROW));
  const events = encodeOwn([...known, ...(await ownUnsigned(own))]);
  const rows = [
    { name: OWN_ROW, bytes: events },
    { name: LOG_NAME_ROW, bytes },
  ];
  // If another tab or process wrote these rows first, its events count.
  await local.write(rows, { name: LOG_NAME_ROW, bytes: undefined });
}
