/** The interface to the keys of a sealed ledger for the rest of the engine. */
import type { Role, Signer } from '@fixpoint/protocol/storage';
import type { KeyPair, OpenKeyPair } from '../base/p256.ts';
import type { Said } from './announced-devices.ts';
import type { LogRecovery } from './grant.ts';
import type { LogPlan } from './known-keys.ts';
import type { LedgerLog, UnconfirmedEntry } from './log/described-log.ts';
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
  /** The `device` of the events that it writes; absent without a membership log. */
  readonly eventDevice?: string;
  /** The name of the owner in the membership log; absent without one. */
  readonly name?: string | undefined;
  /** The name that the user of this device gave to the device; absent without one. */
  readonly yourName?: string;
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
  /**
   * True if the server says that an admin rejected the request of this device. The device asks
   * again when you call `ask`.
   */
  readonly isRejected?: true;
  /** The membership log of the ledger; absent without one. */
  readonly log?: LedgerLog;
  /**
   * The ids of listed logs that this device ignores. Such a log prevents new keys. An admin of the
   * tenant can withdraw it by `compareLog(id, false)` while it has no other entry.
   */
  readonly otherLogs?: readonly string[];
}

/** A member of the membership log, or a device of the ledger, by its id. */
export type Named = { readonly user: string } | { readonly device: string };

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
  /**
   * Returns a text that differs whenever `keyring` returns something else. It may also differ
   * otherwise. A log has thousands of entries, so comparing what `keyring` returns takes long.
   */
  keyringMark(): string;
  /** Returns the record that asks for approval. */
  announcement(): string;
  /**
   * Returns the records by which devices ask for approval, also of devices that were approved
   * later, by the ids of the devices.
   */
  requests(): ReadonlyMap<string, string>;
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
   * Returns the public keys that somebody with access announced, in hex, as the server reports;
   * undefined if the server doesn't report it.
   */
  access(): Pick<ReadonlySet<string>, 'has'> | undefined;
  /** Returns the user id of the user who announced this device, as the server reports it. */
  user(): string | undefined;
  /** Returns whether a record gives the current key to a device. @param pub in hex */
  hasCurrent(pub: string): boolean;
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
  /** Names a member or a device on this device only. @throws FixpointError NOT_FOUND */
  rename(of: Named, name: string): Promise<void>;
  /**
   * Follows a listed log, whose id the user compared (L3). With entries, confirms the followed log
   * instead, as far as these entries are unknown (E7).
   * @throws FixpointError NOT_FOUND; CONFLICT if this device follows a log
   */
  acceptLog(log: string, unconfirmed?: readonly UnconfirmedEntry[]): Promise<void>;
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
