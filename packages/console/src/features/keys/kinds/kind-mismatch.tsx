import { isFixpointError } from '@fixpoint/protocol';
import { useSyncStatus } from '@fixpoint/react';
import type { Attached } from 'fixpoint';
import { ShieldAlert } from 'lucide-react';
import type { LedgerKind } from '../../../cloud/ledgers/known-kinds.ts';
import { useSettled } from '../../../ui/use-settled.ts';

/**
 * Returns whether the server names another kind than this browser stored. Sync stops in that case.
 */
export function useIsOtherKind(attached: Promise<Attached>): boolean {
  const found = useSettled(attached);
  const status = useSyncStatus(found !== undefined && 'value' in found ? found.value : undefined);
  const failure = found !== undefined && 'error' in found ? found.error : status?.error;
  return isFixpointError(failure, 'LEDGER_KIND');
}

const NAMES: Readonly<Record<LedgerKind, string>> = {
  sealed: 'end-to-end encrypted (sealed)',
  'open-key': 'open-key',
};

/** Replaces the pages of a database whose kind differs on the server, and says what to do. */
export function KindMismatch({ known }: { known: LedgerKind | undefined }) {
  const [mine, theirs] =
    known === undefined
      ? ['one kind', 'another kind']
      : [NAMES[known], NAMES[known === 'sealed' ? 'open-key' : 'sealed']];
  return (
    <section
      role="alert"
      aria-label="Stopped"
      className="mb-5 flex max-w-3xl flex-col gap-3 rounded-lg border border-conflict-line bg-conflict-soft p-4 text-sm"
    >
      <h2 className="flex items-center gap-2 font-semibold text-conflict">
        <ShieldAlert size={15} aria-hidden /> Sync stopped: the server reports a different kind of database
      </h2>
      <p>
        This browser recorded this database as {mine}, but the server reports that it’s {theirs}. A database
        never changes its kind, so this browser sends no keys and no documents to the server.
      </p>
      <p>
        Don’t add documents to this database on another device. Ask the operator of this server what happened.
        If an admin deleted the database and created a new one, open the new database from the list of
        databases.
      </p>
    </section>
  );
}
