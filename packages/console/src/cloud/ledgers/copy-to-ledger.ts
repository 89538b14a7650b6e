/**
 * Sends everything of a database to another ledger: documents, deletions, history and files. Can be
 * repeated after each interruption, because a database sends what a ledger lacks.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { Attached, Database, Remote } from 'fixpoint';

/** `fetch`: from the old ledger. `send`: to the new one. `check`: what the new one has. */
export type CopyStep = 'fetch' | 'send' | 'check';

/** While others write to the old ledger, the new one is behind again and again. */
const CHECKS_MAX = 5;

/**
 * Copies a ledger. Until the returned attachment or that of the old ledger ends, the database
 * passes on what arrives from either ledger to the other one.
 * @param from the ledger that the database syncs with, with `files: 'always'`
 * @param to the new ledger, with its kind
 * @throws FixpointError when a ledger refuses, when a file is missing, and UNEXPECTED_RESPONSE when
 * the new ledger doesn't list everything
 */
export async function copyToLedger(
  database: Pick<Database, 'attach'>,
  from: Remote,
  to: Remote,
  onStep: (step: CopyStep) => void,
): Promise<Attached> {
  onStep('fetch');
  const source = await database.attach(from);
  try {
    await source.synced();
  } finally {
    await source.detach();
  }
  onStep('send');
  const target = await database.attach(to);
  try {
    await target.synced();
    onStep('check');
    await requireAll(target);
    return target;
  } catch (cause) {
    await target.detach();
    throw cause;
  }
}

/**
 * Requires that a ledger has everything that the database has.
 * @throws FixpointError UNEXPECTED_RESPONSE
 */
export async function requireAll(attached: Pick<Attached, 'held' | 'synced'>): Promise<void> {
  for (let check = 1; ; check += 1) {
    const { unsent, unread, missing, absent } = await attached.held();
    if (unsent === 0 && unread === 0 && missing.length === 0 && absent === 0) return;
    if (check >= CHECKS_MAX)
      throw new FixpointError('UNEXPECTED_RESPONSE', 'the new database doesn’t list everything');
    await attached.synced();
  }
}
