import { useQuery } from '@tanstack/react-query';
import { Archive, ArrowLeft, Building2, Inbox, MailWarning, ScrollText, Server, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { useApp } from '../../cloud/app.ts';
import { NavItem } from '../layout/tree.tsx';
import { serverQuery } from './operator-queries.ts';

const BASE = '/fp/cloud/operator';

/** Shows the pages of operators, with counts. */
export function OperatorSidebar() {
  const { data: server } = useQuery(serverQuery(useApp().api));
  return (
    <div className="flex h-full flex-col gap-2">
      <p className="flex h-8 items-center gap-2 rounded-md border border-line bg-surface px-2.5 text-sm font-medium shadow-1">
        <Server size={15} aria-hidden className="text-ink-3" />
        <span className="truncate">{location.host}</span>
      </p>
      <nav aria-label="Operator" className="flex flex-col">
        <Item at="" icon={<Building2 size={16} aria-hidden />} name="Tenants" count={server?.tenants} />
        <Item at="/users" icon={<Users size={16} aria-hidden />} name="Users" count={server?.people} />
        <Item at="/waitlist" icon={<Inbox size={16} aria-hidden />} name="Waitlist" count={server?.waiting} />
        <Item
          at="/gateways"
          icon={<Server size={16} aria-hidden />}
          name="Gateways"
          count={server?.gateways}
        />
        <Item at="/backups" icon={<Archive size={16} aria-hidden />} name="Backups" />
        <Item at="/audit" icon={<ScrollText size={16} aria-hidden />} name="Audit log" />
        <Item
          at="/mails"
          icon={<MailWarning size={16} aria-hidden />}
          name="Failed mails"
          count={server?.failedMails}
        />
      </nav>
      <div className="mt-auto flex flex-col gap-1 border-t border-line px-2 pt-2 text-xs text-ink-3">
        {server !== undefined && <span>Version {server.version}</span>}
        <Link
          to="/fp/cloud"
          className="flex h-7 items-center gap-1.5 rounded font-medium text-accent-ink hover:underline max-md:h-10"
        >
          <ArrowLeft size={13} aria-hidden /> Back to your tenants
        </Link>
      </div>
    </div>
  );
}

interface ItemProps {
  readonly at: string;
  readonly icon: ReactNode;
  readonly name: string;
  readonly count?: number | undefined;
}

function Item({ at, icon, name, count }: ItemProps) {
  const active = useLocation().pathname.replace(/\/$/, '') === BASE + at;
  return (
    <NavItem to={BASE + at} active={active}>
      {icon} {name}
      {count !== undefined && count > 0 && (
        <span className="ml-auto text-xs text-ink-3 tabular-nums">{count.toLocaleString()}</span>
      )}
    </NavItem>
  );
}
