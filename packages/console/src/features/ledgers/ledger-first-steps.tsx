import type { Ledger } from '@fixpoint/protocol/admin';
import { knownKind } from '../../cloud/known-kinds.ts';
import { useToken } from '../../cloud/use-cloud.ts';
import { Snippet } from '../tenants/snippet-block.tsx';

/** Shows how an app writes to an empty ledger. Renders nothing when the user can't get a token. */
export function LedgerFirstSteps(ledger: Pick<Ledger, 'tenantId' | 'ledgerId' | 'kind'>) {
  const { tenantId, ledgerId } = ledger;
  const { data: token } = useToken(tenantId, ledgerId);
  if (token === undefined) return null;
  return (
    <div className="mt-5">
      <Snippet
        label="Or write to it from an application. The token lasts an hour."
        tenantId={tenantId}
        ledger={ledgerId}
        token={token}
        kind={knownKind(ledger)}
      />
    </div>
  );
}
