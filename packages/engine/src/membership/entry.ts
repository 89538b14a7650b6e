/**
 * Entries of the membership log of a sealed ledger, as the rules see them (decision 0157). Their
 * form and signatures were checked before.
 */

/** The hash of an entry. */
export type EntryId = string;
/** The public key of a device or of a recovery code. */
export type SigningKey = string;

/**
 * Roles, from the fewest rights to the most. Each role includes the rights of the roles before it.
 */
export const ROLES = ['read', 'write', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Returns whether a role includes the rights of another one. */
export const includes = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);

interface Signed {
  readonly id: EntryId;
  /** The entries without successors that the author knew. */
  readonly prev: readonly EntryId[];
  /** The key that signed the entry, and the entry that introduced this key. */
  readonly by: Signer;
}

export interface Signer {
  readonly key: SigningKey;
  readonly entry: EntryId;
}

/** An entry that admits a person, with their first keys. A person is the id of this entry. */
export interface Admission extends Signed {
  /** `start` is the first entry of a log. It introduces the device that signs it. */
  readonly kind: 'start' | 'person';
  readonly role: Role;
  readonly device: SigningKey;
  readonly code?: SigningKey | undefined;
}

export type LogEntry =
  | Admission
  | (Signed & {
      /** A further device, or a further recovery code, of a person. */
      readonly kind: 'device' | 'code';
      readonly person: EntryId;
      readonly key: SigningKey;
    })
  | (Signed & { readonly kind: 'role'; readonly person: EntryId; readonly role: Role })
  | (Signed & {
      readonly kind: 'remove';
      /** A person, or the key of a device or of a code. */
      readonly target: { readonly person: EntryId } | { readonly key: SigningKey };
      /** Keys that the removed person added to other persons and that stay valid. */
      readonly keep?: readonly SigningKey[] | undefined;
    })
  /** The signer gives up their key, and all lower keys of their person. */
  | (Signed & { readonly kind: 'leave' });
