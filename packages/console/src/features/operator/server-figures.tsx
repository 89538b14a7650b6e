import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useApp } from '../../cloud/app.ts';
import { bytesText } from '../../values/bytes-text.ts';
import { serverQuery } from './operator-queries.ts';

export const SIGN_UP = {
  open: { name: 'Open', what: 'anyone can create an account' },
  waitlist: { name: 'Waitlist', what: 'new accounts wait for approval' },
  closed: { name: 'Closed', what: 'nobody can create an account' },
} as const;

/** Shows the figures of the whole server in one line. */
export function ServerFigures() {
  const { data: server } = useQuery(serverQuery(useApp().api));
  if (server === undefined) return <div aria-hidden className="-mx-4 -mt-4 mb-4 h-17 bg-sunken" />;
  const { gateways, people, waiting, bytes, tenants, signUp, failedMails } = server;
  const mode = SIGN_UP[signUp];
  return (
    <dl
      aria-label="Server"
      className="-mx-4 -mt-4 mb-4 grid grid-cols-5 border-b border-line bg-sunken max-lg:grid-cols-3 max-sm:grid-cols-2"
    >
      <Figure name="Sign-up" value={mode.name} note={mode.what} />
      <Figure name="People" value={people.toLocaleString()} note={`${waiting} on the waitlist`} />
      <Figure
        name="Storage"
        value={bytesText(bytes)}
        note={tenants === 1 ? 'in 1 tenant' : `in ${tenants.toLocaleString()} tenants`}
      />
      <Figure name="Gateways" value={String(gateways)} note="running" />
      <Figure
        name="Failed mails"
        value={String(failedMails)}
        note={<span className={failedMails > 0 ? 'font-medium text-conflict' : ''}>in 7 days</span>}
      />
    </dl>
  );
}

function Figure({ name, value, note }: { name: string; value: string; note: ReactNode }) {
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
