import { Plug, Plus } from 'lucide-react';
import { Link, useMatches } from 'react-router';
import { localPages } from '../../local/database-pages.ts';
import { isBlocked, useLocalDatabases } from '../../local/use-local-databases.ts';
import { IconLink } from '../../ui/button.tsx';
import { LocalState } from '../connect/local-state.tsx';
import { DatabaseEntry } from '../layout/tree.tsx';

/** Lists the databases of this browser, each with its pages. */
export function LocalSidebar() {
  const databases = useLocalDatabases();
  const current = useCurrentDatabase();
  return (
    <nav aria-label="Local databases">
      <div className="flex h-7 items-center text-ink-3 max-md:h-10">
        <h2 className="min-w-0 flex-1 text-xs font-medium">
          <Link to="/fp/databases" className="block rounded px-2 py-1 -outline-offset-2 hover:text-ink">
            Local databases
          </Link>
        </h2>
        <IconLink to="/fp/databases/connect" label="Connect">
          <Plug size={14} aria-hidden />
        </IconLink>
        <IconLink to="/fp/databases/new" label="New local database">
          <Plus size={15} aria-hidden />
        </IconLink>
      </div>
      {databases === undefined && (
        <p role="status" className="px-2 text-sm text-ink-3">
          Loading...
        </p>
      )}
      {databases?.length === 0 && (
        <p className="px-2 text-sm text-ink-3">
          {isBlocked(databases) ? 'This browser blocks storage.' : 'No databases in this browser yet.'}
        </p>
      )}
      <ul>
        {databases?.map(({ name, path, connection }) => (
          <DatabaseEntry
            key={name}
            name={name}
            storage={name}
            to={path}
            // The pages of a connected database have paths with its remote name, too.
            pages={localPages(name === current?.localName ? (current.path ?? path) : path)}
            isCurrent={name === current?.localName}
            state={<LocalState name={name} connection={connection} />}
          />
        ))}
      </ul>
    </nav>
  );
}

interface CurrentDatabase {
  readonly localName: string;
  /** The path under which the database is open. */
  readonly path: string | undefined;
}

/** Returns the database whose page is open. */
function useCurrentDatabase(): CurrentDatabase | undefined {
  const matches = useMatches();
  for (const { loaderData } of matches) {
    const { localName, name } = (loaderData ?? {}) as { localName?: unknown; name?: unknown };
    if (typeof localName === 'string')
      return {
        localName,
        path: typeof name === 'string' ? `/fp/databases/${encodeURIComponent(name)}` : undefined,
      };
  }
  return undefined;
}
