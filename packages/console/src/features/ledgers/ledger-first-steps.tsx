import type { Ledger } from '@fixpoint/protocol/admin';
import { knownKind } from '../../cloud/known-kinds.ts';
import { useToken } from '../../cloud/use-cloud.ts';
import { Snippet } from '../tenants/snippet-block.tsx';

/** How an application writes to a ledger, for who has no documents in it yet. Where no token can be had, nothing: the page is whole without it. */
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
