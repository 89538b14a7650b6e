import type { Ledger } from '@fixpoint/protocol/admin';
import { ChevronRight, Database } from 'lucide-react';
import { Link } from 'react-router';
import { dayOf } from '../../ui/text/moment.ts';
import { KindLabel } from '../keys/kinds/kind-badge.tsx';

/** Lists the databases of a tenant, each with a link. */
export function LedgerList({ tenantId, ledgers }: { tenantId: string; ledgers: readonly Ledger[] }) {
  return (
    <ul
      aria-label="Databases of this tenant"
      className="card divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface shadow-1"
    >
      {ledgers.map(({ ledgerId, name, kind, createdAt }) => (
        <li key={ledgerId}>
          <Link
            to={`/fp/cloud/tenants/${tenantId}/ledgers/${ledgerId}`}
            className="flex min-h-11 items-center gap-3 px-4 py-2.5 text-sm -outline-offset-2 transition-colors hover:bg-hover"
          >
            <Database size={15} aria-hidden className="shrink-0 text-ink-3" />
            <span className="min-w-0 grow truncate font-medium" title={name}>
              {name}
            </span>
            <span className="shrink-0 text-xs text-ink-3 max-sm:hidden">created {dayOf(createdAt)}</span>
            <KindLabel kind={kind} />
            <ChevronRight size={15} aria-hidden className="shrink-0 text-ink-3" />
          </Link>
        </li>
      ))}
    </ul>
  );
}
