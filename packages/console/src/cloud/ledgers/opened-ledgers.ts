/**
 * Lists the ledgers that this page opened, with their attachments. The sidebar needs the list
 * before it needs the engine, so this file imports nothing.
 */
import type { Attached } from 'fixpoint';

let all: ReadonlyMap<string, Promise<Attached>> = new Map();
const listeners = new Set<() => void>();

/**
 * Returns the attachments by ledger. They include failed ones, which say why a ledger doesn't sync.
 * The map is replaced when anything in it changes.
 */
export const openedLedgers = (): ReadonlyMap<string, Promise<Attached>> => all;

/** Registers a listener for all changes. Returns a function that unsubscribes. */
export function onOpenedLedgers(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Sets the attachment of a ledger; undefined if this page closed the ledger. */
export function setOpenedLedger(ledger: string, attached: Promise<Attached> | undefined): void {
  const next = new Map(all);
  if (attached === undefined) next.delete(ledger);
  else next.set(ledger, attached);
  all = next;
  for (const listener of [...listeners]) listener();
}
