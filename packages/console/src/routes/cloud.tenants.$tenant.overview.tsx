import type { UserTenant } from '@fixpoint/protocol/admin';
import { useQuery } from '@tanstack/react-query';
import { useOutletContext } from 'react-router';
import { cloudToken, ledgersQuery } from '../cloud/queries.ts';
import { LinkButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Card } from '../ui/feedback.tsx';

const snippetFor = (
  tenant: string,
  ledger: string,
  token: string,
) => `import { fixpoint, toCloud } from 'fixpoint';

const db = fixpoint('my-app');
await db.attach(
  toCloud({
    base: '${location.origin}',
    tenant: '${tenant}',
    ledger: '${ledger}',
    token: '${token}',
  }),
);`;

/** /fp/cloud/tenants/{tenantId}/overview */
export function Component() {
  const { tenantId } = useOutletContext<UserTenant>();
  const token = useQuery({ queryKey: ['token', tenantId], queryFn: () => cloudToken({ tenant: tenantId }) });
  const ledgers = useQuery(ledgersQuery);
  const own = ledgers.data?.filter((ledger) => ledger.tenantId === tenantId) ?? [];
  const ledger = own[0]?.ledgerId ?? '<ledger id>';
  return (
    <div className="flex flex-col gap-5">
      <Card title="Connect your app">
        <p className="mb-3 text-muted">
          Attach a database of your application to a database of this tenant. Both then hold the same
          documents, live. The token lasts an hour; an application that runs longer gives a function that
          fetches one.
        </p>
        <pre className="mb-3 max-h-80 overflow-auto rounded-md bg-raised p-4 font-mono text-xs leading-5 break-all whitespace-pre-wrap">
          {snippetFor(tenantId, ledger, token.data === undefined ? '<token>' : `${token.data.slice(0, 12)}…`)}
        </pre>
        <div className="flex flex-wrap gap-2">
          <CopyButton text={snippetFor(tenantId, ledger, token.data ?? '<token>')} label="Copy with token" />
          <a
            href="https://fixpoint.example/docs"
            rel="noreferrer"
            className="self-center text-accent underline"
          >
            Documentation
          </a>
        </div>
      </Card>
      {ledgers.isSuccess && own.length === 0 && (
        <Card title="Next step">
          <p className="mb-3 text-muted">This tenant has no database yet.</p>
          <LinkButton to={`/fp/cloud/tenants/${tenantId}/ledgers/new`} tone="primary">
            Create a database
          </LinkButton>
        </Card>
      )}
    </div>
  );
}
