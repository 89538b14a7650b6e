import { useLedger } from '../features/ledgers/ledger-context.ts';
import { LedgerSharing } from '../features/sharing/ledger-sharing.tsx';

/** .../ledgers/{ledgerId}/sharing */
export function Component() {
  const { tenantId, ledgerId, name, attached } = useLedger();
  return (
    <>
      <title>{`Sharing · ${name} · Fixpoint`}</title>
      <LedgerSharing {...{ tenantId, ledgerId, attached }} />
    </>
  );
}
