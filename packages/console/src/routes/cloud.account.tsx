import { useQuery } from '@tanstack/react-query';
import { useApp } from '../cloud/app.ts';
import { accountQueries } from '../cloud/queries.ts';
import { QueryView } from '../cloud/query-view.tsx';
import { useSession } from '../cloud/use-cloud.ts';
import { ConfirmIdentity } from '../features/account/confirm-identity.tsx';
import { PasskeysCard } from '../features/account/passkeys-card.tsx';
import { NoPasswordCard, PasswordCard } from '../features/account/password-card.tsx';
import { ProgramsCard } from '../features/account/programs-card.tsx';
import { SecondFactorCard } from '../features/account/second-factor-card.tsx';
import { SessionsCard } from '../features/account/sessions-card.tsx';
import { OwnInvites } from '../features/members/own-invites.tsx';
import { VerifyEmail } from '../features/session/verify-email.tsx';
import { Card, PageHeader } from '../ui/page.tsx';

/** /fp/cloud/account: how one signs in, and where one is signed in. */
export function Component() {
  const { data: somebody } = useSession();
  const isProven = somebody?.emailVerified === true;
  const offers = useQuery(accountQueries.offers(useApp().session));
  return (
    <div className="max-w-3xl">
      <title>Your account · Fixpoint</title>
      <PageHeader title="Your account" lead={somebody && `${somebody.name}, ${somebody.email}`} />
      <div className="flex flex-col gap-5">
        <OwnInvites />
        <VerifyEmail />
        <QueryView query={offers}>
          {({ sessions, passkeys, changePassword, mailPassword, secondFactor, confirm, elsewhere }) => (
            <ConfirmIdentity confirm={confirm} here="/fp/cloud/account">
              {elsewhere !== undefined && <ElsewhereCard href={elsewhere} />}
              {sessions !== undefined && <SessionsCard sessions={sessions} />}
              {passkeys !== undefined && <PasskeysCard passkeys={passkeys} isProven={isProven} />}
              {changePassword !== undefined && (
                <PasswordCard change={changePassword} email={somebody?.email ?? ''} />
              )}
              {mailPassword !== undefined && somebody && (
                <NoPasswordCard mail={mailPassword} email={somebody.email} />
              )}
              {secondFactor !== undefined && (
                <SecondFactorCard secondFactor={secondFactor} isProven={isProven} />
              )}
            </ConfirmIdentity>
          )}
        </QueryView>
        <ProgramsCard />
      </div>
    </div>
  );
}

function ElsewhereCard({ href }: { href: string }) {
  return (
    <Card
      title="Sign-in"
      lead="Your name, your password and the browsers in which you are signed in are kept by the sign-in provider."
    >
      <a href={href} className="rounded text-accent underline underline-offset-2 hover:text-accent-strong">
        Open your account there
      </a>
    </Card>
  );
}
