import type { LedgerKind } from '@fixpoint/protocol/storage';

/** Describes each kind for users who create a ledger. The first kind is the default. */
export const LEDGER_KIND_TEXTS: readonly { kind: LedgerKind; title: string; text: string }[] = [
  {
    kind: 'open-key',
    title: 'The server can read this database',
    text: 'Everybody with access can open it right away. Documents are encrypted, but the server keeps the key, so its operator could read them.',
  },
  {
    kind: 'sealed',
    title: 'End-to-end encrypted',
    text: 'Only devices that you approve can open the database; the server can’t. If you lose these devices and the recovery code, the documents are lost.',
  },
];

/** Returns the kind that a form names, or undefined for any other text. */
export const ledgerKindIn = (text: string): LedgerKind | undefined =>
  LEDGER_KIND_TEXTS.find(({ kind }) => kind === text)?.kind;
