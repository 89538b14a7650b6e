import type { Ledger } from '@fixpoint/protocol/admin';
import { knownKind, type LedgerKind } from '../../cloud/ledgers/known-kinds.ts';
import { useToken } from '../../cloud/queries/use-cloud.ts';
import { storageBase } from '../../ui/pages/base-path.ts';
import { CodeBlock } from '../../ui/text/code-block.tsx';
import { CopyButton } from '../../ui/text/copy-button.tsx';
import { type SnippetVariant, snippetFor } from './snippet.ts';

export interface SnippetProps {
  readonly label: string;
  readonly tenantId: string;
  readonly ledger: string;
  readonly token: string;
  readonly kind: LedgerKind | undefined;
  readonly code?: SnippetVariant['code'];
}

/** Shows code that attaches an app's database to a ledger of this cloud, with a copy button. */
export function Snippet({ label, tenantId, ledger, token, kind, code = snippetFor }: SnippetProps) {
  const text = code({ base: storageBase(), tenant: tenantId, ledger, token, kind });
  return <CodeBlock label={label} text={text} actions={<CopyButton text={text} tone="quiet" size="sm" />} />;
}

/** Shows how an app writes to an empty ledger. Renders nothing when the user can't get a token. */
export function LedgerFirstSteps(ledger: Pick<Ledger, 'tenantId' | 'ledgerId' | 'kind'>) {
  const { tenantId, ledgerId } = ledger;
  const { data: token } = useToken(tenantId, ledgerId);
  if (token === undefined) return null;
  return (
    <div className="mt-5">
      <Snippet
        label="Or write to it from your app. The token is valid for one hour."
        tenantId={tenantId}
        ledger={ledgerId}
        token={token}
        kind={knownKind(ledger)}
      />
    </div>
  );
}
