import type { ServerTenant } from '@fixpoint/protocol/admin';
import { useInfiniteQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useApp } from '../../cloud/app.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/text/copy-button.tsx';
import { agoOf, dayOf, timeOf } from '../../ui/text/moment.ts';
import { bytesText } from '../../values/bytes-text.ts';
import { describeAction } from '../tenants/describe-action.ts';
import { LimitsForm, LOWER_LIMITS } from './limits-form.tsx';
import { recordsQuery } from './operator-queries.ts';
import { isNearShare, shareOf } from './tenant-limits.ts';

export interface TenantPanelProps {
  readonly tenant: ServerTenant;
  readonly onClose: () => void;
}

/** Shows one tenant beside the list: its storage, traffic, limits and last events. */
export function TenantPanel({ tenant, onClose }: TenantPanelProps) {
  const { name, ownerEmail, ownerUserId, createdAt, status, tenantId, traffic } = tenant;
  const sum = (key: 'uploaded' | 'downloaded') => traffic.reduce((all, day) => all + day[key], 0);
  return (
    <aside
      aria-label={`Tenant ${name}`}
      className="w-73 shrink-0 divide-y divide-line overflow-y-auto border-l border-line bg-sunken text-sm"
    >
      <div className="px-4 py-3.5">
        <div className="flex items-start gap-2">
          <h2 className="min-w-0 grow text-lg leading-6 font-semibold wrap-anywhere">{name}</h2>
          {status !== 'active' && <Badge tone="decide">{status}</Badge>}
          <IconButton label="Close" className="-my-0.5 -mr-2" onClick={onClose}>
            <X size={14} aria-hidden />
          </IconButton>
        </div>
        <p className="mt-1 text-xs wrap-anywhere text-ink-3">
          Created {dayOf(createdAt)}, owned by {ownerEmail ?? ownerUserId}
        </p>
        <p className="mt-1 flex items-center gap-1 text-xs text-ink-3">
          <code className="min-w-0 truncate font-mono" title={tenantId}>
            {tenantId}
          </code>
          <CopyButton text={tenantId} label="Copy tenant id" tone="quiet" size="sm" />
        </p>
      </div>
      <Storage {...tenant} />
      <Part title="Traffic in 14 days">
        <dl className="grid grid-cols-[1fr_auto] gap-y-1 tabular-nums">
          <dt className="text-ink-2">Sent to the server</dt>
          <dd className="font-medium">{bytesText(sum('uploaded'))}</dd>
          <dt className="text-ink-2">Fetched from it</dt>
          <dd className="font-medium">{bytesText(sum('downloaded'))}</dd>
        </dl>
      </Part>
      <Part title="Limits">
        {/* Saved limits are the new values of the fields. */}
        <LimitsForm key={JSON.stringify(tenant)} id="limits" tenant={tenant}>
          {(isBusy) => (
            <div className="mt-2 flex flex-wrap items-center gap-x-2 gap-y-1">
              <Button type="submit" tone="primary" disabled={isBusy}>
                Save limits
              </Button>
              <p className="text-xs text-ink-3">{LOWER_LIMITS}</p>
            </div>
          )}
        </LimitsForm>
      </Part>
      <LastEvents tenantId={tenantId} />
    </aside>
  );
}

const Part = ({ title, children }: { title: ReactNode; children: ReactNode }) => (
  <div className="px-4 py-3">
    <h3 className="mb-1.5 text-xs leading-5 font-semibold">{title}</h3>
    {children}
  </div>
);

function Storage(tenant: ServerTenant) {
  const { bytes, maxBytes } = tenant;
  const share = shareOf(bytes, maxBytes);
  const isNear = isNearShare(share);
  return (
    <Part
      title={
        <>
          Storage{' '}
          <span className={`font-normal ${isNear ? 'text-conflict' : 'text-ink-3'}`}>
            {bytesText(bytes)} {maxBytes === undefined ? 'without a quota' : `of ${bytesText(maxBytes)}`}
          </span>
        </>
      }
    >
      {share !== undefined && (
        <div aria-hidden className="h-2 overflow-hidden rounded-xs bg-pressed">
          <div
            className={`h-full ${isNear ? 'bg-conflict' : 'bg-accent'}`}
            style={{ width: `${share * 100}%` }}
          />
        </div>
      )}
      {share !== undefined && (
        <p className="mt-1 text-xs text-ink-3">Devices keep what exceeds the quota, and send it later.</p>
      )}
    </Part>
  );
}

/** Number of events to show. */
const SHOWN = 5;

/** Shows the newest audit records of the tenant, among the newest ones of the server. */
function LastEvents({ tenantId }: { tenantId: string }) {
  const { data, isError } = useInfiniteQuery(recordsQuery(useApp().api));
  const all = data?.pages[0]?.records ?? [];
  const records = all.filter((record) => record.tenantId === tenantId).slice(0, SHOWN);
  return (
    <Part title="Last events">
      {records.length === 0 ? (
        <p className="text-xs text-ink-3">
          {isError
            ? 'Couldn’t load the events.'
            : data === undefined
              ? 'Loading...'
              : `None among the last ${all.length} events of the server.`}
        </p>
      ) : (
        <ul aria-label="Last events" className="flex flex-col gap-1.5">
          {records.map((record) => (
            <li key={record.seq} className="flex gap-3">
              <span className="min-w-0 grow wrap-anywhere">
                {record.email ?? record.userId} {actionText(record)}
              </span>
              <time
                dateTime={record.at}
                title={timeOf(record.at)}
                className="shrink-0 text-xs leading-5 text-ink-3"
              >
                {agoOf(Date.parse(record.at), Date.now())}
              </time>
            </li>
          ))}
        </ul>
      )}
      <Link
        to="/fp/cloud/operator/audit"
        className="mt-2 inline-block font-medium text-accent-ink hover:underline"
      >
        Audit log
      </Link>
    </Part>
  );
}

function actionText(record: Parameters<typeof describeAction>[0]): ReactNode {
  const { did, details } = describeAction(record, () => undefined);
  return (
    <>
      {did}
      {details.length > 0 && <span className="text-ink-3">: {details.join(', ')}</span>}
    </>
  );
}
