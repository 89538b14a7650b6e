import { useLocation, useNavigate } from 'react-router';
import { SESSION_KEY, USER_KEY, useApp } from '../../cloud/app.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { useSession } from '../../cloud/queries/use-cloud.ts';
import { keptLink, useLinkSecret } from '../../leaving/link-secret.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ErrorPanel, Skeleton } from '../../ui/pages/feedback.tsx';
import { Card } from '../../ui/pages/page.tsx';

const KEPT = keptLink('operator-link');

/** Lets the signed-in user become the first operator of this server. */
export function Claim() {
  const secret = useLinkSecret(KEPT);
  const { data: somebody, isPending } = useSession();
  if (secret === undefined)
    return (
      <ErrorPanel message="This link is incomplete. Copy it again from the output of the server.">
        <LinkButton to="/fp/cloud">Cloud home</LinkButton>
      </ErrorPanel>
    );
  if (isPending) return <Skeleton />;
  if (somebody === null || somebody === undefined) return <SignInFirst />;
  return <Confirm secret={secret} email={somebody.email} />;
}

function SignInFirst() {
  const back = `?redirect_url=${encodeURIComponent(useLocation().pathname)}`;
  return (
    <Card>
      <p className="mb-4 text-ink-2">Sign in, or create your account, to operate this server.</p>
      <div className="flex flex-wrap gap-2">
        <LinkButton tone="primary" to={`/login${back}`}>
          Sign in
        </LinkButton>
        <LinkButton to={`/signup${back}`}>Create an account</LinkButton>
      </div>
    </Card>
  );
}

function Confirm({ secret, email }: { secret: string; email: string }) {
  const { api, queries } = useApp();
  const navigate = useNavigate();
  const claim = useCall({
    call: async () => {
      // Creates the user at their first sign-in.
      const user = await api.ensureUser();
      return user.ok ? api.claimOperator(secret) : user;
    },
    changes: [],
    onDone: async () => {
      KEPT.forget();
      await queries.invalidateQueries({ queryKey: USER_KEY });
      await queries.invalidateQueries({ queryKey: SESSION_KEY });
      await navigate('/fp/cloud/operator', { replace: true });
    },
  });
  return (
    <Card>
      <p className="mb-4 text-ink-2">
        You are signed in as <strong className="font-medium text-ink">{email}</strong>. As the operator, you
        see all tenants and users of this server, and set their limits.
      </p>
      <Button tone="primary" disabled={claim.isPending} onClick={() => claim.mutate(undefined)}>
        Become the operator
      </Button>
    </Card>
  );
}
