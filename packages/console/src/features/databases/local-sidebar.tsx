import { LIMITS } from '@fixpoint/protocol';
import { ChevronRight, Clock, Code, Plug, Plus, Table } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation, useMatches } from 'react-router';
import { labelOf } from '../../local/saved-queries.ts';
import { type ListedDatabase, useLocalDatabases } from '../../local/use-local-databases.ts';
import { useSavedQueries } from '../../local/use-saved-queries.ts';
import { truncate } from '../../values/truncate.ts';
import { NamedNavItem, NavItem } from '../layout/nav-item.tsx';

/** Lists the databases of this browser, each with its pages. */
export function LocalSidebar() {
  const databases = useLocalDatabases();
  const current = useCurrentDatabase();
  const { pathname } = useLocation();
  return (
    <nav aria-label="Local databases" className="flex flex-col gap-1">
      <NavItem to="/fp/databases/new" active={pathname === '/fp/databases/new'}>
        <Plus size={16} aria-hidden /> New database
      </NavItem>
      <NavItem to="/fp/databases/connect" active={pathname === '/fp/databases/connect'}>
        <Plug size={16} aria-hidden /> Connect
      </NavItem>
      <h2 className="mt-3 px-3 text-xs font-medium text-muted">
        <Link to="/fp/databases" className="block rounded py-1.5 -outline-offset-2 hover:text-text">
          Local databases
        </Link>
      </h2>
      {databases === undefined && (
        <p role="status" className="px-3 text-sm text-muted">
          Loading...
        </p>
      )}
      {databases?.length === 0 && (
        <p className="px-3 text-sm text-muted">No databases in this browser yet.</p>
      )}
      {databases?.map((database) => (
        <Entry key={database.name} database={database} isCurrent={database.name === current} />
      ))}
    </nav>
  );
}

/** Returns the local name of the database whose page is open. */
function useCurrentDatabase(): string | undefined {
  const matches = useMatches();
  for (const { loaderData } of matches) {
    const name = (loaderData as { localName?: unknown } | null | undefined)?.localName;
    if (typeof name === 'string') return name;
  }
  return undefined;
}

function Entry({ database, isCurrent }: { database: ListedDatabase; isCurrent: boolean }) {
  const { name, path } = database;
  const { pathname } = useLocation();
  const isQuery = pathname.startsWith(`${path}/query`);
  return (
    <Disclosure
      label={truncate(name, LIMITS.sidebarNameCharsMax)}
      title={name}
      isWanted={isCurrent}
      isCurrent={isCurrent}
    >
      <NavItem to={path} active={pathname === path || pathname.startsWith(`${path}/docs`)}>
        <Table size={14} aria-hidden /> All Documents
      </NavItem>
      <NavItem to={`${path}/history`} active={pathname === `${path}/history`}>
        <Clock size={14} aria-hidden /> History
      </NavItem>
      <NavItem to={`${path}/query`} active={pathname === `${path}/query`}>
        <Code size={14} aria-hidden /> Query
      </NavItem>
      <Disclosure label="Saved Queries" title={`Saved queries of ${name}`} isWanted={isQuery}>
        <SavedQueries database={name} path={path} />
      </Disclosure>
    </Disclosure>
  );
}

function SavedQueries({ database, path }: { database: string; path: string }) {
  const { pathname } = useLocation();
  const { loaded, queries, error } = useSavedQueries(database);
  if (!loaded) return <p className="px-3 py-1 text-xs text-muted">Loading...</p>;
  if (error !== undefined)
    return <p className="px-3 py-1 text-xs text-danger">Couldn’t load the saved queries.</p>;
  if (queries.length === 0) return <p className="px-3 py-1 text-xs text-muted">No saved queries yet.</p>;
  return queries.map((query, at) => {
    const to = `${path}/query/${encodeURIComponent(query._id)}`;
    return <NamedNavItem key={query._id} to={to} active={pathname === to} name={labelOf(query, at)} />;
  });
}

/**
 * Renders a heading that expands and collapses the content below. Expands each time `isWanted`
 * becomes true.
 */
function Disclosure(props: {
  label: string;
  title: string;
  isWanted: boolean;
  isCurrent?: boolean;
  children: ReactNode;
}) {
  const { label, title, isWanted, isCurrent = false, children } = props;
  const [isOpen, setOpen] = useState(isWanted);
  useEffect(() => {
    if (isWanted) setOpen(true);
  }, [isWanted]);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary
        title={title}
        className={`flex cursor-pointer list-none items-center gap-1.5 rounded-md px-2 py-2 text-sm hover:bg-raised [&::-webkit-details-marker]:hidden ${isCurrent ? 'font-medium' : ''}`}
      >
        <ChevronRight
          size={14}
          aria-hidden
          className={`shrink-0 text-muted transition-transform ${isOpen ? 'rotate-90' : ''}`}
        />
        <span className="truncate">{label}</span>
      </summary>
      <div className="ml-3.5 flex flex-col border-l border-line pl-1.5">{isOpen && children}</div>
    </details>
  );
}
