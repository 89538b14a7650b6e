import { NavLink } from 'react-router';
import { labelOf } from '../../local/saved-queries.ts';
import { useSavedQueries } from '../../local/use-saved-queries.ts';

const LOOK =
  'inline-flex h-7 max-w-52 items-center rounded-full border px-3 text-xs font-medium -outline-offset-1';

/**
 * Links to the saved queries of a database on pages without a sidebar; renders nothing if no query
 * is saved.
 */
export function SavedQueryLinks({ database, queryPath }: { database: string; queryPath: string }) {
  const { queries } = useSavedQueries(database);
  if (queries.length === 0) return null;
  const links = queries.map((query, at) => ({
    to: `${queryPath}/${encodeURIComponent(query._id)}`,
    label: labelOf(query, at),
  }));
  return (
    <nav aria-label="Saved queries" className="mb-4 flex flex-wrap gap-2">
      {[{ to: queryPath, label: 'New query' }, ...links].map(({ to, label }) => (
        <NavLink
          key={to}
          to={to}
          end
          title={label}
          className={({ isActive }) =>
            `${LOOK} ${isActive ? 'border-accent bg-accent-soft text-accent-ink' : 'border-line text-ink-3 hover:border-control-line hover:text-ink'}`
          }
        >
          <span className="truncate">{label}</span>
        </NavLink>
      ))}
    </nav>
  );
}
