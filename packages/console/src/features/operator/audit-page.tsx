import type { ServerRecord } from '@fixpoint/protocol/admin';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useApp } from '../../cloud/app.ts';
import { PageHeader } from '../../ui/pages/page.tsx';
import { timeOf } from '../../ui/text/moment.ts';
import { describeAction } from '../tenants/describe-action.ts';
import { PagedList } from './list-parts.tsx';
import { recordsQuery } from './operator-queries.ts';

/** /fp/cloud/operator/audit: lists who changed what, in all tenants and at the server itself. */
export function AuditPage() {
  const query = useInfiniteQuery(recordsQuery(useApp().api));
  return (
    <>
      <PageHeader
        title="Audit log"
        lead="Shows who changed what on this server. Nobody can change these records."
      />
      <PagedList
        query={query}
        empty="Nothing has changed yet."
        isEmpty={(pages) => pages.every(({ records }) => records.length === 0)}
      >
        {(pages) => (
          <ol aria-label="Audit log" className="divide-y divide-line">
            {pages.flatMap(({ records }) =>
              records.map((record) => <Entry key={`${record.tenantId} ${record.seq}`} record={record} />),
            )}
          </ol>
        )}
      </PagedList>
    </>
  );
}

const NO_NAMES = () => undefined;

function Entry({ record }: { record: ServerRecord }) {
  const { at, userId, email, tenantId, from } = record;
  const { did, details } = describeAction(record, NO_NAMES);
  return (
    <li className="flex flex-wrap justify-between gap-x-4 gap-y-0.5 py-2 text-sm sm:flex-nowrap">
      <span className="min-w-0 break-words">
        <span className="font-medium">{email ?? userId}</span> {did}
        {details.length > 0 && <span className="text-ink-3">: {details.join(', ')}</span>}
        <span className="block text-xs text-ink-3">
          {tenantId === 'server' ? 'Server' : `Tenant ${tenantId}`}
        </span>
      </span>
      <span className="text-xs leading-5 text-ink-3 sm:shrink-0">
        <time dateTime={at}>{timeOf(at)}</time>
        {from !== undefined && ` from ${from}`}
      </span>
    </li>
  );
}
