/** Texts about moving a database to a new one of the other kind. */
import type { LedgerKind } from '../../cloud/ledgers/known-kinds.ts';
import type { MoveStep } from '../../cloud/ledgers/move-ledger.ts';

export interface MoveTexts {
  readonly lead: string;
  /** Label of the button that opens the dialog, and of the one that starts the move. */
  readonly action: string;
  readonly title: (name: string) => string;
  readonly facts: (name: string) => readonly string[];
  readonly nameOfNew: (name: string) => string;
}

const KEPT_BY_OTHERS = 'Members keep the copies on their devices, and so do people who were members earlier.';
const FILES =
  'Files that only earlier versions of documents refer to aren’t copied. Everything else is, including the history that this browser has.';

/** Explains a move before it starts, by the kind of the new database. */
export const MOVE_TEXTS: Readonly<Record<LedgerKind, MoveTexts>> = {
  sealed: {
    lead: 'The server keeps the key of this database, so its operator could read the documents.',
    action: 'Encrypt end-to-end',
    title: (name) => `Encrypt ${name} end-to-end?`,
    facts: (name) => [
      'The server could read everything until now. Its operator, its backups, and anybody who had access keep what they have seen. Encryption protects only what you write from now on.',
      KEPT_BY_OTHERS,
      `Apps and other devices keep using ${name}, which the server can read, until their users switch. Then a trusted device must approve each of them.`,
      'This browser becomes the first trusted device. Create a recovery code right afterwards: without trusted devices and a recovery code, the documents are lost.',
      `${name} stays on the server, readable, until you delete it.`,
      FILES,
    ],
    nameOfNew: (name) => `${name} (encrypted)`,
  },
  'open-key': {
    lead: 'Only trusted devices can read this database; the server can’t.',
    action: 'Turn off end-to-end encryption',
    title: (name) => `Turn off end-to-end encryption of ${name}?`,
    facts: (name) => [
      'The server gets the key of the new database. Its operator can then read all documents with their history, including what you wrote while they were encrypted.',
      'Nobody can take this back. Even if you encrypt the documents again, the operator, the server’s backups, and anybody with access keep what they have seen.',
      `Everybody with access to ${name} can open the new database right away, without approval.`,
      KEPT_BY_OTHERS,
      `Apps and other devices keep using ${name} until their users switch.`,
      `${name} stays on the server, end-to-end encrypted, until you delete it.`,
      FILES,
    ],
    nameOfNew: (name) => `${name} (not encrypted)`,
  },
};

export const STEP_TEXTS: Readonly<Record<MoveStep, string>> = {
  create: 'Creating the new database...',
  fetch: 'Fetching all documents and files...',
  send: 'Sending everything to the new database...',
  check: 'Checking that the new database has everything...',
  name: 'Notifying apps and devices...',
};

/** Describes the successor of a database to a user who is asked to switch. */
export const SUCCESSOR_TEXTS: Readonly<Record<LedgerKind, string>> = {
  sealed:
    'The new database is end-to-end encrypted: after you switch, a trusted device must approve this one.',
  'open-key':
    'The new database isn’t end-to-end encrypted: the server has its key, so the operator can read all documents, including everything on this device.',
};
