import { Database } from 'lucide-react';
import { Link } from 'react-router';
import { LocalState } from '../features/connect/local-state.tsx';
import { FirstSteps } from '../features/databases/first-steps.tsx';
import { isBlocked, useLocalDatabases } from '../local/use-local-databases.ts';
import { LinkButton } from '../ui/button.tsx';
import { Form, SubmitButton, TextField } from '../ui/forms/form.tsx';
import { EmptyState, ErrorPanel, PageHeader } from '../ui/pages/feedback.tsx';

/** /fp/databases */
export function Component() {
  const known = useLocalDatabases();
  const databases = known ?? [];
  if (isBlocked(known)) return <StorageBlocked />;
  return (
    <>
      <title>Local databases · Fixpoint</title>
      <PageHeader title="Local databases" />
      {/* Nothing is shown before the list, which would move it. */}
      {databases.length > 0 && (
        <ul
          aria-label="Databases of this browser"
          className="mb-5 grid grid-cols-1 gap-3 sm:grid-cols-2 lg:grid-cols-3"
        >
          {databases.map(({ name, path, connection }) => (
            <li key={name}>
              <Link
                to={path}
                className="card flex items-center gap-3 rounded-lg border border-line bg-surface px-4 py-3 shadow-1 transition-colors hover:border-line-strong hover:bg-hover"
              >
                <Database size={16} aria-hidden className="shrink-0 text-ink-3" />
                <span className="min-w-0 truncate font-medium" title={name}>
                  {name}
                </span>
                <LocalState name={name} connection={connection} />
              </Link>
            </li>
          ))}
        </ul>
      )}
      {known !== undefined && (
        <EmptyState
          title="Welcome"
          icon={<Database size={20} />}
          text="Databases here are stored in this browser. They need no account and no connection. Choose one, or create one."
        >
          {databases.length === 0 ? (
            <FirstDatabase />
          ) : (
            <LinkButton to="/fp/databases/new" tone="primary">
              Create a database
            </LinkButton>
          )}
        </EmptyState>
      )}
      {known?.length === 0 && <FirstSteps name="my-app" />}
    </>
  );
}

/** Says why there can be no databases, and how to allow them. */
const StorageBlocked = () => (
  <>
    <title>Local databases · Fixpoint</title>
    <PageHeader title="Local databases" />
    <ErrorPanel
      message={`This browser blocks storage for this site, so local databases don’t work here. Allow cookies and site data for ${location.host} in the settings of your browser, then reload the page. Some private windows always block storage: use a normal window instead.`}
    />
  </>
);

/** Renders the form for the first database. The page for new databases reports an invalid name. */
function FirstDatabase() {
  return (
    <Form method="post" action="/fp/databases/new" className="flex w-full max-w-sm items-end gap-2 text-left">
      <div className="min-w-0 grow">
        <TextField name="name" label="Name of your first database" required autoComplete="off" />
      </div>
      <SubmitButton>Create</SubmitButton>
    </Form>
  );
}
