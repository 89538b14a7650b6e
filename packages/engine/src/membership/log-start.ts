/**
 * Decides which log a device follows, and from when on (docs/internals/membership-rules.md,
 * "Start").
 */
import type { EntryId, Role } from '@fixpoint/protocol/storage';

export interface ChosenStart {
  readonly start: EntryId;
  /** Whether the device knows the id from a grant, or its user compared the safety number. */
  readonly isCompared: boolean;
}

/**
 * Returns the log that a device follows (L2). A device that knows the id of its log never chooses
 * between two logs.
 * @param known the id that the device stored
 * @param starts the `start` entries in the list
 */
export function chosenStart(known: EntryId | undefined, starts: readonly EntryId[]): ChosenStart | undefined {
  if (known !== undefined) return { start: known, isCompared: true };
  const [start] = starts;
  return starts.length === 1 && start !== undefined ? { start, isCompared: false } : undefined;
}

/**
 * - `follow`: the device follows the log.
 * - `as before`: it withholds no event, and seals under the key that it has.
 * - `wait`: its writes wait, and it reports `LEDGER_NOT_COMPARED`.
 */
export type Conduct = 'follow' | 'as before' | 'wait';

/** Returns what a device does about a log (L3). */
export function conductOf({
  isCompared,
  hadDataKey,
  hasRotation,
}: {
  readonly isCompared: boolean;
  /** Whether the device had a data key before it saw the log. */
  readonly hadDataKey: boolean;
  /** Whether the list has a rotation of this log. */
  readonly hasRotation: boolean;
}): Conduct {
  if (isCompared || !hadDataKey) return 'follow';
  return hasRotation ? 'wait' : 'as before';
}

/**
 * Returns whether a database may be attached to a ledger (E8).
 * @param logOfDatabase the log of the ledger that the database is attached to
 * @param logOfLedger the log of the other ledger
 */
export const mayAttach = (logOfDatabase: EntryId | undefined, logOfLedger: EntryId | undefined): boolean =>
  logOfDatabase === undefined || logOfLedger === undefined || logOfDatabase === logOfLedger;

interface ReportedOwner {
  readonly user: string;
  readonly name: string;
  readonly role: Role;
}

/** Facts about an owner that the user of the migrating device confirmed. */
export interface Confirmation {
  readonly name?: string | undefined;
  readonly role?: 'read' | 'write' | undefined;
  /** Whether the user compared the code of the owner's device. */
  readonly isCompared?: boolean | undefined;
}

/**
 * Returns how owners that the gateway reports are admitted (L5). The gateway's role never decides.
 */
export function migratedOwners(
  reported: readonly ReportedOwner[],
  confirmations: ReadonlyMap<string, Confirmation>,
): { user: string; name: string; role: Role; seen: boolean }[] {
  return reported.map(({ user, name }) => {
    const { name: confirmed = name, role = 'read', isCompared = false } = confirmations.get(user) ?? {};
    return { user, name: confirmed, role, seen: isCompared };
  });
}
