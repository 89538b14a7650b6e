import type { Crumb } from '../ui/pages/page.tsx';
import type { Tab } from '../ui/pages/tabs.tsx';

/** Holds the paths of a database's pages, for a local database or a ledger. */
export interface DatabasePages {
  /** The page of all documents. */
  readonly all: string;
  /** The path of a document is this path plus its encoded id. */
  readonly docs: string;
  /** The path of a saved query is this path plus its encoded id. */
  readonly query: string;
  readonly history: string;
  readonly sharing: string;
  readonly settings: string;
  /** Whether the database syncs with a ledger here. */
  readonly isShared: boolean;
}

const pagesBelow = (path: string) => ({
  query: `${path}/query`,
  history: `${path}/history`,
  sharing: `${path}/sharing`,
  settings: `${path}/settings`,
});

export const localPages = (path: string): DatabasePages => ({
  all: path,
  docs: `${path}/docs`,
  ...pagesBelow(path),
  isShared: false,
});

export const ledgerPages = (path: string): DatabasePages => ({
  all: `${path}/documents`,
  docs: `${path}/documents`,
  ...pagesBelow(path),
  isShared: true,
});

/** Returns the tabs of a database. Local databases and those of a tenant have the same ones. */
export const databaseTabs = ({ all, docs, query, history, sharing, settings }: DatabasePages): Tab[] => [
  // A document has its own page, which is below the path of a local database.
  { to: all, text: 'Documents', isExact: all !== docs },
  { to: query, text: 'Query' },
  { to: history, text: 'History' },
  { to: sharing, text: 'Sharing' },
  { to: settings, text: 'Settings' },
];

/**
 * Returns the path from a database to one of its pages. A document belongs to the page of all
 * documents.
 */
export function crumbsBelow(name: string, pages: DatabasePages, pathname: string): Crumb[] {
  const tab = databaseTabs(pages).find(({ to }) => pathname === to || pathname.startsWith(`${to}/`));
  if (tab === undefined) return [{ text: name, isName: true }];
  return [{ text: name, to: pages.all, isName: true }, { text: tab.text }];
}
