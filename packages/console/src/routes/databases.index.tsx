import { LinkButton } from '../ui/button.tsx';
import { EmptyState, PageHeader } from '../ui/feedback.tsx';

/** /fp/databases */
export function Component() {
  return (
    <>
      <title>Local databases · Fixpoint</title>
      <PageHeader title="Local databases" />
      <EmptyState text="Welcome. Databases here live in this browser alone, work offline and need no account. Choose one in the sidebar, or create one.">
        <LinkButton to="/fp/databases/new" tone="primary">
          New database
        </LinkButton>
      </EmptyState>
    </>
  );
}
