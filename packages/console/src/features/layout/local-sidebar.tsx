import { useLiveQuery } from '@fixpoint/react';
import { ChevronRight, Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link, useLocation, useParams } from 'react-router';
import { listDatabases, onListChange } from '../../local/databases.ts';
import { labelOf, type SavedQuery, savedQueriesOf } from '../../local/saved-queries.ts';
import { truncate } from '../../ui/truncate.ts';
import { NavItem } from './nav-item.tsx';

const NAME_CHARS_MAX = 20;

/** The databases of this browser, each with its pages. */
export function LocalSidebar() {
  const [names, setNames] = useState<readonly string[] | undefined>();
  useEffect(() => {
    const load = () => void listDatabases().then(setNames);
    load();
    return onListChange(load);
  }, []);
  return (
    <div>
      <div className="mb-2 flex items-center justify-between">
        <h2 className="px-1 text-xs font-medium text-muted">Local databases</h2>
        <Link
          to="/fp/databases/new"
          aria-label="New database"
          className="grid size-9 place-items-center rounded-md hover:bg-raised"
        >
          <Plus size={16} aria-hidden />
        </Link>
      </div>
      {names === undefined ? (
        <p role="status">Loading...</p>
      ) : (
        names.map((name) => <Entry key={name} name={name} />)
      )}
      {names?.length === 0 && <p className="px-1 text-sm text-muted">None yet.</p>}
    </div>
  );
}

function Entry({ name }: { name: string }) {
  const chosen = useParams()['name'] === name;
  const [open, setOpen] = useState(chosen);
  useEffect(() => {
    if (chosen) setOpen(true);
  }, [chosen]);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)} className="group">
      <summary
        title={name}
        className="flex cursor-pointer list-none items-center gap-1 rounded-md px-1 py-2 text-sm hover:bg-raised"
      >
        <ChevronRight size={14} aria-hidden className="transition-transform group-open:rotate-90" />
        {truncate(name, NAME_CHARS_MAX)}
      </summary>
      {open && <Pages name={name} />}
    </details>
  );
}

function Pages({ name }: { name: string }) {
  const { pathname } = useLocation();
  const base = `/fp/databases/${encodeURIComponent(name)}`;
  const saved = useLiveQuery<SavedQuery>(savedQueriesOf(name), '_id');
  const pages = [
    { to: base, text: 'All Documents' },
    { to: `${base}/history`, text: 'History' },
    { to: `${base}/query`, text: 'Query' },
  ];
  return (
    <nav aria-label={name} className="ml-5 flex flex-col border-l border-line pl-2">
      {pages.map(({ to, text }) => (
        <NavItem key={to} to={to} active={pathname === to}>
          {text}
        </NavItem>
      ))}
      <p className="px-3 pt-2 text-xs text-muted">Saved Queries</p>
      {saved.docs.map((query, at) => {
        const to = `${base}/query/${encodeURIComponent(query._id)}`;
        return (
          <NavItem key={query._id} to={to} active={pathname === to} title={labelOf(query, at)}>
            {truncate(labelOf(query, at), NAME_CHARS_MAX)}
          </NavItem>
        );
      })}
    </nav>
  );
}
