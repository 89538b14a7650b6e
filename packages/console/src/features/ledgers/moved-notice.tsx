import type { Ledger } from '@fixpoint/protocol/admin';
import { ArrowRightLeft } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { useApp } from '../../cloud/app.ts';
import { knownKind, type LedgerKind } from '../../cloud/ledgers/known-kinds.ts';
import { isMovedCopy } from '../../cloud/ledgers/move-copy.ts';
import { switchToSuccessor } from '../../cloud/ledgers/move-ledger.ts';
import { useLedgers } from '../../cloud/queries/use-cloud.ts';
import { useVisit } from '../../leaving/visit.ts';
import { hasStorage } from '../../local/databases.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useTask } from '../../ui/overlays/use-task.ts';
import type { LedgerContext } from './ledger-context.ts';
import { SUCCESSOR_TEXTS } from './move-texts.ts';

/** Says on the pages of a ledger that it moved, and switches this browser to its successor. */
export function MovedNotice({ ledger, movedTo }: { ledger: LedgerContext; movedTo: string }) {
  const parts = useApp();
  const begin = useVisit();
  const { tenantId, name } = ledger;
  return (
    <MovedPanel
      {...{ tenantId, movedTo, name }}
      from={knownKind(ledger)}
      isSwitched={isMovedCopy(movedTo)}
      onSwitch={async (successor, kind) => {
        const visit = begin();
        await switchToSuccessor(parts, { ledger, opened: ledger, kind }, successor.ledgerId, hasStorage);
        await visit.leadTo(`/fp/cloud/tenants/${tenantId}/ledgers/${successor.ledgerId}`);
      }}
    />
  );
}

export interface MovedPanelProps {
  readonly tenantId: string;
  /** Name of the database that moved, as the user knows it. */
  readonly name: string;
  /** Kind of the database that moved, as this browser knows it. */
  readonly from: LedgerKind | undefined;
  /** Id of the ledger that it moved to. */
  readonly movedTo: string;
  /** Whether this device switched before, and the user opened the old database again. */
  readonly isSwitched?: boolean;
  /** Switches after the user confirmed the successor and its kind. */
  readonly onSwitch: (successor: Ledger, kind: LedgerKind) => Promise<void>;
}

/** Names the successor and its kind. Nothing switches before the user confirms both. */
export function MovedPanel({ tenantId, name, from, movedTo, isSwitched = false, onSwitch }: MovedPanelProps) {
  const { data: ledgers } = useLedgers(tenantId);
  const [isAsking, setAsking] = useState(false);
  const { isBusy, run } = useTask();
  if (ledgers === undefined) return null;
  const successor = ledgers.find(({ ledgerId }) => ledgerId === movedTo);
  // The server can read a ledger whose kind it doesn't name.
  const kind = successor && (knownKind(successor) ?? 'open-key');
  const confirm = () =>
    successor &&
    kind &&
    run('Couldn’t switch', async () => {
      await onSwitch(successor, kind);
      setAsking(false);
    });
  return (
    <section
      aria-label="This database moved"
      className="mb-5 flex max-w-3xl flex-col gap-3 rounded-lg border border-accent-line bg-accent-soft p-4 text-sm"
    >
      <h2 className="flex items-center gap-2 font-semibold">
        <ArrowRightLeft size={15} aria-hidden className="text-accent-ink" />
        {kind === 'sealed' ? `${name} moved to an end-to-end encrypted database` : `${name} moved`}
      </h2>
      {successor === undefined || kind === undefined ? (
        <p>An admin moved it to a database that you can’t open. Ask an admin for access.</p>
      ) : from === 'sealed' && kind === 'sealed' ? (
        // A server could name a database that a device of its own can read.
        <p>
          The server says that an admin moved it to {successor.name}, which is end-to-end encrypted, too. A
          move always changes the kind, so this device sends no documents there. Ask an admin.
        </p>
      ) : isSwitched ? (
        <p>
          This device switched to{' '}
          <Link
            className="rounded text-accent-ink underline underline-offset-2 hover:text-ink"
            to={`/fp/cloud/tenants/${tenantId}/ledgers/${movedTo}`}
          >
            {successor.name}
          </Link>
          . Your changes here don’t reach it.
        </p>
      ) : (
        <>
          <p>
            An admin moved it to {successor.name}. {SUCCESSOR_TEXTS[kind]} Your changes here reach{' '}
            {successor.name} when you switch.
          </p>
          <Button tone="primary" className="self-start" onClick={() => setAsking(true)}>
            Switch to {successor.name}
          </Button>
          {isAsking && (
            <Dialog
              open
              onClose={() => setAsking(false)}
              {...{ isBusy }}
              title={`Switch to ${successor.name}?`}
              description={`${SUCCESSOR_TEXTS[kind]} This device sends its documents there, including pending changes. It then stops syncing with ${name}.`}
              actions={
                <>
                  <Button disabled={isBusy} onClick={() => setAsking(false)}>
                    Cancel
                  </Button>
                  <Button
                    tone={kind === 'sealed' ? 'primary' : 'confirm'}
                    disabled={isBusy}
                    onClick={() => void confirm()}
                  >
                    Switch this device
                  </Button>
                </>
              }
            />
          )}
        </>
      )}
    </section>
  );
}
