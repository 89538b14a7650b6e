import type { Answer } from '@fixpoint/protocol/admin';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useApp } from '../../cloud/app.ts';
import { agoOf } from '../../ui/text/moment.ts';
import { bytesText } from '../../values/bytes-text.ts';
import { backupsQuery, gatewaysQuery, serverQuery } from './operator-queries.ts';

export const SIGN_UP = {
  open: { name: 'Open', what: 'anyone can create an account' },
  waitlist: { name: 'Waitlist', what: 'new accounts wait for approval' },
  closed: { name: 'Closed', what: 'nobody can create an account' },
} as const;

/** Shows the figures of the whole server in one line. */
export function ServerFigures() {
  const { api } = useApp();
  const { data: server } = useQuery(serverQuery(api));
  const gateways = useQuery(gatewaysQuery(api));
  const backups = useQuery(backupsQuery(api));
  const failed = server?.failedMails ?? 0;
  const sockets = gateways.data?.reduce((sum, one) => sum + one.sockets, 0);
  const unknown = (isError: boolean) => (isError ? 'unknown' : '…');
  return (
    <dl
      aria-label="Server"
      className="grid shrink-0 grid-cols-5 border-b border-line bg-sunken max-lg:grid-cols-3 max-sm:grid-cols-2"
    >
      <Figure
        name="Gateways"
        value={server === undefined ? '…' : String(server.gateways)}
        note={server && `running ${server.version}`}
      />
      <Figure name="Connections" value={sockets?.toLocaleString() ?? unknown(gateways.isError)} note="now" />
      <Figure
        name="Storage"
        value={server === undefined ? '…' : bytesText(server.bytes)}
        note={
          server && (server.tenants === 1 ? 'in 1 tenant' : `in ${server.tenants.toLocaleString()} tenants`)
        }
      />
      <Figure name="Last backup" {...lastBackup(backups.data, unknown(backups.isError))} />
      <Figure
        name="Failed mails"
        value={server === undefined ? '…' : String(failed)}
        note={<span className={failed > 0 ? 'font-medium text-conflict' : ''}>in 7 days</span>}
      />
    </dl>
  );
}

type Backups = Answer<'reqListBackups'>;

/** Returns when the last backup was made, and what to know about it. */
function lastBackup(answer: Backups | undefined, unknown: string): { value: string; note?: ReactNode } {
  if (answer === undefined) return { value: unknown };
  const [newest] = answer.backups;
  if (newest === undefined)
    return { value: 'None', note: answer.everyHours === undefined ? 'not scheduled' : 'yet' };
  const note = newest.missing > 0 ? `${newest.missing} objects missing` : 'complete';
  return {
    value: agoOf(Date.parse(newest.moment), Date.now()),
    note: <span className={newest.missing > 0 ? 'font-medium text-conflict' : ''}>{note}</span>,
  };
}

function Figure({ name, value, note }: { name: string; value: string; note?: ReactNode }) {
  return (
    <div className="border-line px-4 py-2.5 not-first:border-l max-lg:not-first:border-l-0">
      <dt className="text-xs font-medium text-ink-2">{name}</dt>
      <dd className="mt-0.5 flex flex-wrap items-baseline gap-x-1.75">
        <span className="text-xl font-semibold tracking-tight tabular-nums">{value}</span>
        <span className="text-xs text-ink-3">{note}</span>
      </dd>
    </div>
  );
}
