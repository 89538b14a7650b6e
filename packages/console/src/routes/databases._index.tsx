import { Database } from 'lucide-react';
import { Link } from 'react-router';
import { useLocalDatabases } from '../local/use-local-databases.ts';
import { LinkButton } from '../ui/button.tsx';
import { EmptyState, PageHeader } from '../ui/feedback.tsx';

/** /fp/databases */
export function Component() {
  const databases = useLocalDatabases() ?? [];
  return (
    <>
      <title>Local databases · Fixpoint</title>
      <PageHeader title="Local databases" />
      {databases.length > 0 && (
        <ul aria-label="Databases of this browser" className="mb-5 grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
          {databases.map(({ name, path }) => (
            <li key={name}>
              <Link
                to={path}
                className="flex items-center gap-3 rounded-lg border border-line bg-surface px-4 py-3 shadow-card transition-colors hover:border-line-strong hover:bg-raised"
              >
                <Database size={16} aria-hidden className="shrink-0 text-muted" />
                <span className="min-w-0 truncate font-medium" title={name}>
                  {name}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      <EmptyState
        title="Welcome"
        icon={<Database size={20} />}
        text="Databases here are kept in this browser. They need no account and no connection. Choose one, or create one."
      >
        <LinkButton to="/fp/databases/new" tone="primary">
          Create a database
        </LinkButton>
      </EmptyState>
    </>
  );
}
