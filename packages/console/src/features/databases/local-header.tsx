import type { Attached } from 'fixpoint';
import { Laptop } from 'lucide-react';
import type { ReactNode } from 'react';
import { databaseTabs } from '../../local/database-pages.ts';
import { Badge } from '../../ui/badge.tsx';
import { lazyComponent } from '../../ui/pages/lazy-component.tsx';
import { type Crumb, PageHeader } from '../../ui/pages/page.tsx';
import { Tabs } from '../../ui/pages/tabs.tsx';
import { DatabaseMenu, LockedButton } from './database-menu.tsx';
import type { LocalDatabase } from './local-database.ts';

const ConnectedBadge = lazyComponent(
  async () => (await import('../connect/connected-badge.tsx')).ConnectedBadge,
);

export interface LocalHeaderProps {
  readonly local: LocalDatabase;
  /** Name of the page; undefined for the database's own page. */
  readonly page?: string;
  /** Whether the page has its own title instead of the database's title and tabs. */
  readonly isOwnTitle?: boolean;
  /** Window title of a page with its own name. */
  readonly name?: string | undefined;
  /** The ledger that the database syncs with, if it is attached to one. */
  readonly attached?: Promise<Attached> | undefined;
  /** The tenant of that ledger. */
  readonly tenantId?: string | undefined;
  /** More items of the database's menu. */
  readonly items?: ReactNode;
  /** Actions at the right. */
  readonly children?: ReactNode;
}

/** Shows the title line of a local database's page, and the path to the page. */
export function LocalHeader(props: LocalHeaderProps) {
  const { local, page, isOwnTitle = false, name = page, attached, tenantId, items, children } = props;
  const { database, localName, title, pages, connection } = local;
  return (
    <>
      <title>{`${name === undefined ? '' : `${name} · `}${title} · Fixpoint`}</title>
      <PageHeader
        title={isOwnTitle && page !== undefined ? page : title}
        crumbs={crumbsOf(local, page, isOwnTitle)}
        beside={
          <>
            {!isOwnTitle && <StateBadge {...{ localName, connection }} />}
            <LockedButton database={localName} />
          </>
        }
        tabs={!isOwnTitle && <Tabs label="Database pages" tabs={databaseTabs(pages)} />}
      >
        {children}
        {!isOwnTitle && (
          <DatabaseMenu {...{ database, attached }} {...(tenantId && { tenantId })}>
            {items}
          </DatabaseMenu>
        )}
      </PageHeader>
    </>
  );
}

const StateBadge = ({ localName, connection }: Pick<LocalDatabase, 'localName' | 'connection'>) =>
  connection === undefined ? (
    <Badge title="This database is stored only in this browser.">
      <Laptop size={12} aria-hidden /> <span className="max-sm:sr-only">Local only</span>
    </Badge>
  ) : (
    <ConnectedBadge {...{ localName, connection }} />
  );

/**
 * Returns the path to the page. The remote name of a connected database follows the local name,
 * unless both are the same.
 */
function crumbsOf(
  { localName, localPath, remote, path, title }: LocalDatabase,
  page: string | undefined,
  isName: boolean,
): Crumb[] {
  const crumbs: Crumb[] = [{ text: 'Local databases', to: '/fp/databases' }];
  if (remote !== undefined && localName !== title)
    crumbs.push({ text: localName, to: localPath, isName: true });
  if (page === undefined) return [...crumbs, { text: title, isName: true }];
  return [...crumbs, { text: title, to: path, isName: true }, { text: page, isName }];
}
