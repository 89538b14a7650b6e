import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useApp } from '../cloud/app.ts';
import type { Account } from '../cloud/identity/session-port.ts';
import {
  accountQueries,
  apiTokensQuery,
  applicationGrantsQuery,
  ownInvitesQuery,
} from '../cloud/queries/queries.ts';
import { QueryView } from '../cloud/queries/query-view.tsx';
import { useAreAnswered } from '../cloud/queries/use-are-answered.ts';
import { useSession } from '../cloud/queries/use-cloud.ts';
import { ConfirmIdentity } from '../features/account/confirm-identity.tsx';
import { PasskeysCard } from '../features/account/passkeys-card.tsx';
import { NoPasswordCard, PasswordCard } from '../features/account/password-card.tsx';
import { SecondFactorCard } from '../features/account/second-factor-card.tsx';
import { SessionsCard } from '../features/account/sessions-card.tsx';
import { AppSignInsCard } from '../features/hand-off/app-sign-ins-card.tsx';
import { HandOffsCard } from '../features/hand-off/hand-offs-card.tsx';
import { OwnInvites } from '../features/members/own-invites.tsx';
import { VerifyEmail } from '../features/session/verify-email.tsx';
import { ProgramsCard } from '../features/tokens/programs-card.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { Skeleton } from '../ui/pages/feedback.tsx';
import { Card, PageHeader } from '../ui/pages/page.tsx';
import { siteFile } from '../ui/pages/site-links.ts';

/** /fp/cloud/account: sign-in methods and sessions. */
export function Component() {
  const { session } = useApp();
  const { data: somebody } = useSession();
  const offers = useQuery(accountQueries.offers(session));
  return (
    <div className="w-full max-w-6xl">
      <title>Your account · Fixpoint</title>
      <PageHeader
        title="Your account"
        beside={
          somebody && (
            <span className="flex min-w-0 items-center gap-2 text-sm text-ink-2 max-sm:hidden">
              <Avatar name={somebody.name} />
              <span className="min-w-0 truncate">
                {somebody.name}, {somebody.email}
              </span>
            </span>
          )
        }
      />
      {somebody && (
        <p className="mb-3 text-sm wrap-anywhere text-ink-2 sm:hidden">
          {somebody.name}, {somebody.email}
        </p>
      )}
      {offers.isPending && offers.failureCount === 0 ? (
        <Skeleton shape="rows" />
      ) : (
        <Cards account={offers.data ?? {}}>
          {offers.data === undefined && <QueryView query={offers}>{() => null}</QueryView>}
        </Cards>
      )}
    </div>
  );
}

/**
 * Shows all cards at once, so that no card that loads later pushes down a card that the user is
 * reading.
 */
function Cards({ account, children }: { account: Account; children: ReactNode }) {
  const { api } = useApp();
  const { data: somebody } = useSession();
  const { sessions, passkeys, changePassword, mailPassword, secondFactor, confirm, elsewhere, signOutEnds } =
    account;
  const isProven = somebody?.emailVerified === true;
  const areAnswered = useAreAnswered([
    ownInvitesQuery(api),
    apiTokensQuery(api),
    applicationGrantsQuery(api),
    ...(sessions === undefined ? [] : [accountQueries.sessions(sessions)]),
    ...(passkeys === undefined ? [] : [accountQueries.passkeys(passkeys)]),
    ...(secondFactor === undefined ? [] : [accountQueries.secondFactor(secondFactor)]),
  ]);
  if (!areAnswered) return <Skeleton shape="rows" />;
  return (
    <div className="flex flex-col gap-4">
      <OwnInvites />
      <VerifyEmail />
      {children}
      <ConfirmIdentity confirm={confirm} here="/fp/cloud/account">
        {/* Ways to sign in, then everything that is signed in. */}
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-2">
          <div className="flex min-w-0 flex-col gap-4">
            {elsewhere !== undefined && <ElsewhereCard href={elsewhere} />}
            {passkeys !== undefined && <PasskeysCard passkeys={passkeys} isProven={isProven} />}
            {changePassword !== undefined && (
              <PasswordCard change={changePassword} email={somebody?.email ?? ''} preset={signOutEnds} />
            )}
            {mailPassword !== undefined && somebody && (
              <NoPasswordCard mail={mailPassword} email={somebody.email} />
            )}
            {secondFactor !== undefined && (
              <SecondFactorCard secondFactor={secondFactor} isProven={isProven} />
            )}
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            {sessions !== undefined && <SessionsCard sessions={sessions} preset={signOutEnds} />}
            <ProgramsCard />
            <AppSignInsCard />
            {somebody && <HandOffsCard user={somebody.email} />}
          </div>
        </div>
      </ConfirmIdentity>
      <p className="text-xs text-ink-3">
        <a
          href={siteFile('/third-party-licenses.txt')}
          className="rounded underline underline-offset-2 hover:text-ink"
        >
          Third-party licenses
        </a>
      </p>
    </div>
  );
}

function ElsewhereCard({ href }: { href: string }) {
  return (
    <Card title="Sign-in" lead="The sign-in provider manages your name, your password and your sessions.">
      <a href={href} className="rounded text-accent-ink underline underline-offset-2 hover:text-ink">
        Open your account there
      </a>
    </Card>
  );
}
