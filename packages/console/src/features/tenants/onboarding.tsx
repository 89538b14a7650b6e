import type { Ledger } from '@fixpoint/protocol/admin';
import { useState } from 'react';
import { knownKind } from '../../cloud/ledgers/known-kinds.ts';
import { useToken } from '../../cloud/queries/use-cloud.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { ErrorPanel, Skeleton } from '../../ui/pages/feedback.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { documentationUrl } from '../../ui/pages/site-links.ts';
import { failureText } from '../../ui/text/failure-text.ts';
import { LEDGER_PLACEHOLDER } from './snippet.ts';
import { Snippet } from './snippet-block.tsx';

export interface OnboardingProps {
  readonly tenantId: string;
  readonly ledgers: readonly Ledger[];
}

/** Shows how an app attaches to a ledger of the tenant. */
export function Onboarding({ tenantId, ledgers }: OnboardingProps) {
  const [ledger, setLedger] = useState(LEDGER_PLACEHOLDER);
  const chosen = ledgers.find(({ ledgerId }) => ledgerId === ledger);
  const token = useToken(tenantId, chosen?.ledgerId);
  return (
    <Card
      title="Connect your application"
      lead="Attach your app’s database to a database of this tenant. Both then keep the same documents in sync. The token is valid for one hour. If your app runs longer, pass a function that fetches a new token."
      actions={
        <a
          href={documentationUrl('guide/sync.html')}
          target="_blank"
          rel="noreferrer"
          className="text-sm text-accent-ink underline underline-offset-2 hover:text-ink"
        >
          Documentation
        </a>
      }
    >
      {token.isPending && <Skeleton />}
      {token.isError && (
        <ErrorPanel message={failureText(token.error)}>
          <Button size="sm" onClick={() => void token.refetch()}>
            Try again
          </Button>
        </ErrorPanel>
      )}
      {token.data !== undefined && (
        <div className="flex flex-col gap-3">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
            <span aria-hidden className="text-ink-3">
              Database
            </span>
            <Select
              label="Database of the snippet"
              className="min-w-0 grow sm:max-w-64"
              value={ledger}
              onChange={({ target }) => setLedger(target.value)}
            >
              <option value={LEDGER_PLACEHOLDER}>{LEDGER_PLACEHOLDER}</option>
              {ledgers.map(({ ledgerId, name }) => (
                <option key={ledgerId} value={ledgerId}>
                  {name}
                </option>
              ))}
            </Select>
          </div>
          <Snippet
            label="app.ts"
            tenantId={tenantId}
            ledger={ledger}
            token={token.data}
            kind={chosen && knownKind(chosen)}
          />
        </div>
      )}
    </Card>
  );
}
