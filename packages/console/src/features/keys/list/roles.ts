import type { LedgerMember } from 'fixpoint';

export type Role = LedgerMember['role'];

/** Describes what a member of a signed list may do. */
export const ROLE_TEXTS: Readonly<Record<Role, string>> = {
  read: 'can read',
  write: 'can read and write',
  admin: 'can also add and remove people',
};

/** Returns the role that a list names; `read` for any other text. */
export const roleIn = (text: string): Role => (text === 'admin' || text === 'write' ? text : 'read');
