/**
 * Moves a ledger to a new one of the other kind. After each interruption, a next call continues:
 * the server remembers which ledger the new one replaces, and the browser which copy it moved.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { Ledger } from '@fixpoint/protocol/admin';
import type { App } from '../app.ts';
import { answerOf, ledgerQueries, ledgersOf } from '../queries/queries.ts';
import { type CopyStep, copyToLedger, requireAll } from './copy-to-ledger.ts';
import { type LedgerKind, rememberKind } from './known-kinds.ts';
import {
  hasTrustedCopy,
  type LedgerDatabase,
  ledgerRemote,
  moveLedgerCopy,
  openLedger,
} from './ledger-database.ts';
import { isMovedCopy } from './move-copy.ts';
import { newLedger } from './new-ledger.ts';

export type MoveStep = 'create' | CopyStep | 'name';
type Parts = Pick<App, 'api' | 'queries'>;

export interface LedgerMove {
  readonly ledger: Pick<Ledger, 'tenantId' | 'ledgerId' | 'kind'>;
  /** How the page opened the ledger. */
  readonly opened: LedgerDatabase;
  /** The kind of the new ledger. */
  readonly kind: LedgerKind;
  readonly name: string;
}

/** Returns the ledger that an unfinished move created. */
export const unfinishedMove = (
  ledgers: readonly Ledger[],
  { ledgerId }: Pick<Ledger, 'ledgerId'>,
): Ledger | undefined =>
  ledgers.findLast(
    (one) =>
      one.successorOf === ledgerId &&
      one.movedTo === undefined &&
      ledgers.every(({ movedTo }) => movedTo !== one.ledgerId),
  );

/**
 * Moves a ledger, and names its successor once the successor has everything.
 * @throws FixpointError with the reason; nothing is lost, and a next call continues
 */
export async function moveLedger(
  parts: Parts,
  { ledger, opened, kind, name }: LedgerMove,
  onStep: (step: MoveStep) => void,
): Promise<Ledger> {
  const { api } = parts;
  const { tenantId, ledgerId } = ledger;
  onStep('create');
  const begun = unfinishedMove(await ledgersOf(api, tenantId), ledger);
  const next =
    begun?.kind === kind
      ? begun
      : await answerOf(newLedger(parts, { tenantId, name, kind, successorOf: ledgerId }));
  rememberKind(next.ledgerId, kind);
  const place = { tenantId, ledgerId: next.ledgerId, kind };
  if (isMovedCopy(next.ledgerId)) {
    onStep('check');
    const attached = await openLedger(api, place).attached;
    await attached.synced();
    await requireAll(attached);
  } else {
    const from = ledgerRemote(api, ledger, 'always');
    const target = await copyToLedger(opened.database, from, ledgerRemote(api, place), onStep);
    // Before others write to the new ledger. Otherwise their changes would go on to the old one.
    await moveLedgerCopy(ledgerId, next.ledgerId, opened, () => Promise.resolve(target));
  }
  onStep('name');
  await nameSuccessor(parts, ledger, next.ledgerId);
  return next;
}

/** Names the ledger that a ledger moved to; null undoes the move. @throws FixpointError */
export async function nameSuccessor(
  { api, queries }: Parts,
  { tenantId, ledgerId }: LedgerMove['ledger'],
  movedTo: string | null,
): Promise<void> {
  await answerOf(api.moveLedger({ tenantId, ledgerId }, movedTo));
  await queries.invalidateQueries({ ...ledgerQueries.list(api, tenantId), refetchType: 'all' });
}

/**
 * Switches this browser to the successor of a ledger. The user confirmed the successor and its
 * kind. Takes the copy along, with changes that the old ledger doesn't have.
 * @param isStored returns whether this browser stores a database with this name
 * @throws FixpointError STORE_FAILED, and CONFLICT while this browser has unsent changes of the
 * successor, in a copy that would be replaced, or if other devices trust such a copy
 */
export async function switchToSuccessor(
  { api }: Pick<App, 'api'>,
  { ledger, opened, kind }: Omit<LedgerMove, 'name'>,
  successor: string,
  isStored: (name: string) => Promise<boolean>,
): Promise<void> {
  rememberKind(successor, kind);
  const place = { tenantId: ledger.tenantId, ledgerId: successor, kind };
  // The copy that comes along has no keys of the successor, and its keys might be the last ones.
  if (kind === 'sealed' && (await hasTrustedCopy(api, place, isStored)))
    throw new FixpointError(
      'CONFLICT',
      'this browser has a trusted copy of the new database. Open that one. To keep unsent changes, export them here first',
    );
  await moveLedgerCopy(ledger.ledgerId, successor, opened, () =>
    opened.database.attach(ledgerRemote(api, place)),
  );
}
