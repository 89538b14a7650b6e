import { useState } from 'react';
import { useRevalidator } from 'react-router';
import type { Connection } from '../../local/connections.ts';
import { resetLocal } from '../../local/databases.ts';
import { ledgerIn } from '../../local/endpoint.ts';
import { LostDatabase } from '../../local/lost-database.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/pages/feedback.tsx';
import { PageHeader } from '../../ui/pages/page.tsx';
import { failureText } from '../../ui/text/failure-text.ts';

export interface LostLocalProps {
  readonly name: string;
  readonly connection: Connection | undefined;
  /** Called once an empty database of this name exists. */
  readonly onReset: () => void;
}

/** Replaces the pages of a local database whose documents the browser removed. */
export function LostLocal({ name, connection, onReset }: LostLocalProps) {
  const { revalidate } = useRevalidator();
  const [failed, setFailed] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const reset = async () => {
    setBusy(true);
    setFailed(undefined);
    try {
      await resetLocal(name);
      onReset();
      await revalidate();
    } catch (error) {
      setFailed(failureText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="max-w-2xl">
      <title>{`${name} · Fixpoint`}</title>
      <PageHeader title={name} />
      <LostDatabase
        text={
          <>
            <p>
              {connection === undefined
                ? 'You can restore documents only from another device or from an export.'
                : ledgerIn(connection.endpoint) !== undefined
                  ? `This database is connected to ${connection.remoteName}. Start with an empty database: all documents that were sent there are fetched again.`
                  : `This database is connected to ${connection.remoteName}. To fetch the documents that were sent there, open the app that syncs them.`}
            </p>
            {failed !== undefined && <ErrorPanel message={failed} />}
          </>
        }
      >
        <Button tone="primary" disabled={isBusy} onClick={() => void reset()}>
          Start with an empty database
        </Button>
        <LinkButton to="/fp/databases">Local databases</LinkButton>
      </LostDatabase>
    </div>
  );
}
