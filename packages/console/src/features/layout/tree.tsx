/** Parts of the sidebar's tree. */
import { LIMITS } from '@fixpoint/protocol';
import { ChevronRight, Database } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'react-router';
import type { DatabasePages } from '../../local/database-pages.ts';
import { isView, labelOf, savedPath } from '../../local/saved-queries.ts';
import { useSavedQueries } from '../../local/use-saved-queries.ts';
import { lazyComponent } from '../../ui/pages/lazy-component.tsx';
import { truncate } from '../../values/truncate.ts';

const DocumentCount = lazyComponent(
  async () => (await import('../../local/document-counts.tsx')).DocumentCount,
);

export interface NavItemProps {
  readonly to: string;
  readonly active: boolean;
  readonly children: ReactNode;
}

export function NavItem({ to, active, children }: NavItemProps) {
  return (
    <Link to={to} aria-current={active ? 'page' : undefined} className={lookOf(active)}>
      {children}
    </Link>
  );
}

const ROW =
  'relative h-7 w-full min-w-0 items-center rounded-md px-2 text-sm whitespace-nowrap -outline-offset-2 transition-colors max-md:h-10';
const CONTENT = 'flex items-center gap-1.75 [&>svg]:shrink-0 [&>svg]:text-ink-3';
/** Spans the row of an entry, and leaves its second column to the state. */
const NAMED = 'col-span-full row-start-1 grid grid-cols-subgrid';
const MARK =
  'before:absolute before:inset-y-1.75 before:left-0 before:w-0.5 before:rounded-full before:bg-accent';

const lookOf = (active: boolean, layout = CONTENT): string =>
  `${ROW} ${layout} ${active ? `bg-pressed font-medium text-ink ${MARK}` : 'text-ink-2 hover:bg-pressed hover:text-ink'}`;

interface NamedNavItemProps extends Omit<NavItemProps, 'children'> {
  readonly name: string;
  readonly icon?: ReactNode;
}

/**
 * Renders an entry with a name that a user chose. For a truncated name, screen readers announce the
 * shown text, which other people may refer to, and then the full name.
 */
function NamedNavItem({ to, active, name, icon }: NamedNavItemProps) {
  const shown = truncate(name, LIMITS.sidebarNameCharsMax);
  return (
    <Link
      to={to}
      title={name}
      aria-label={shown === name ? undefined : `${shown} ${name}`}
      aria-current={active ? 'page' : undefined}
      className={lookOf(active, NAMED)}
    >
      <span className={`${CONTENT} min-w-0`}>
        {icon}
        <span className="truncate">{shown}</span>
      </span>
    </Link>
  );
}

export interface DatabaseEntryProps {
  readonly name: string;
  /** Name of the database's storage, which names its saved queries too. */
  readonly storage: string;
  /** Path of the database. */
  readonly to: string;
  readonly pages: DatabasePages;
  /** Whether the page belongs to this database. */
  readonly isCurrent: boolean;
  /** Shown at the right of the name. */
  readonly state?: ReactNode;
}

/** Renders a database with its pages, which its button expands and collapses. */
export function DatabaseEntry({ name, storage, to, pages, isCurrent, state }: DatabaseEntryProps) {
  const [isOpen, setOpen] = useOpen(isCurrent);
  const { pathname } = useLocation();
  const isOfDocuments = pathname === pages.all || pathname.startsWith(`${pages.docs}/`);
  const isOfPage = isOfDocuments || pathname === pages.history || pathname.startsWith(pages.query);
  const shown = truncate(name, LIMITS.sidebarNameCharsMax);
  return (
    <li>
      <div className="flex items-center">
        <Toggle label={`Pages of ${shown}`} isOpen={isOpen} onToggle={setOpen} />
        <div className="grid min-w-0 grow grid-cols-[minmax(0,1fr)_auto] items-center">
          <NamedNavItem
            to={to}
            active={isCurrent && !isOfPage}
            name={name}
            icon={<Database size={15} aria-hidden />}
          />
          {state !== undefined && (
            <span className="pointer-events-none relative col-start-2 row-start-1 px-2">{state}</span>
          )}
        </div>
      </div>
      {isOpen && (
        <div className={BRANCH}>
          <div className="relative">
            <NavItem to={pages.all} active={isOfDocuments}>
              All Documents
            </NavItem>
            <DocumentCount storage={storage} />
          </div>
          <NavItem to={pages.query} active={pathname === pages.query}>
            Query
          </NavItem>
          <NavItem to={pages.history} active={pathname === pages.history}>
            History
          </NavItem>
          <SavedQueries name={shown} storage={storage} pages={pages} />
        </div>
      )}
    </li>
  );
}

const BRANCH =
  'ml-3 flex flex-col border-l border-line pl-2 [&_a]:h-6.5 pointer-coarse:[&_a]:h-8 max-md:[&_a]:h-10';

interface SavedQueriesProps {
  readonly name: string;
  readonly storage: string;
  readonly pages: DatabasePages;
}

function SavedQueries({ name, storage, pages }: SavedQueriesProps) {
  const { pathname, search } = useLocation();
  const isOfView = pathname === pages.all && new URLSearchParams(search).has('view');
  const [isOpen, setOpen] = useOpen(pathname.startsWith(pages.query) || isOfView);
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        title={`Saved queries of ${name}`}
        className={`cursor-pointer text-left ${lookOf(false)}`}
        onClick={() => setOpen(!isOpen)}
      >
        Saved Queries
        <ChevronRight
          size={14}
          aria-hidden
          className={`ml-auto transition-transform ${isOpen ? 'rotate-90' : ''}`}
        />
      </button>
      {isOpen && (
        <div className={BRANCH}>
          <SavedQueryItems storage={storage} pages={pages} />
        </div>
      )}
    </>
  );
}

function SavedQueryItems({ storage, pages }: Omit<SavedQueriesProps, 'name'>) {
  const { pathname, search } = useLocation();
  const view = pathname === pages.all ? new URLSearchParams(search).get('view') : null;
  const { loaded, queries, error } = useSavedQueries(storage);
  if (!loaded) return <p className={NOTE}>Loading...</p>;
  if (error !== undefined) return <p className={NOTE}>Couldn’t load the saved queries.</p>;
  if (queries.length === 0) return <p className={NOTE}>No saved queries yet.</p>;
  return queries.map((query, at) => {
    const to = savedPath(query, pages);
    const active = isView(query) ? view === query._id : pathname === to;
    return <NamedNavItem key={query._id} to={to} active={active} name={labelOf(query, at)} />;
  });
}

const NOTE = 'px-2 py-1 text-xs text-ink-3';

/** Returns whether a part is open. It opens each time `isWanted` becomes true. */
function useOpen(isWanted: boolean) {
  const [isOpen, setOpen] = useState(isWanted);
  useEffect(() => {
    if (isWanted) setOpen(true);
  }, [isWanted]);
  return [isOpen, setOpen] as const;
}

function Toggle(props: { label: string; isOpen: boolean; onToggle: (isOpen: boolean) => void }) {
  const { label, isOpen, onToggle } = props;
  return (
    <button
      type="button"
      aria-label={label}
      aria-expanded={isOpen}
      className="grid size-6 pointer-coarse:min-h-8 pointer-coarse:min-w-8 shrink-0 cursor-pointer place-items-center rounded text-ink-3 transition-colors hover:bg-pressed hover:text-ink max-md:size-10"
      onClick={() => onToggle(!isOpen)}
    >
      <ChevronRight size={14} aria-hidden className={`transition-transform ${isOpen ? 'rotate-90' : ''}`} />
    </button>
  );
}
