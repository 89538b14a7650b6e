import { isFixpointError } from '@fixpoint/protocol';
import { useHead } from '@fixpoint/react';
import type { Database } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { DatabaseZap } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Card } from '../ui/pages/page.tsx';

/** Returns whether the browser removed the database's storage, while it was open or before. */
export function useIsLost(database: BridgedDatabase | undefined): boolean {
  const [lost, setLost] = useState<BridgedDatabase>();
  useEffect(() => {
    if (database === undefined) return undefined;
    const note = (reason: unknown) => {
      if (isFixpointError(reason, 'STORE_LOST')) setLost(database);
    };
    database.ready().catch(note);
    return database.onClosed(note);
  }, [database]);
  return lost !== undefined && lost === database;
}

/** Open databases that were seen with content. An open database never becomes empty again. */
const filled = new WeakSet<Database>();

/**
 * Returns whether a database is known to have content. Returns false until the database is open, or
 * true at once if a component saw its content before.
 */
export function useHasContent(database: Database): boolean {
  const isFilled = useHead(database).length > 0;
  useEffect(() => {
    if (isFilled) filled.add(database);
  }, [database, isFilled]);
  return isFilled || filled.has(database);
}

/** Explains that the browser removed the documents. The children say what to do. */
export function LostDatabase({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <Card>
      <section role="alert" aria-label="Documents removed" className="flex gap-4">
        <DatabaseZap size={20} aria-hidden className="mt-0.5 shrink-0 text-conflict" />
        <div className="flex min-w-0 grow flex-col gap-3">
          <h2 className="font-semibold">The documents were removed from this browser</h2>
          <p>
            The browser removed them to free space, or someone cleared this site’s data. Fixpoint didn’t
            delete them.
          </p>
          {text}
          <div className="flex flex-wrap gap-2">{children}</div>
        </div>
      </section>
    </Card>
  );
}
