import { isFixpointError } from '@fixpoint/protocol';
import type { Answer } from '@fixpoint/protocol/admin';
import { useQuery } from '@tanstack/react-query';
import { Info } from 'lucide-react';
import type { ReactNode } from 'react';
import { Navigate, useNavigation } from 'react-router';
import { useApp } from '../../cloud/app.ts';
import type { SignInWays } from '../../cloud/identity/session-port.ts';
import { linkedInviteQuery } from '../../cloud/queries/queries.ts';
import { useSession } from '../../cloud/queries/use-cloud.ts';
import type { Outcome } from '../../cloud/sign-in/sign-in-attempt.ts';
import { keptLink, useLinkSecret } from '../../leaving/link-secret.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/forms/form.tsx';
import { ErrorPanel, Skeleton } from '../../ui/pages/feedback.tsx';
import { Notice } from '../../ui/pages/notice.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { dayOf } from '../../ui/text/moment.ts';
import { CredentialsForm } from '../session/credentials-form.tsx';
import { SignInFrame } from '../session/sign-in-frame.tsx';
import { useSignOut } from '../session/use-sign-out.ts';
import { VerifyEmail } from '../session/verify-email.tsx';

/** The link of the invite that this tab opened. */
export const INVITE_LINK = keptLink('invite-link');

const ACCOUNT = '/fp/cloud/account';
const BACK = `?redirect_url=${encodeURIComponent(ACCOUNT)}`;

type Invited = Answer<'reqDescribeInvite'>;

export interface InvitedPageProps {
  readonly ways: SignInWays;
  readonly outcome: Outcome | undefined;
}

/**
 * Shows the invite of a mailed link. People without an account create one here, with an address
 * that the link proves. All others accept the invite on their account page, once they verified
 * their address: the link doesn't verify existing accounts, because somebody else may have created
 * the account with this address.
 */
export function InvitedPage({ ways, outcome }: InvitedPageProps) {
  const secret = useLinkSecret(INVITE_LINK);
  const { api } = useApp();
  const session = useSession();
  // While the form creates the account, the link ends, and the page leaves.
  const isIdle = useNavigation().state === 'idle';
  const isAsked = secret !== undefined && isIdle;
  const invite = useQuery({ ...linkedInviteQuery(api, secret ?? ''), enabled: isAsked });
  const { data: somebody } = session;
  if (secret === undefined)
    return (
      <Frame title="Invitation">
        <ErrorPanel message={INCOMPLETE} />
        <SignInLink />
      </Frame>
    );
  if (invite.isError)
    return (
      <Frame title="Invitation">
        <ErrorPanel message={whyNot(invite.error)} />
        {somebody ? <LinkButton to={ACCOUNT}>Show my invitations</LinkButton> : <SignInLink />}
      </Frame>
    );
  if (invite.data === undefined || session.isPending)
    return (
      <Frame title="Invitation">
        <Skeleton />
      </Frame>
    );
  const isInvited = somebody?.email === invite.data.email;
  if (isInvited && somebody.emailVerified) return <Navigate to={ACCOUNT} replace />;
  return (
    <Frame title={`Join ${invite.data.place}`} lead={leadOf(invite.data)}>
      {isInvited ? (
        <VerifyEmail title="Verify your address first" then="Then you can accept or reject the invitation." />
      ) : somebody ? (
        <OtherPerson invited={invite.data.email} signedIn={somebody.email} />
      ) : invite.data.hasAccount || !ways.password || ways.signUp === 'closed' ? (
        <WithAccount invite={invite.data} ways={ways} />
      ) : (
        <NewAccount invite={invite.data} ways={ways} outcome={outcome} />
      )}
    </Frame>
  );
}

interface FrameProps {
  readonly title: string;
  readonly lead?: string;
  readonly children: ReactNode;
}

function Frame({ title, lead, children }: FrameProps) {
  return (
    <SignInFrame title={title} {...(lead !== undefined && { lead })}>
      <title>{`${title} · Fixpoint`}</title>
      {children}
    </SignInFrame>
  );
}

const SignInLink = () => (
  <LinkButton to={`/login${BACK}`} tone="primary">
    Sign in
  </LinkButton>
);

const INCOMPLETE =
  'This link is incomplete. Copy the whole link from the mail, or sign in with the invited address.';

/** The server refuses to read secrets that are too short, which are the beginnings of secrets. */
const isCut = (error: Error): boolean => isFixpointError(error, 'REQUEST_INVALID');

const whyNot = (error: Error): string =>
  isFixpointError(error, 'NOT_FOUND')
    ? 'This link has expired, was used, or was replaced by a newer mail. Sign in with the invited address to see your invitations, or ask for a new one.'
    : isCut(error)
      ? INCOMPLETE
      : `Couldn’t load the invitation. ${failureText(error)}`;

const MAY: Readonly<Record<string, string>> = {
  admin: 'as an admin',
  member: 'as a member',
  write: 'to read and write this database',
  read: 'to read this database',
};

const leadOf = ({ inviter, place, may, expiresAfter }: Invited): string =>
  `${inviter ?? 'Somebody'} invites you to ${place} ${MAY[may] ?? ''}. The invitation is valid until ${dayOf(expiresAfter)}.`;

function OtherPerson({ invited, signedIn }: { invited: string; signedIn: string }) {
  const signOut = useSignOut();
  return (
    <>
      <p className="text-ink-2">
        This invitation is for <strong className="font-medium text-ink">{invited}</strong>. You are signed in
        as {signedIn}. Sign out, then open the link in the mail again.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => void signOut()}>Sign out</Button>
        <LinkButton to="/fp/cloud">Stay signed in</LinkButton>
      </div>
    </>
  );
}

function WithAccount({ invite, ways }: { invite: Invited; ways: SignInWays }) {
  const isClosed = ways.signUp === 'closed';
  return (
    <>
      <p className="text-ink-2">
        {isClosed && !invite.hasAccount
          ? 'This server accepts no new accounts. Ask its operator for one, or sign in with '
          : 'To accept or reject it, sign in with '}
        <strong className="font-medium text-ink">{invite.email}</strong>.
      </p>
      <div className="flex flex-wrap gap-2">
        <SignInLink />
        {!invite.hasAccount && !isClosed && <LinkButton to={`/signup${BACK}`}>Create an account</LinkButton>}
      </div>
    </>
  );
}

function NewAccount({ invite, ways, outcome }: InvitedPageProps & { invite: Invited }) {
  return (
    <>
      {ways.signUp === 'waitlist' && (
        <Notice icon={<Info size={16} aria-hidden />}>
          An operator must approve new accounts. Once yours is approved, accept the invitation on your account
          page before it expires.
        </Notice>
      )}
      <CredentialsForm
        isNew
        email={invite.email}
        action={ways.signUp === 'waitlist' ? 'Create account' : 'Create account and join'}
        ways={{ ...ways, elsewhere: undefined }}
        outcome={outcome}
        fields={
          <>
            <input type="hidden" name="inviteId" value={invite.inviteId} />
            <Checkbox name="emailOptIn" label="Send me occasional informative emails about Fixpoint" />
          </>
        }
      />
      <p className="text-ink-2">
        Have an account with another address? Ask for an invitation to that address. If you don’t expect this
        invitation, close this page.
      </p>
    </>
  );
}
