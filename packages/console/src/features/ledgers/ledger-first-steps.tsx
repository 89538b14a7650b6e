import { useToken } from '../../cloud/use-cloud.ts';
import { Snippet } from '../tenants/snippet-block.tsx';

/** How an application writes to a ledger, for who has no documents in it yet. Where no token can be had, nothing: the page is whole without it. */
export function LedgerFirstSteps({ tenantId, ledgerId }: { tenantId: string; ledgerId: string }) {
  const { data: token } = useToken(tenantId);
  if (token === undefined) return null;
  return (
    <div className="mt-5">
      <Snippet
        label="Or write to it from an application. The token lasts an hour."
        tenantId={tenantId}
        ledger={ledgerId}
        token={token}
      />
    </div>
  );
}
