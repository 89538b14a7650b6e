import type { BridgedDatabase } from 'fixpoint/bridge';
import { useState } from 'react';
import { resetLedgerCopy } from '../../cloud/ledgers/ledger-database.ts';
import { ageText, unsentSince } from '../../cloud/ledgers/unsent-since.ts';
import { failureText } from '../../local/failure-text.ts';
import { LostDatabase } from '../../local/lost-database.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/pages/feedback.tsx';

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
              The cloud still has everything that was sent.
              {unsent !== undefined &&
                ` Changes that waited to be sent are lost; the oldest waited for ${ageText(unsent, Date.now())}.`}
            </p>
            {failed !== undefined && <ErrorPanel message={failed} />}
          </>
        }
      >
        <Button tone="primary" disabled={isBusy} onClick={() => void restore()}>
          Restore from the cloud
        </Button>
      </LostDatabase>
    </div>
  );
}
