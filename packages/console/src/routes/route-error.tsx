import { useRouteError } from 'react-router';
import { messageOf } from '../cloud/queries.ts';
import { LinkButton } from '../ui/button.tsx';
import { ErrorPanel } from '../ui/feedback.tsx';

/** What went wrong while a page was made, and a way on. */
export function RouteError() {
  const error = useRouteError();
  return (
    <main className="mx-auto flex max-w-xl flex-col gap-4 p-8">
      <ErrorPanel message={messageOf(error)} />
      <div className="flex gap-2">
        <LinkButton to="/fp/cloud">Cloud home</LinkButton>
        <LinkButton to="/fp/databases">Local databases</LinkButton>
      </div>
    </main>
  );
}
