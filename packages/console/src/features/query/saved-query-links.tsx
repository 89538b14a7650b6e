import { NavLink } from 'react-router';
import type { DatabasePages } from '../../local/database-pages.ts';
import { isView, labelOf, savedPath } from '../../local/saved-queries.ts';
import { useSavedQueries } from '../../local/use-saved-queries.ts';

const LOOK =
  'inline-flex h-7 max-w-52 items-center rounded-full border px-3 text-xs font-medium -outline-offset-1';

/**
 * Links to the saved queries of a database on pages without a sidebar; renders nothing if no query
 * is saved.
 */
export function SavedQueryLinks({ database, pages }: { database: string; pages: DatabasePages }) {
  const { queries } = useSavedQueries(database);
  if (queries.length === 0) return null;
  const links = queries.map((query, at) => ({
    to: savedPath(query, pages),
    label: labelOf(query, at),
    isOther: isView(query),
  }));
  return (
    <nav aria-label="Saved queries" className="mb-4 flex flex-wrap gap-2">
      {[{ to: pages.query, label: 'New query', isOther: false }, ...links].map(({ to, label, isOther }) => (
        <NavLink
          key={to}
          to={to}
          end
          title={label}
          className={({ isActive }) =>
            `${LOOK} ${isActive && !isOther ? 'border-accent bg-accent-soft text-accent-ink' : 'border-line text-ink-3 hover:border-control-line hover:text-ink'}`
          }
        >
          <span className="truncate">{label}</span>
        </NavLink>
      ))}
    </nav>
  );
}
