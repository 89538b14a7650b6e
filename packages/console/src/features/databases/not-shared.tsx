import { Cloud, CloudOff, Laptop, LogIn } from 'lucide-react';
import type { ReactNode } from 'react';
import type { LedgerPlace } from '../../local/endpoint.ts';
import { LinkButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/pages/feedback.tsx';
import { ConnectButton, SignIn } from '../connect/connect-links.tsx';
import { describeStanding, type Standing } from '../connect/describe-standing.ts';
import type { LocalDatabase } from './local-database.ts';

export type Unshared = Exclude<Standing, { is: 'waiting' | 'failed' | 'syncing' }>;

/** Says why nobody else has access, or why this page can't show it, and what to do. */
export function NotShared({ local, standing }: { local: LocalDatabase; standing: Unshared }) {
  const { localName, pages } = local;
  switch (standing.is) {
    case 'local':
      return (
        <Empty
          icon={<Laptop size={20} />}
          title="Only in this browser"
          text="Nobody else has access to this database. To share it, connect it to a database in the cloud."
        >
          <ConnectButton localName={localName} tone="primary" />
        </Empty>
      );
    case 'unusable':
      return (
        <Empty
          icon={<CloudOff size={20} />}
          title="Not connected"
          text={`${describeStanding(standing).why} So it can’t show who has access there.`}
        >
          <ConnectButton localName={localName} label="Change" />
        </Empty>
      );
    case 'elsewhere':
      if (standing.hasEnded)
        return (
          <Empty
            icon={<CloudOff size={20} />}
            title="Access ended"
            text={`This database doesn’t sync until you renew access at ${standing.host}. Everybody with access to it there has the documents that were sent before.`}
          >
            <LinkButton to={pages.all}>Review the connection</LinkButton>
          </Empty>
        );
      return <Unconfirmed to={pages.all} />;
    case 'asking':
      return <Unconfirmed to={pages.all} />;
    case 'signed-out':
      return (
        <Empty
          icon={<LogIn size={20} />}
          title="Sign in to see who has access"
          text="This database syncs with a database in the cloud while you are signed in."
        >
          <SignIn />
        </Empty>
      );
  }
}

const Unconfirmed = ({ to }: { to: string }) => (
  <Empty
    icon={<CloudOff size={20} />}
    title="Not connected yet"
    text="Nothing is sent before you confirm the connection, so nobody else has access through it."
  >
    <LinkButton to={to}>Review the connection</LinkButton>
  </Empty>
);

interface SharedElsewhereProps {
  readonly host: string;
  readonly server: string;
  readonly place: LedgerPlace;
}

/** Leads to the people of a ledger of another server, which only that server's pages can show. */
export const SharedElsewhere = ({ host, server, place: { tenantId, ledgerId } }: SharedElsewhereProps) => (
  <Empty
    icon={<Cloud size={20} />}
    title={`Shared at ${host}`}
    text="This database syncs with one of another server. Everybody with access to it there gets these documents."
  >
    <a
      className="text-accent-ink underline"
      href={`${server}/fp/cloud/tenants/${encodeURIComponent(tenantId)}/ledgers/${encodeURIComponent(ledgerId)}/sharing`}
    >
      Sharing at {host}
    </a>
  </Empty>
);

interface EmptyProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly text: string;
  readonly children: ReactNode;
}

const Empty = ({ children, ...rest }: EmptyProps) => (
  <>
    <p className="mb-3 text-base text-ink-2">Control who has access to your database.</p>
    <EmptyState {...rest}>{children}</EmptyState>
  </>
);
