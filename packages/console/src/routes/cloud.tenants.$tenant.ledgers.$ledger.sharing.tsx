import { Users } from 'lucide-react';
import { useLedger } from '../features/ledgers/ledger-context.ts';
import { LinkButton } from '../ui/button.tsx';
import { EmptyState } from '../ui/feedback.tsx';

/** .../ledgers/{ledgerId}/sharing */
export function Component() {
  const { tenantId, name } = useLedger();
  return (
    <>
      <title>{`Sharing · ${name} · Fixpoint`}</title>
      <EmptyState
        icon={<Users size={20} />}
        title="Control who has access to your database."
        text="Everybody in the tenant can read and write it. Invite people to the tenant to share it with them."
      >
        <LinkButton to={`/fp/cloud/tenants/${tenantId}/members`}>Members</LinkButton>
      </EmptyState>
    </>
  );
}
