/** The membership log of a ledger, as applications see it. */
import type { ErrorCode } from '@fixpoint/protocol';
import type { Role } from '@fixpoint/protocol/storage';

/** A member of a ledger with a membership log. */
export interface LedgerMember {
  /** The id of the user, which the person who admitted them confirmed. */
  readonly user: string;
  /** The name that the person who admitted them confirmed. */
  readonly name: string;
  /** The name that the user of this device gave to the member; absent without one. */
  readonly yourName?: string;
  readonly role: Role;
  /** Whether this device belongs to the member. */
  readonly isYou: boolean;
  /** The name of the person who admitted this one; undefined for the founder. */
  readonly admittedBy: string | undefined;
  /**
   * When this device last heard of the member, in ms since 1970: the time of their newest entry or
   * greeting, or that of its arrival if that was earlier. Absent if it never did.
   */
  readonly heardAt?: number;
}

/** An entry of the log that has no effect. */
interface IgnoredEntry {
  /** Hex text. */
  readonly id: string;
  /** The id of a rule in docs/internals/membership-rules.md. */
  readonly rule: string;
  /** The name of the person who signed it, if it is known. */
  readonly signer: string | undefined;
}

/** Two entries that contradict each other, or of which the server shows only one. */
export interface LedgerFork {
  /**
   * `logs`: the server showed two logs of one ledger. `copies`: a device signed two entries as its
   * next one, so there are two copies of it. `withheld`: the server withholds an entry that another
   * one names.
   */
  readonly kind: 'logs' | 'copies' | 'withheld';
  /**
   * The ids of both entries in hex: two `start` entries, two entries of a device, or the missing
   * entry and the one that names it.
   */
  readonly sides: readonly [string, string];
  /** The name of the person whose device it is, if it is known. */
  readonly signer: string | undefined;
}

/** An event that the server sent, and that a ledger with a membership log doesn't count. */
export interface WithheldEvent {
  readonly event: string;
  /**
   * `unknown device`: the log has no such device. `not signed`: that device didn't sign it. `names
   * nothing`: it was written before the device knew the log. `unknown entry`: it names an entry of
   * the log that isn't here. `removed`: its author was removed before others had it. `no right`:
   * its author may only read.
   */
  readonly reason: string;
  /** The name of the member who signed it, if anybody did. */
  readonly signer: string | undefined;
  /**
   * The earlier changes that don't count and that `approve` of this event accepts, too: at most
   * 100. Only with the 20 newest events, if `approve` can accept them.
   */
  readonly earlier?: EarlierChanges;
}

/** Numbers of changes by the names of the members who signed them, if anybody did. */
export type EarlierChanges = readonly {
  readonly signer: string | undefined;
  readonly count: number;
}[];

/** An entry of the log that a change of a member names, and that isn't here. */
export interface UnconfirmedEntry {
  /** Names the entry, and the key of the device that signed the change. */
  readonly id: string;
  /** The name of the member. */
  readonly member: string;
}

/** A device from before the membership log that its founder may add without a code. */
export interface EarlierDevice {
  /** Hex text. */
  readonly id: string;
  /** The id of its user, as the server reports it. */
  readonly user: string;
}

/** A request of a member for a recovery code. */
export interface LedgerCodeRequest {
  /** Hex text. */
  readonly id: string;
  readonly user: string;
  /** The name of the member. */
  readonly name: string | undefined;
  /** Whether it is your own request. */
  readonly isYou: boolean;
}

/** The state of a ledger's membership log on a device. */
export interface LedgerLog {
  /** The id of the log in hex. */
  readonly id: string;
  /**
   * Whether this device has the id from a device that it trusts. If not, it never administers, and
   * its writes wait from the first rotation of the log on.
   */
  readonly isCompared: boolean;
  /** The role of the person of this device; undefined if it isn't in the log. */
  readonly role: Role | undefined;
  readonly members: readonly LedgerMember[];
  readonly ignored: readonly IgnoredEntry[];
  /**
   * Contradictions in the log. They are also reported as LEDGER_FORKED, with both entries, and so
   * are entries that the server withholds for a minute.
   */
  readonly forks: readonly LedgerFork[];
  /**
   * 60 digits. Two people who see the same number see the same members with the same rights and
   * devices, and know the same entries of the log.
   */
  readonly safetyNumber: string;
  /**
   * Ids of devices and recovery codes in the log whose users have no access at the server any more,
   * as the server reports. An admin should remove them, if that is right: the server alone can't.
   */
  readonly withoutAccess: readonly string[];
  /**
   * The newest events that the server sent and that don't count, at most 1,000. They aren't part of
   * the database. An event counts once a member who may write builds on it, or the log changes. If
   * a member signed it, a user who may write accepts it, and all changes before it, by
   * `approve(event)`. That doesn't work for events that name an unknown entry.
   */
  readonly withheld: readonly WithheldEvent[];
  /**
   * Entries of the list that changes of members have named for a minute, and that the server
   * doesn't show. Until the user compares the safety number with each of these members, and
   * `compareLog(id, true, unconfirmed)` says so, `approve` rejects with LEDGER_NOT_COMPARED. Absent
   * if there are none.
   */
  readonly unconfirmed?: readonly UnconfirmedEntry[];
  /** Why this device seals nothing now, such as LEDGER_NOT_COMPARED; undefined if it may. */
  readonly waits: ErrorCode | undefined;
  /**
   * Devices from before the log, on the founder's first device only, for `approve(id, admission)`.
   * The server says whose they are, so none of them becomes an admin.
   */
  readonly earlierDevices?: readonly EarlierDevice[];
  /**
   * Requests of members for a recovery code, by the id that the code will have. An admin above the
   * member confirms one by `approve(id)`, after asking the member whether the request is theirs.
   */
  readonly codeRequests?: readonly LedgerCodeRequest[];
  /**
   * Since when this device heard of no other device, in ms since 1970, if that is longer than the
   * option `silentAfter`. Either nobody used the ledger, or the server withholds what they sent.
   */
  readonly silentSince?: number | undefined;
  /**
   * The names of members whose news claimed a time of more than 10 minutes after its arrival: their
   * clock is wrong, or that of this device.
   */
  readonly clocksAhead?: readonly string[];
}
