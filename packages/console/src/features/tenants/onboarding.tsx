import type { Ledger } from '@fixpoint/protocol/admin';
import { useState } from 'react';
import { knownKind } from '../../cloud/ledgers/known-kinds.ts';
import { useToken } from '../../cloud/queries/use-cloud.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { ErrorPanel, Skeleton } from '../../ui/pages/feedback.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { documentationUrl } from '../../ui/pages/site-links.ts';
import { ViewTabs } from '../../ui/pages/tabs.tsx';
import { CopyButton } from '../../ui/text/copy-button.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { LEDGER_PLACEHOLDER, SNIPPETS } from './snippet.ts';
import { Snippet } from './snippet-block.tsx';

export interface OnboardingProps {
  readonly tenantId: string;
  readonly ledgers: readonly Ledger[];
}

/** Shows how an app attaches to a ledger of the tenant. */
export function Onboarding({ tenantId, ledgers }: OnboardingProps) {
  const [asked, setLedger] = useState<string>();
  const [variantId, setVariant] = useState('node');
  const variant = SNIPPETS.find(({ id }) => id === variantId) ?? SNIPPETS[0];
  const only = ledgers.length === 1 ? ledgers[0] : undefined;
  const ledger = asked ?? only?.ledgerId ?? LEDGER_PLACEHOLDER;
  const chosen = ledgers.find(({ ledgerId }) => ledgerId === ledger);
  const token = useToken(tenantId, chosen?.ledgerId);
  const kind = chosen && knownKind(chosen);
  const problem = variant.problem?.(chosen !== undefined, kind);
  return (
    <Card
      title="Connect your application"
      lead="Attach your app’s database to a database of this tenant. Both then keep the same documents in sync. The token is valid for one hour. If your app runs longer, pass a function that fetches a new token."
      actions={
        <a
          href={documentationUrl('guide/sync.html')}
          target="_blank"
          rel="noreferrer"
          className="inline-flex h-(--control) items-center rounded-md px-2 text-xs font-medium text-accent-ink hover:bg-hover"
        >
          Documentation
        </a>
      }
    >
      <div className="flex flex-col gap-3">
        <DatabaseChoice {...{ ledgers, ledger }} onChoose={setLedger} />
        <ViewTabs label="Kind of app" views={SNIPPETS} shown={variant.id} onShow={setVariant}>
          <div className="flex flex-col gap-3">
            {problem !== undefined && <p className="text-sm text-conflict">{problem}</p>}
            <Command text={variant.install} />
            {token.isPending && <Skeleton />}
            {token.isError && (
              <ErrorPanel message={failureText(token.error)}>
                <Button onClick={() => void token.refetch()}>Try again</Button>
              </ErrorPanel>
            )}
            {token.data !== undefined && (
              <Snippet
                {...{ tenantId, ledger, kind }}
                label={variant.file}
                token={token.data}
                code={variant.code}
              />
            )}
          </div>
        </ViewTabs>
      </div>
    </Card>
  );
}

interface DatabaseChoiceProps {
  readonly ledgers: readonly Ledger[];
  readonly ledger: string;
  readonly onChoose: (ledger: string) => void;
}

/** Stays in the page while a token loads, so that it keeps the focus. */
function DatabaseChoice({ ledgers, ledger, onChoose }: DatabaseChoiceProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      <span aria-hidden className="text-ink-3">
        Database
      </span>
      <Select
        label="Database of the snippet"
        className="min-w-0 grow sm:max-w-64"
        value={ledger}
        onChange={({ target }) => onChoose(target.value)}
      >
        <option value={LEDGER_PLACEHOLDER}>Choose a database</option>
        {ledgers.map(({ ledgerId, name }) => (
          <option key={ledgerId} value={ledgerId}>
            {name}
          </option>
        ))}
      </Select>
    </div>
  );
}

/** Shows a command for a terminal. */
function Command({ text }: { text: string }) {
  return (
    <div className="flex items-center justify-between gap-2 rounded-lg border border-line bg-sunken py-1 pr-1.5 pl-3">
      <code className="min-w-0 font-mono text-xs wrap-anywhere">{text}</code>
      <CopyButton text={text} label="Copy command" tone="quiet" size="sm" />
    </div>
  );
}
