/** Shows errors of pages that failed to load or render. */
import { isRouteErrorResponse, useNavigate, useRouteError } from 'react-router';
import { UserNotActive } from '../cloud/sign-in/require-user.ts';
import { StandalonePage } from '../features/layout/standalone-page.tsx';
import { useStartOver } from '../features/session/use-sign-out.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { ErrorPanel, NotFound } from '../ui/pages/feedback.tsx';
import { isFirstPage } from '../ui/pages/first-page.ts';
import { TryAgain } from '../ui/pages/try-again.tsx';
import { failureText } from '../ui/text/failure-text.ts';

/** Replaces the whole console. */
export function RouteError() {
  const error = useRouteError();
  return (
    <StandalonePage {...(isMissing(error) ? {} : { title: 'Couldn’t open this page' })}>
      <title>Problem · Fixpoint</title>
      {error instanceof UserNotActive ? <NotActive status={error.status} /> : <Failure error={error} />}
    </StandalonePage>
  );
}

/** Replaces one page; header and sidebar stay. */
export function PageError() {
  return (
    <div className="max-w-xl">
      <title>Problem · Fixpoint</title>
      <Failure error={useRouteError()} />
    </div>
  );
}

const isMissing = (error: unknown): boolean => isRouteErrorResponse(error) && error.status === 404;

function Failure({ error }: { error: unknown }) {
  if (isMissing(error)) return <NotFound />;
  return (
    <ErrorPanel message={textOfFailure(error)}>
      <TryAgain />
      <Back />
      <LinkButton to="/fp/cloud">Cloud home</LinkButton>
      <LinkButton to="/fp/databases">Local databases</LinkButton>
    </ErrorPanel>
  );
}

/** Goes back to the previous page, which is already loaded. */
function Back() {
  const navigate = useNavigate();
  return isFirstPage() ? null : <Button onClick={() => void navigate(-1)}>Back</Button>;
}

const textOfFailure = (error: unknown): string =>
  isRouteErrorResponse(error) ? `${error.status} ${error.statusText}` : failureText(error);

function NotActive({ status }: { status: string }) {
  const startOver = useStartOver();
  return (
    <ErrorPanel message={`Your account is ${status}. Ask the operator of this server for access.`}>
      <TryAgain />
      <Button onClick={() => void startOver('/login')}>Sign out</Button>
      <LinkButton to="/fp/databases">Local databases</LinkButton>
    </ErrorPanel>
  );
}
