import { Database } from 'lucide-react';
import { LinkButton } from '../ui/button.tsx';
import { EmptyState, PageHeader } from '../ui/feedback.tsx';

/** /fp/databases */
export function Component() {
  return (
    <>
      <title>Local databases · Fixpoint</title>
      <PageHeader title="Local databases" />
      <EmptyState
        title="Welcome"
        icon={<Database size={20} />}
        text="Databases here are kept in this browser. They need no account and no connection. Choose one in the sidebar, or create one."
      >
        <LinkButton to="/fp/databases/new" tone="primary">
          Create a database
        </LinkButton>
      </EmptyState>
    </>
  );
}
