import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type LoaderFunctionArgs, redirect, useLocation, useNavigate } from 'react-router';
import { app, useApp } from '../cloud/app.ts';
import { accountQueries, sessionQuery } from '../cloud/queries.ts';
import { QueryView } from '../cloud/query-view.tsx';
import { ownPage } from '../cloud/redirects.ts';
import { loginPath } from '../cloud/require-user.ts';
import type { SecondFactor } from '../cloud/session.ts';
import { SecondFactorSetup } from '../features/account/second-factor-setup.tsx';
import { SignInFrame } from '../features/session/sign-in-frame.tsx';
import { VerifyEmail } from '../features/session/verify-email.tsx';
import { Button } from '../ui/button.tsx';

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { session, queries } = context.get(app);
  const somebody = await queries.fetchQuery(sessionQuery(session));
  return somebody === null ? redirect(loginPath(request.url)) : null;
}

/** /fp/second-step: for who signed in with the password alone where the server asks for more. */
export function Component() {
  const offers = useQuery(accountQueries.offers(useApp().session));
  return (
    <SignInFrame title="One more step" lead="This server asks for a second step beside the password.">
      <title>One more step · Fixpoint</title>
      <QueryView query={offers}>
        {({ secondFactor }) =>
          secondFactor === undefined ? <SignOut /> : <Step secondFactor={secondFactor} />
        }
      </QueryView>
      <VerifyEmail />
    </SignInFrame>
  );
}

function Step({ secondFactor }: { secondFactor: SecondFactor }) {
  const { session, queries } = useApp();
  const query = useQuery(accountQueries.secondFactor(secondFactor));
  const navigate = useNavigate();
  const { search } = useLocation();
  const [open, setOpen] = useState(false);
  const goOn = async () => {
    session.forgetToken();
    queries.clear();
    await navigate(ownPage(new URLSearchParams(search).get('redirect_url'), location.origin));
  };
  return (
    <QueryView query={query}>
      {(isOn) =>
        isOn ? (
          <SignOut />
        ) : (
          <>
            <Button tone="primary" onClick={() => setOpen(true)}>
              Set it up
            </Button>
            {open && (
              <SecondFactorSetup
                secondFactor={secondFactor}
                onClose={() => setOpen(false)}
                onDone={() => void goOn()}
              />
            )}
          </>
        )
      }
    </QueryView>
  );
}

function SignOut() {
  const { session } = useApp();
  const leave = async () => {
    await session.signOut();
    location.assign(`/login${location.search}`);
  };
  return (
    <>
      <p className="text-sm text-muted">Sign in once more, with the code of your app or with a passkey.</p>
      <Button tone="primary" onClick={() => void leave()}>
        Sign in again
      </Button>
    </>
  );
}
