import type { Result } from '@fixpoint/protocol';
import { useEffect, useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { ledgerQueries } from '../../cloud/queries.ts';
import { useCall } from '../../cloud/use-call.ts';
import { Button } from '../../ui/button.tsx';
import { NotePanel } from '../../ui/feedback.tsx';
import { Select } from '../../ui/select.tsx';
import type { Place } from './places.ts';
import { TokenQuestion } from './token-question.tsx';

export interface ChooseDatabaseProps {
  /** Under which the application waits for its token. */
  readonly resultId: string;
  /** Where the application says that it runs. */
  readonly from: string | undefined;
  /** At least one. */
  readonly places: readonly Place[];
}

const CLOSE_MS = 3000;

/** Leaves a token for an application that waits in another window. Nothing proves who waits, so nothing is left unasked. */
export function ChooseDatabase({ resultId, from, places }: ChooseDatabaseProps) {
  const [chosen, setChosen] = useState(0);
  const give = useGive(resultId);
  if (give.isSuccess) return <Given />;
  return (
    <TokenQuestion>
      <p>
        An application asks for a token
        {from !== undefined && (
          <>
            , and says that it runs at <strong className="font-semibold wrap-anywhere">{from}</strong>
          </>
        )}
        . With it, it can do in one database what you can, for an hour.
      </p>
      <Select
        label="Database"
        isLabelled
        value={chosen}
        onChange={({ target }) => setChosen(Number(target.value))}
        disabled={give.isPending}
      >
        {places.map(({ label, tenantId, ledgerId }, at) => (
          <option key={`${tenantId} ${ledgerId}`} value={at}>
            {label}
          </option>
        ))}
      </Select>
      <p className="text-muted">
        Go on only if that application opened this window a moment ago, and you trust it.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          tone="primary"
          disabled={give.isPending}
          onClick={() => places[chosen] !== undefined && give.mutate(places[chosen])}
        >
          Hand it over
        </Button>
        <Button onClick={() => window.close()}>Cancel</Button>
      </div>
    </TokenQuestion>
  );
}

function useGive(resultId: string) {
  const { api } = useApp();
  const madeOrThere = async ({ tenantId, ledgerId, name }: Place): Promise<Result<string>> => {
    if (ledgerId !== undefined) return { ok: true, value: ledgerId };
    // Of no kind yet: that is settled by the first that the application writes.
    const made = await api.createLedger({ tenantId, name });
    return made.ok ? { ok: true, value: made.value.ledgerId } : made;
  };
  return useCall({
    call: async (place: Place) => {
      const ledger = await madeOrThere(place);
      if (!ledger.ok) return ledger;
      return api.cloudSessionToken({ resultId, selected: { tenant: place.tenantId, ledger: ledger.value } });
    },
    changes: [ledgerQueries.all],
  });
}

function Given() {
  useEffect(() => {
    const timer = setTimeout(() => window.close(), CLOSE_MS);
    return () => clearTimeout(timer);
  }, []);
  return <NotePanel text="The application has its token. You can close this window." />;
}
