/**
 * Opens the local database that is attached to a ledger. Each page opens the database once and
 * keeps it open, so that its writes are sent.
 */

import { FixpointError } from '@fixpoint/protocol';
import type { AdminClient, Ledger } from '@fixpoint/protocol/admin';
import type { Attached, CloudOptions, Remote } from 'fixpoint';
import { type BridgedDatabase, toCloud } from 'fixpoint/bridge';
import { openDatabase } from '../../engine/page-engine.ts';
import { storageBase } from '../../ui/pages/base-path.ts';
import { cloudToken } from '../queries/queries.ts';
import { forgetKind, knownKind, MEMBER_OPTIONS } from './known-kinds.ts';
import { COPIES_KEY, copyOf } from './ledger-copies.ts';
import { moveCopy } from './move-copy.ts';
import { openedLedgers, setOpenedLedger } from './opened-ledgers.ts';
import { followUnsent, forgetUnsent, unsentSince } from './unsent-since.ts';

export interface LedgerDatabase {
  readonly database: BridgedDatabase;
  readonly attached: Promise<Attached>;
}

const opened = new Map<string, LedgerDatabase>();

type LedgerPlace = Pick<Ledger, 'tenantId' | 'ledgerId' | 'kind'>;

/** Returns a ledger to attach a database to, with the kind that this browser knows. */
export function ledgerRemote(
  api: AdminClient,
  { tenantId: tenant, ledgerId: ledger, kind: listed }: LedgerPlace,
  files: CloudOptions['files'] = 'when-read',
): Remote {
  const kind = knownKind({ ledgerId: ledger, ...(listed && { kind: listed }) });
  return toCloud({
    base: storageBase(),
    tenant,
    ledger,
    files,
    ...(kind && { kind }),
    members: MEMBER_OPTIONS,
    token: () => cloudToken(api, { tenantId: tenant, ledgerId: ledger }),
  });
}

/** Opens this browser's copy of a ledger, and attaches it. */
export function openLedger(api: AdminClient, place: LedgerPlace): LedgerDatabase {
  const known = opened.get(place.ledgerId);
  if (known !== undefined) return known;
  const database = openDatabase(copyOf(place.ledgerId));
  return keepOpen(place.ledgerId, { database, attached: database.attach(ledgerRemote(api, place)) });
}

function keepOpen(ledger: string, made: LedgerDatabase): LedgerDatabase {
  opened.set(ledger, made);
  setOpenedLedger(ledger, made.attached);
  // After a failed attach, the next page that shows the ledger tries again.
  made.attached.then(
    (attached) => followUnsent(made.database.name, attached),
    () => opened.delete(ledger),
  );
  return made;
}

function leave(ledger: string): void {
  opened.delete(ledger);
  setOpenedLedger(ledger, undefined);
}

/**
 * Returns whether this browser has a copy of a sealed ledger, and other devices trust it. Such a
 * copy has keys that this browser can't get back by itself.
 * @param isStored returns whether this browser stores a database with this name
 * @throws FixpointError the reason why the copy can't be attached, or the server doesn't answer
 */
export async function hasTrustedCopy(
  api: AdminClient,
  place: LedgerPlace,
  isStored: (name: string) => Promise<boolean>,
): Promise<boolean> {
  const isHere = opened.has(place.ledgerId) || (await isStored(copyOf(place.ledgerId)));
  if (!isHere) return false;
  const { devices } = await openLedger(api, place).attached;
  // An attachment knows its keys only after the server has answered.
  await devices.list();
  return devices.isApproved();
}

/**
 * Makes this browser's copy of a ledger the copy of its successor, and ends its sync with the
 * ledger here and in other tabs. Unsent changes go to the successor.
 * @param before how this page opened the ledger
 * @param attach attaches the copy to the successor
 * @throws FixpointError STORE_FAILED, and CONFLICT while this browser has unsent changes of the
 * successor, in a copy that would be replaced
 */
export async function moveLedgerCopy(
  from: string,
  to: string,
  { database, attached }: LedgerDatabase,
  attach: () => Promise<Attached>,
): Promise<void> {
  if (unsentSince(copyOf(to)) !== undefined)
    throw new FixpointError('CONFLICT', 'open the new database first, and wait until it has synced');
  const other = opened.get(to)?.database;
  moveCopy(from, to);
  leave(from);
  if (other !== database) void other?.close();
  await (await attached.catch(() => undefined))?.detach();
  await keepOpen(to, { database, attached: attach() }).attached;
}

/** Ends syncs of copies that another tab moved to another ledger. Then the page starts again. */
function leaveMoved(): void {
  const moved = [...opened].filter(([ledger, { database }]) => copyOf(ledger) !== database.name);
  if (moved.length === 0) return;
  for (const [ledger, { database }] of moved) {
    leave(ledger);
    void database.close();
  }
  location.reload();
}

globalThis.addEventListener?.('storage', ({ key }) => {
  if (key === COPIES_KEY) leaveMoved();
});

/** Removes this browser's copy of a deleted ledger. @throws FixpointError */
export async function removeLedgerCopy(ledger: string, database: BridgedDatabase): Promise<void> {
  leave(ledger);
  forgetKind(ledger);
  await database.destroy();
}

/**
 * Removes the remains of a copy that the browser deleted, so that a new copy fetches everything
 * again. @throws FixpointError
 */
export async function resetLedgerCopy(ledger: string, database: BridgedDatabase): Promise<void> {
  leave(ledger);
  forgetUnsent(database.name);
  await database.destroy();
}

/**
 * Closes all ledgers when the user signs out, because they sync with that user's rights. Unsent
 * documents stay on this device.
 */
export async function closeLedgers(): Promise<void> {
  const all = [...opened.values()];
  for (const ledger of openedLedgers().keys()) leave(ledger);
  await Promise.allSettled(all.map(({ database }) => database.close()));
}
