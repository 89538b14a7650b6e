/**
 * /fp/cloud/authorize: signs a user in to a registered application (decision 0173). The app gets a
 * code at one of its redirect URLs, never a token.
 */
import { isFixpointError, SIGN_IN_ANSWER } from '@fixpoint/protocol';
import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import { app, useApp } from '../cloud/app.ts';
import { answerOf } from '../cloud/queries/queries.ts';
import { AllowApp } from '../features/hand-off/allow-app.tsx';
import { StandalonePage } from '../features/layout/standalone-page.tsx';
import { useVisit } from '../leaving/visit.ts';
import { LinkButton } from '../ui/button.tsx';
import { ErrorPanel, Skeleton } from '../ui/pages/feedback.tsx';

/** The parameters that an app sends to this page. */
interface AppSignIn {
  readonly applicationId: string;
  /** Where the app gets its answer. The server knows whether it belongs to the app. */
  readonly redirectUrl: string;
  /** The SHA-256 of a secret of the app (PKCE). */
  readonly challenge: string;
  /** A text of the app, which it gets back unchanged. */
  readonly state: string;
}

interface Asked extends AppSignIn {
  readonly name: string;
  readonly tenant: string;
  readonly origin: string;
}

type Loaded = { readonly problem: string } | { readonly leaving: string } | { readonly confirm: Asked };

const NOT_REGISTERED =
  'This app isn’t registered on this server, or it sent an address that isn’t one of its redirect URLs. Tell the developer of the app.';

export async function loader({ request, context }: LoaderFunctionArgs): Promise<Loaded> {
  const asked = signInOf(new URL(request.url).searchParams);
  if (asked === undefined) return { problem: NOT_REGISTERED };
  const { api } = context.get(app);
  const described = await api.describeApplication(asked);
  if (!described.ok) {
    if (
      !isFixpointError(described.error, 'NOT_FOUND') &&
      !isFixpointError(described.error, 'REQUEST_INVALID')
    )
      throw described.error;
    return { problem: NOT_REGISTERED };
  }
  const { isGranted, name, tenant, origin } = described.value;
  if (!isGranted) return { confirm: { ...asked, name, tenant, origin } };
  const { state, ...payload } = asked;
  const code = await answerOf(api.authorizeApplication(payload));
  location.replace(signInTarget(asked, { code }));
  return { leaving: origin };
}

function signInOf(query: URLSearchParams): AppSignIn | undefined {
  const [applicationId, redirectUrl, challenge, state] = ['app', 'redirect_url', 'challenge', 'state'].map(
    (name) => query.get(name) ?? '',
  ) as [string, string, string, string];
  const isWhole = [applicationId, redirectUrl, challenge].every((text) => text !== '');
  return isWhole ? { applicationId, redirectUrl, challenge, state } : undefined;
}

/**
 * Returns the redirect URL with an answer in its fragment. Call only after the server has confirmed
 * that the URL belongs to the app.
 */
function signInTarget(
  { redirectUrl, state }: Pick<AppSignIn, 'redirectUrl' | 'state'>,
  answer: { readonly code: string } | { readonly error: string },
): string {
  const url = new URL(redirectUrl);
  const all = Object.entries({ ...answer, state }) as [keyof typeof SIGN_IN_ANSWER, string][];
  url.hash = String(new URLSearchParams(all.map(([name, value]) => [SIGN_IN_ANSWER[name], value])));
  return url.href;
}

export function Component() {
  const loaded = useLoaderData<Loaded>();
  return (
    <StandalonePage title="Sign in to an app">
      <title>Sign in to an app · Fixpoint</title>
      {'problem' in loaded && (
        <ErrorPanel message={loaded.problem}>
          <LinkButton to="/fp/cloud">Cloud home</LinkButton>
        </ErrorPanel>
      )}
      {'leaving' in loaded && <Skeleton text={`Returning to ${loaded.leaving}...`} />}
      {'confirm' in loaded && <Confirm asked={loaded.confirm} />}
    </StandalonePage>
  );
}

function Confirm({ asked }: { asked: Asked }) {
  const { api } = useApp();
  const begin = useVisit();
  const agree = async () => {
    const visit = begin();
    const { applicationId, redirectUrl, challenge } = asked;
    const payload = { applicationId, redirectUrl, challenge, agrees: true };
    const code = await answerOf(api.authorizeApplication(payload));
    // If the user left while the code was pending, hand nothing over.
    if (!visit.isOver()) location.replace(signInTarget(asked, { code }));
  };
  return (
    <AllowApp
      {...asked}
      onAgree={agree}
      onRefuse={() => location.replace(signInTarget(asked, { error: 'access_denied' }))}
    />
  );
}
