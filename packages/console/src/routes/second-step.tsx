import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type LoaderFunctionArgs, redirect, useLocation, useNavigate } from 'react-router';
import { app, useApp } from '../cloud/app.ts';
import type { Account, SecondFactor } from '../cloud/identity/session-port.ts';
import { accountQueries, sessionQuery } from '../cloud/queries/queries.ts';
import { QueryView } from '../cloud/queries/query-view.tsx';
import { useCall } from '../cloud/queries/use-call.ts';
import { useSession } from '../cloud/queries/use-cloud.ts';
import { ownPage } from '../cloud/sign-in/redirects.ts';
import { loginPath } from '../cloud/sign-in/require-user.ts';
import { ConfirmIdentity } from '../features/account/confirm-identity.tsx';
import { AddPasskey } from '../features/account/passkeys-card.tsx';
import { SecondFactorSetup } from '../features/account/second-factor-setup.tsx';
import { SignInFrame } from '../features/session/sign-in-frame.tsx';
import { useStartOver } from '../features/session/use-sign-out.ts';
import { VerifyEmail } from '../features/session/verify-email.tsx';
import { Button } from '../ui/button.tsx';

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { session, queries } = context.get(app);
  const somebody = await queries.fetchQuery(sessionQuery(session));
  return somebody === null ? redirect(loginPath(request.url)) : null;
}

/**
 * /fp/second-step: for users who signed in without a second step, although the server requires one.
 */
export function Component() {
  const offers = useQuery(accountQueries.offers(useApp().session));
  const { pathname, search } = useLocation();
  const { data: somebody } = useSession();
  return (
    <SignInFrame title="One more step" lead="This server requires a second step in addition to the password.">
      <title>One more step · Fixpoint</title>
      {somebody?.emailVerified === true ? (
        <QueryView query={offers}>
          {(account) => (
            <ConfirmIdentity confirm={account.confirm} here={pathname + search}>
              <Ways account={account} />
            </ConfirmIdentity>
          )}
        </QueryView>
      ) : (
        <>
          <VerifyEmail title="Verify your address first" then="Then you can set up a second step." />
          <SignOut />
        </>
      )}
    </SignInFrame>
  );
}

/**
 * A session without a second step may set up a first factor, but no additional one. Users who have
 * a factor must use it.
 */
function Ways({ account: { secondFactor, passkeys, confirm } }: { account: Account }) {
  const goOn = useGoOn();
  const setUp = secondFactor && <ByCode secondFactor={secondFactor} onDone={goOn} />;
  return (
    <div className="flex flex-col gap-3">
      {passkeys !== undefined && confirm?.byPasskey !== undefined ? (
        <ByPasskey passkeys={passkeys} byPasskey={confirm.byPasskey} onDone={goOn}>
          {setUp}
        </ByPasskey>
      ) : (
        setUp
      )}
      <SignOut />
    </div>
  );
}

/**
 * Returns a function that opens the page the user wanted, with a new token that reflects the
 * stronger session.
 */
function useGoOn(): () => void {
  const { session, queries } = useApp();
  const navigate = useNavigate();
  const { search } = useLocation();
  return () => {
    session.forgetToken();
    queries.clear();
    void navigate(ownPage(new URLSearchParams(search).get('redirect_url'), location.origin));
  };
}

interface ByPasskeyProps {
  readonly passkeys: NonNullable<Account['passkeys']>;
  readonly byPasskey: NonNullable<NonNullable<Account['confirm']>['byPasskey']>;
  readonly onDone: () => void;
  /** For users without a second step. */
  readonly children: ReactNode;
}

function ByPasskey({ passkeys, byPasskey, onDone, children }: ByPasskeyProps) {
  const query = useQuery(accountQueries.passkeys(passkeys));
  const use = useCall({ call: byPasskey, changes: [], onDone });
  return (
    <QueryView query={query}>
      {(list) =>
        list.length === 0 ? (
          <>
            <AddPasskey passkeys={passkeys} wide />
            {children}
          </>
        ) : (
          <Button tone="primary" disabled={use.isPending} onClick={() => use.mutate(undefined)}>
            Use a passkey
          </Button>
        )
      }
    </QueryView>
  );
}

function ByCode({ secondFactor, onDone }: { secondFactor: SecondFactor; onDone: () => void }) {
  const query = useQuery(accountQueries.secondFactor(secondFactor));
  const [open, setOpen] = useState(false);
  return (
    <>
      <QueryView query={query}>
        {(isOn) =>
          isOn ? (
            <p className="text-sm text-ink-3">
              This account has a second step. Sign in again and enter the code from your app.
            </p>
          ) : (
            <Button onClick={() => setOpen(true)}>Set up an authenticator app</Button>
          )
        }
      </QueryView>
      {/* Outside of `QueryView`, whose content changes while the one-time codes are shown. */}
      {open && (
        <SecondFactorSetup secondFactor={secondFactor} onClose={() => setOpen(false)} onDone={onDone} />
      )}
    </>
  );
}

function SignOut() {
  const startOver = useStartOver();
  return (
    <Button tone="quiet" onClick={() => void startOver(`/login${location.search}`)}>
      Sign in again
    </Button>
  );
}
