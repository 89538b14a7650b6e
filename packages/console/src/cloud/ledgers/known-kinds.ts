/**
 * Remembers the kind of each ledger that this browser has seen, and has the other options of its
 * attachments. An attachment requires this kind, so a server that later claims another kind gets no
 * key.
 */
import type { Ledger } from '@fixpoint/protocol/admin';
import type { MemberOptions } from 'fixpoint';

export type LedgerKind = NonNullable<Ledger['kind']>;

/** Warns after two weeks in which this browser heard of no other device in the list of members. */
export const MEMBER_OPTIONS: MemberOptions = { silentAfter: 14 };

const keyOf = (ledgerId: string): string => `fixpoint:kind:${ledgerId}`;
/** Without storage, kinds are remembered while the page is open. */
const here = new Map<string, LedgerKind>();

/** Remembers the kind that a user chose for a new ledger. */
export function rememberKind(ledgerId: string, kind: LedgerKind): void {
  here.set(ledgerId, kind);
  try {
    localStorage.setItem(keyOf(ledgerId), kind);
  } catch {
    // The map above already has the kind.
  }
}

/** Returns the remembered kind of a ledger. Remembers the first kind that the server lists. */
export function knownKind({ ledgerId, kind }: Pick<Ledger, 'ledgerId' | 'kind'>): LedgerKind | undefined {
  const known = here.get(ledgerId) ?? read(ledgerId);
  if (known === undefined && kind !== undefined) rememberKind(ledgerId, kind);
  return known ?? kind;
}

/** Forgets the kind of a deleted ledger. */
export function forgetKind(ledgerId: string): void {
  here.delete(ledgerId);
  try {
    localStorage.removeItem(keyOf(ledgerId));
  } catch {
    // Nothing was stored.
  }
}

function read(ledgerId: string): LedgerKind | undefined {
  try {
    const kind = localStorage.getItem(keyOf(ledgerId));
    return kind === 'sealed' || kind === 'open-key' ? kind : undefined;
  } catch {
    return undefined;
  }
}
