import type { BridgedDatabase } from 'fixpoint/bridge';
import { useState } from 'react';
import { resetLedgerCopy } from '../../cloud/ledgers/ledger-database.ts';
import { ageText, unsentSince } from '../../cloud/ledgers/unsent-since.ts';
import { LostDatabase } from '../../local/lost-database.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/pages/feedback.tsx';
import { failureText } from '../../ui/text/failure-text.ts';

export interface LostLedgerProps {
  readonly ledgerId: string;
  readonly database: BridgedDatabase;
  /** Called once the copy can be fetched again. */
  readonly onReset: () => void;
}

/**
 * Replaces the documents of a ledger whose local copy the browser removed. The cloud still has all
 * sent changes.
 */
export function LostLedger({ ledgerId, database, onReset }: LostLedgerProps) {
  const [failed, setFailed] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [unsent] = useState(() => unsentSince(database.name));
  const restore = async () => {
    setBusy(true);
    setFailed(undefined);
    try {
      await resetLedgerCopy(ledgerId, database);
      onReset();
    } catch (error) {
      setFailed(failureText(error));
      setBusy(false);
    }
  };
  return (
    <div className="max-w-2xl">
      <LostDatabase
        text={
          <>
            <p>
              The server still has everything that was sent.
              {unsent !== undefined &&
                ` Unsent changes are lost. The oldest of them was ${ageText(unsent, Date.now())} old.`}
            </p>
            {failed !== undefined && <ErrorPanel message={failed} />}
          </>
        }
      >
        <Button tone="primary" disabled={isBusy} onClick={() => void restore()}>
          Restore from the server
        </Button>
      </LostDatabase>
    </div>
  );
}
