import type { Result } from '@fixpoint/protocol';
import { ShieldQuestion } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { answerOf, ledgerQueries } from '../../cloud/queries/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { ErrorPanel } from '../../ui/pages/feedback.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import type { Place } from './places.ts';

/** A database that already exists. */
export interface ChosenPlace extends Place {
  readonly ledgerId: string;
}

export interface ChooseDatabaseProps {
  /** The app that asks, and advice on what to check before agreeing. */
  readonly asker: ReactNode;
  readonly advice: ReactNode;
  /** At least one database; the requested one is first. */
  readonly places: readonly Place[];
  /** Sends a token for the chosen database. */
  readonly onAgree: (place: ChosenPlace) => Promise<void>;
  readonly cancel: ReactNode;
}

/** Asks which one database an app may use. Sends nothing before the user agrees. */
export function ChooseDatabase({ asker, advice, places, onAgree, cancel }: ChooseDatabaseProps) {
  const [chosen, setChosen] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [failed, setFailed] = useState<string>();
  const { api, queries } = useApp();
  const created = async ({ tenantId, name }: Place): Promise<Result<string>> => {
    // The new database has no kind yet: the app's first write decides the kind.
    const made = await api.createLedger({ tenantId, name });
    if (!made.ok) return made;
    await queries.invalidateQueries({ queryKey: ledgerQueries.all });
    return { ok: true, value: made.value.ledgerId };
  };
  const agree = async (place: Place) => {
    setBusy(true);
    setFailed(undefined);
    try {
      await onAgree({ ...place, ledgerId: place.ledgerId ?? (await answerOf(created(place))) });
    } catch (error) {
      setFailed(failureText(error));
    } finally {
      setBusy(false);
    }
  };
  const place = places[chosen];
  return (
    <TokenQuestion>
      {asker}
      <Select
        label="Database"
        isLabelled
        value={chosen}
        onChange={({ target }) => setChosen(Number(target.value))}
        disabled={isBusy}
      >
        {places.map(({ label, tenantId, ledgerId }, at) => (
          <option key={`${tenantId} ${ledgerId}`} value={at}>
            {label}
          </option>
        ))}
      </Select>
      <p>
        For one hour, the app can do everything in this database that you can. It gets no access to your other
        databases.
      </p>
      {advice}
      {failed !== undefined && <ErrorPanel message={failed} />}
      <div className="flex flex-wrap gap-2">
        <Button tone="primary" disabled={isBusy} onClick={() => place !== undefined && void agree(place)}>
          Allow access
        </Button>
        {cancel}
      </div>
    </TokenQuestion>
  );
}

/** Renders the frame of a question that users answer before a token is sent. */
function TokenQuestion({ children }: { children: ReactNode }) {
  return (
    <Card>
      <div className="flex gap-4">
        <ShieldQuestion size={20} aria-hidden className="mt-0.5 shrink-0 text-conflict" />
        <div className="flex min-w-0 grow flex-col gap-4">{children}</div>
      </div>
    </Card>
  );
}
