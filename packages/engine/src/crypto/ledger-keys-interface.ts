/** The interface to the keys of a sealed ledger for the rest of the engine. */
import type { ErrorCode } from '@fixpoint/protocol';
import type { Role, Signer } from '@fixpoint/protocol/storage';
import type { KeyPair, OpenKeyPair } from '../base/p256.ts';
import type { Said } from './announced-devices.ts';
import type { LogRecovery } from './grant.ts';
import type { LogPlan } from './known-keys.ts';
import type { LedgerKey } from './sealed-object.ts';

/** A device of a sealed ledger. */
export interface LedgerDevice {
  /** Hex text; the device's code starts with the same id. */
  readonly id: string;
  readonly isThis: boolean;
  /** Whether this is a recovery code rather than a device. */
  readonly isRecovery: boolean;
  /** The id of the user who announced the device; undefined if the server doesn't report it. */
  readonly owner: string | undefined;
  /** Whether the owner is the user who announced this device. */
  readonly isOwn: boolean;
  /**
   * When the device was announced, or added to the membership log, in ms since 1970; undefined if
   * the server doesn't report it.
   */
  readonly since: number | undefined;
  /** The name of the owner in the membership log; absent without one. */
  readonly name?: string | undefined;
  /** The name of the person who added the device to the membership log; absent for the founder. */
  readonly approvedBy?: string | undefined;
  /**
   * Whether the device has the current key without being in the membership log. It doesn't get the
   * next key. Such devices are from before the log, or somebody gave them the key.
   */
  readonly isUnlisted?: true;
  /** As in {@link LedgerMember}, for the device alone; absent without a log, or if never heard. */
  readonly heardAt?: number;
}

/** A member of a ledger with a membership log. */
export interface LedgerMember {
  /** The id of the user, which the person who admitted them confirmed. */
  readonly user: string;
  readonly name: string;
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
   * the database. An event counts once a member who may write builds on it, or the log changes.
   */
  readonly withheld: readonly WithheldEvent[];
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

/** The state of a sealed ledger's keys on a device. */
export interface LedgerKeyring {
  /** The id of the key that seals new data; undefined before this device was approved. */
  readonly current: string | undefined;
  /** Number of keys on this device. It grows by one each time a device or a member is removed. */
  readonly count: number;
  /** Whether any recovery code opens the ledger. */
  readonly hasRecoveryCode: boolean;
  /** Ids of devices that ask for approval and were never approved. */
  readonly asking: readonly string[];
  /** The membership log of the ledger; absent without one. */
  readonly log?: LedgerLog;
  /**
   * The ids of listed logs that this device ignores. Such a log prevents new keys. An admin of the
   * tenant can withdraw it by `compareLog(id, false)` while it has no other entry.
   */
  readonly otherLogs?: readonly string[];
}

/** How a ledger with a membership log admits a person. */
export interface LedgerAdmission {
  /** The name that members see. Confirm that it is the person who showed you the code. */
  readonly name: string;
  readonly role: Role;
}

/** How a user replaces their recovery code in a ledger with a membership log. */
export interface ReplacedCode {
  /** The code that is valid until now. */
  readonly previous: string;
  /** The next code, from `newLogCode`, which the user has saved. */
  readonly code: string;
}

/** The pairs of a recovery code. */
export interface CodePairs {
  /** Receives data keys. */
  readonly sealing: OpenKeyPair;
  /** Signs entries of the membership log; absent in codes of ledgers without one. */
  readonly signing?: OpenKeyPair;
}

/** Records that are no longer needed. */
export interface SupersededRecords {
  /** Records to add to the list before the others are removed. */
  readonly first: readonly string[];
  readonly superseded: readonly string[];
}

/**
 * Methods that return records return texts for the `keys` list of the ledger. A record takes effect
 * when `learn` receives its text.
 */
export interface LedgerKeys {
  all(): ReadonlyMap<string, LedgerKey>;
  /**
   * Returns the key that seals new data.
   * @throws FixpointError DEVICE_NOT_APPROVED when there is none, or this device was removed
   */
  current(): LedgerKey;
  isApproved(): boolean;
  /** Returns the code that another device needs to approve this one. */
  code(): string;
  /**
   * Learns the texts of a `keys` list, and what the server reports about them. Returns whether a
   * key is new, or became the current one.
   */
  learn(texts: readonly string[], said?: Said): Promise<boolean>;
  devices(): readonly LedgerDevice[];
  keyring(): LedgerKeyring;
  /** Returns the record that asks for approval. */
  announcement(): string;
  /** Returns whether somebody with access announced this device, according to the list. */
  isAnnounced(): boolean;
  /**
   * Returns records of the current key that are missing from the list, for example after the server
   * was restored from an older copy. The rotation comes first. Omits recovery codes of other users.
   * Each group of texts belongs into one request.
   */
  lost(listed: ReadonlySet<string>): readonly (readonly string[])[];
  /** Creates the first key of a new ledger. */
  create(): Promise<readonly string[]>;
  /**
   * Returns the records that approve the device with this code. In a ledger with a membership log,
   * also returns the entry that adds the device to its person, or admits the person.
   * @throws FixpointError REQUEST_INVALID for a mistyped code, NOT_FOUND when that device has not
   * asked, DEVICE_NOT_APPROVED, LIMIT_REACHED; in a ledger with a log also FORBIDDEN,
   * LEDGER_NOT_COMPARED, and REQUEST_INVALID without an admission for a person who isn't a member
   */
  grant(code: string, admission?: LedgerAdmission): Promise<readonly string[]>;
  /**
   * Creates a grant for a device that the membership log names.
   * @param secret known only to this device and the device that receives the grant
   */
  grantToDevice(pub: Uint8Array, secret: Uint8Array): Promise<string>;
  /** Creates a grant of the current key for a seat of the membership log (D4). */
  grantToSeat(pub: Uint8Array): Promise<string>;
  /**
   * Returns grants of the current key for seats of the membership log that have no record with it,
   * for example because somebody rotated the key without knowing of them.
   */
  missingGrants(): Promise<readonly string[]>;
  /** Returns the entries that confirm that others left, if that is up to this device (C4). */
  confirmLeaves(): Promise<readonly string[]>;
  /** Returns the secret of the pending request of this device. */
  secret(): Uint8Array;
  /**
   * Returns whether somebody with access announced this public key, as the server reports;
   * undefined if the server doesn't report it.
   */
  hasAccess(pub: Uint8Array): boolean | undefined;
  /** Returns the user id of the user who announced this device, as the server reports it. */
  user(): string | undefined;
  /** Returns whether a record gives the current key to a device. */
  hasCurrent(pub: Uint8Array): boolean;
  /**
   * Returns the record by which this device consents to be added to the membership log; undefined
   * if the ledger has no log, or if the list has the record.
   */
  consent(): Promise<string | undefined>;
  /** Returns the greeting of this device, if one is due (N2). */
  greeting(): Promise<string | undefined>;
  /** Returns whether a device that shows this code asked, and can't be added to a log. */
  asks(code: string): boolean;
  /** Returns whether the device with this code has the current key. */
  isIn(code: string): boolean;
  /**
   * Creates a new data key for all announced devices except these. In a ledger with a membership
   * log, also removes these devices from the log, and returns the entries, too.
   * @throws FixpointError DEVICE_NOT_APPROVED; in a ledger with a log also NOT_FOUND, and FORBIDDEN
   * if the rules of the log don't let this device remove them
   */
  rotate(removedIds: readonly string[]): Promise<readonly string[]>;
  /**
   * Creates a new data key that excludes devices and recovery codes that nobody with access
   * announced. Returns nothing when none of them has the current key. Never excludes this device.
   * In a ledger with a membership log, returns a rotation if somebody was removed since the last
   * one.
   */
  rotateAway(): Promise<readonly string[]>;
  /**
   * Returns records that lead from the current key to keys that no other record leads to. Usually
   * there are none.
   */
  links(): Promise<readonly string[]>;
  /**
   * Returns superseded records that earlier calls didn't return, or undefined while there are few.
   */
  supersededRecords(): Promise<SupersededRecords | undefined>;
  /**
   * Creates a recovery code, and returns it with its records. In a ledger with a membership log,
   * they ask an admin to add the code to the log.
   * @throws FixpointError DEVICE_NOT_APPROVED, LIMIT_REACHED; in a ledger with a log also FORBIDDEN
   * for the founder, and LEDGER_NOT_COMPARED
   */
  newRecoveryCode(): Promise<{ readonly code: string; readonly records: readonly string[] }>;
  /**
   * Returns the records by which the current recovery code of the user names its successor.
   * @throws FixpointError REQUEST_INVALID for a mistyped code, KEY_UNKNOWN when the current code
   * opens no keys, DEVICE_NOT_APPROVED if it was spent or removed, FORBIDDEN if it belongs to
   * somebody else or added this device, LEDGER_NOT_COMPARED; NOT_IMPLEMENTED without a log
   */
  replaceCode(codes: ReplacedCode): Promise<readonly string[]>;
  /**
   * Learns the keys that a recovery code opens. Returns the records that approve this device. In a
   * ledger with a membership log, the code signs an entry that adds this device to its person.
   * @throws FixpointError REQUEST_INVALID, KEY_UNKNOWN when the code opens no keys; in a ledger
   * with a log also DEVICE_NOT_APPROVED if the code was spent or removed
   */
  recover(code: string): Promise<readonly string[]>;
  /**
   * Learns the keys that a recovery code opens, and returns the pairs of the code.
   * @throws FixpointError REQUEST_INVALID, KEY_UNKNOWN when the code opens no keys
   */
  unlock(code: string): Promise<CodePairs>;
  /** The pair of this device that receives data keys. */
  readonly pair: KeyPair;
  /** Returns the texts of all rotations that this device knows. */
  rotations(): readonly string[];
  /**
   * Stores the data keys that the membership log gives to this device. Once the id of the log is
   * known, only this method changes the current key.
   * @param current undefined if this device has no current key of the log
   * @returns whether a key is new, or became the current one
   */
  takeLogKeys(keys: readonly LedgerKey[], current: LedgerKey | undefined): Promise<boolean>;
  /** Returns the id of the membership log; undefined if this device doesn't know it. */
  log(): Uint8Array | undefined;
  /** Follows a log whose id the user compared (L3). */
  takeLog(log: Uint8Array): Promise<void>;
  /** Stops following the log until a list contains its start again: an admin withdrew it (G2). */
  withdrawLog(): Promise<void>;
  /**
   * Creates the grant to a recovery code of a ledger with a log.
   * @throws FixpointError DEVICE_NOT_APPROVED, LIMIT_REACHED
   */
  grantToRecovery(recovery: LogRecovery, log: Uint8Array): Promise<string>;
  /**
   * Returns the entries that give another role to a member of the membership log.
   * @throws FixpointError NOT_FOUND, FORBIDDEN, LEDGER_NOT_COMPARED; NOT_IMPLEMENTED without a log
   */
  setRole(user: string, role: Role): Promise<readonly string[]>;
  /** Follows a listed log, whose id the user compared (L3). @throws FixpointError NOT_FOUND */
  acceptLog(log: string): Promise<void>;
  /**
   * Ignores a listed log that isn't the ledger's, as the user says, and no longer waits because of
   * it. Returns its start if the list has no other entry: an admin may then withdraw it.
   * @throws FixpointError NOT_FOUND; CONFLICT if this device follows a log with further entries
   */
  dismissLog(log: string): Promise<string | undefined>;
  /** Returns the signer of this database. @throws FixpointError NOT_IMPLEMENTED */
  signer(): Promise<Signer>;
  /**
   * Writes an event on top of all accepted events, if this device follows a log and may write.
   * Returns whether it did.
   */
  vouch(): Promise<boolean>;
  /** Returns the log that this device is about to start. */
  plannedLog(): LogPlan | undefined;
  /** Makes a plan durable before its records are put; undefined drops it. */
  planLog(plan: LogPlan | undefined): Promise<void>;
  /**
   * Learns that the server has the planned log. `learn` does this, too, if the list contains it.
   * @throws FixpointError CONFLICT if this device knows another log
   */
  takePlannedLog(): Promise<void>;
}
