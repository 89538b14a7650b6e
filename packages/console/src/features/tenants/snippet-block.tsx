import type { LedgerKind } from '../../cloud/known-kinds.ts';
import { CodeBlock } from '../../ui/text/code-block.tsx';
import { CopyButton } from '../../ui/text/copy-button.tsx';
import { snippetFor } from './snippet.ts';

export interface SnippetProps {
  readonly label: string;
  readonly tenantId: string;
  readonly ledger: string;
  readonly token: string;
  readonly kind: LedgerKind | undefined;
}

/** Shows code that attaches an app's database to a ledger of this cloud, with a copy button. */
export function Snippet({ label, tenantId, ledger, token, kind }: SnippetProps) {
  const text = snippetFor({ base: location.origin, tenant: tenantId, ledger, token, kind });
  return <CodeBlock label={label} text={text} actions={<CopyButton text={text} tone="quiet" size="sm" />} />;
}
