/**
 * Entries of the membership log of a sealed ledger, after they were decoded
 * (docs/internals/membership-rules.md, "Form"). Ids and keys are hexadecimal digits, so that
 * comparing the texts compares the bytes.
 */

/** The hash of an entry. */
export type EntryId = string;
/** The public key of a device or of a recovery code, for signatures. */
export type SigningKey = string;
/** The public key of a device or of a recovery code, which receives data keys. */
export type SealingKey = string;

/**
 * Roles, from the fewest rights to the most. Each role includes the rights of the roles before it.
 */
export const ROLES = ['read', 'write', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Returns whether a role includes the rights of another one. */
export const includes = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** A signing key, and the entry that introduced it: together, the name of a seat (F8). */
export interface SeatName {
  readonly key: SigningKey;
  readonly entry: EntryId;
}

/** The keys of a device or of a recovery code. */
export interface SeatKeys {
  readonly sign: SigningKey;
  readonly seal: SealingKey;
}

/** A new data key. */
export interface Rotation {
  /** The id of the data key. */
  readonly key: string;
  /** The sha-256 of the text of the record that contains the boxes. */
  readonly record: string;
}

interface Linked {
  readonly id: EntryId;
  readonly prev: readonly EntryId[];
}

interface Signed extends Linked {
  readonly by: SeatName;
  /** The previous entry of the same seat (F10). */
  readonly own?: EntryId | undefined;
  /** The time that the author claims, in milliseconds since 1970 (F11). */
  readonly at: number;
}

interface Introduced {
  readonly user: string;
  readonly name: string;
  readonly role: Role;
  readonly device: SeatKeys;
  readonly code?: SeatKeys | undefined;
  /** Whether the signer compared the code of the device. */
  readonly seen: boolean;
}

/** The first entry of a log. It introduces the device that signs it. */
interface StartEntry extends Signed, Introduced {
  readonly kind: 'start';
  /** The id of the current data key. */
  readonly dataKey: string;
  /** The CIDs of the events that are accepted, together with their ancestors. */
  readonly cut: readonly string[];
}

/** An entry that admits a person, with their first keys. Its id is the id of the person. */
interface PersonEntry extends Signed, Introduced {
  readonly kind: 'person';
}

export type Admission = StartEntry | PersonEntry;

interface DeviceEntry extends Signed {
  readonly kind: 'device';
  readonly person: EntryId;
  readonly device: SeatKeys;
  readonly name: string;
  readonly seen: boolean;
}

export interface CodeEntry extends Signed {
  readonly kind: 'code';
  readonly person: EntryId;
  readonly code: SeatKeys;
  /** The device that signed, too (C5). */
  readonly with?: SeatName | undefined;
}

interface RoleEntry extends Signed {
  readonly kind: 'role';
  readonly person: EntryId;
  readonly role: Role;
  readonly cut: readonly string[];
  readonly seen: boolean;
}

export interface RemoveEntry extends Signed {
  readonly kind: 'remove';
  /** A person, or the key of a device or of a code. */
  readonly target: { readonly person: EntryId } | { readonly key: SigningKey };
  readonly cut: readonly string[];
  /** Keys that stay, although the removed seats introduced them (C2). */
  readonly keep: readonly SigningKey[];
  readonly rotation?: Rotation | undefined;
}

export interface LeaveEntry extends Signed {
  readonly kind: 'leave';
  /** Whether the lower seats of the person end, too. */
  readonly all: boolean;
  readonly cut: readonly string[];
}

interface KeyEntry extends Signed {
  readonly kind: 'key';
  readonly rotation: Rotation;
}

/** A list of heads. Nobody signs it (F12). */
interface JoinEntry extends Linked {
  readonly kind: 'join';
}

export type SignedEntry =
  | Admission
  | DeviceEntry
  | CodeEntry
  | RoleEntry
  | RemoveEntry
  | LeaveEntry
  | KeyEntry;
export type LogEntry = SignedEntry | JoinEntry;

/** Ids of rules in docs/internals/membership-rules.md: why an entry is invalid or doesn't count. */
export type FormRule = 'F1' | 'F2' | 'F3' | 'F5' | 'F6' | 'F7' | 'F8' | 'F9' | 'F10';
export type CountRule = 'C1' | 'C4' | 'C5' | 'C6' | 'C7' | 'C8' | 'C9' | 'C10' | 'C11' | 'C12' | 'C14';

export const isAdmission = (entry: LogEntry): entry is Admission =>
  entry.kind === 'start' || entry.kind === 'person';

/** Returns the keys that an entry introduces. */
export function introducedBy(entry: LogEntry): {
  device?: SeatKeys | undefined;
  code?: SeatKeys | undefined;
} {
  switch (entry.kind) {
    case 'start':
    case 'person':
      return { device: entry.device, code: entry.code };
    case 'device':
      return { device: entry.device };
    case 'code':
      return { code: entry.code };
    default:
      return {};
  }
}

/** Returns the rotation that an entry contains. */
export const rotationOf = (entry: LogEntry): Rotation | undefined =>
  entry.kind === 'remove' || entry.kind === 'key' ? entry.rotation : undefined;

/** Returns the person that an entry names (F9). */
export function personNamedBy(entry: LogEntry): EntryId | undefined {
  if (entry.kind === 'remove') return 'person' in entry.target ? entry.target.person : undefined;
  return entry.kind === 'device' || entry.kind === 'code' || entry.kind === 'role' ? entry.person : undefined;
}
