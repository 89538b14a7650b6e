/** What the rest of the engine does with the keys of a sealed ledger. */
import type { Said } from './announced.ts';
import type { LedgerKey } from './sealed-object.ts';

/** A device of a sealed ledger. */
export interface LedgerDevice {
  /** Hex text; the beginning of the device's code says the same. */
  readonly id: string;
  readonly isThis: boolean;
  /** It stands for a recovery code. */
  readonly isRecovery: boolean;
  /** The id of the user who announced it, as the server says; undefined where it doesn't. */
  readonly owner: string | undefined;
  /** Whether the owner is the user who announced this device. */
  readonly isOwn: boolean;
  /** When it was announced, in ms since 1970, as the server says; undefined where it doesn't. */
  readonly since: number | undefined;
}

/** What a device knows of the keys of a sealed ledger. */
export interface LedgerKeyring {
  /** The id of the key that seals what is sent now; undefined before this device was let in. */
  readonly current: string | undefined;
  /** How many keys this device has: one more with each time that a device or a member was removed. */
  readonly count: number;
  /** Whether some recovery code opens the ledger. */
  readonly hasRecoveryCode: boolean;
  /** Ids of devices that ask to be let in, and never were in. */
  readonly asking: readonly string[];
}

/** Records that nobody needs any more. */
export interface SupersededRecords {
  /** To be in the list before the others are taken out. */
  readonly first: readonly string[];
  readonly superseded: readonly string[];
}

/** Methods that give records give what has to stand in the `keys` list of the ledger; it takes effect when it comes back by `learn`. */
export interface LedgerKeys {
  all(): ReadonlyMap<string, LedgerKey>;
  /** The key to seal with. @throws FixpointError DEVICE_NOT_APPROVED when there is none, or this device was removed */
  current(): LedgerKey;
  isApproved(): boolean;
  /** What another device needs in order to let this one in. */
  code(): string;
  /** Takes the texts of a `keys` list, and what the server says of them. Gives whether a key is new, or became the current one. */
  learn(texts: readonly string[], said?: Said): Promise<boolean>;
  devices(): readonly LedgerDevice[];
  keyring(): LedgerKeyring;
  /** Asks for approval. */
  announcement(): string;
  /** Whether the list says that somebody with access has this device. */
  isAnnounced(): boolean;
  /**
   * Returns records of the current key that the list lacks, as after a restore from an older copy; the rotation first. Leaves out recovery codes of other users.
   */
  lost(listed: ReadonlySet<string>): readonly string[];
  /** The first key of a new ledger. */
  create(): Promise<readonly string[]>;
  /** @throws FixpointError REQUEST_INVALID for a mistyped code, NOT_FOUND when that device has not asked, DEVICE_NOT_APPROVED, LIMIT_REACHED */
  grant(code: string): Promise<string>;
  /** Whether the device with this code has the current key. */
  isIn(code: string): boolean;
  /** A new data key, for all devices that are announced but these. @throws FixpointError DEVICE_NOT_APPROVED */
  rotate(removedIds: readonly string[]): Promise<string>;
  /**
   * The same, without devices and recovery codes that nobody with access announced; undefined when none of these has the current key. This device keeps it in any case.
   */
  rotateAway(): Promise<string | undefined>;
  /** Records that lead from the current key to those which no other record leads to; mostly none. */
  links(): Promise<readonly string[]>;
  /** Undefined while there are few. What is given is not given again. */
  supersededRecords(): Promise<SupersededRecords | undefined>;
  /** @throws FixpointError DEVICE_NOT_APPROVED, LIMIT_REACHED */
  newRecoveryCode(): Promise<{ readonly code: string; readonly record: string }>;
  /** Takes the keys that a recovery code opens; gives the record that lets this device in. @throws FixpointError REQUEST_INVALID, KEY_UNKNOWN when it opens none */
  recover(code: string): Promise<string>;
}
