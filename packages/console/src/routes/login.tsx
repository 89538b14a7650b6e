import {
  type ActionFunctionArgs,
  Link,
  type LoaderFunctionArgs,
  redirect,
  useActionData,
  useLoaderData,
  useLocation,
} from 'react-router';
import { app } from '../cloud/app.ts';
import type { SignInWays } from '../cloud/identity/session-port.ts';
import {
  loadWays,
  type Outcome,
  otherAttempt,
  outcomeOf,
  said,
  targetOf,
} from '../cloud/sign-in/sign-in-attempt.ts';
import { isEmail } from '../features/members/email.ts';
import { CredentialsForm, NewPasswordField } from '../features/session/credentials-form.tsx';
import { inlineLink, SignInFrame, WHAT_IT_IS } from '../features/session/sign-in-frame.tsx';
import { TryIt } from '../features/try-it/try-it.tsx';
import { Form, SubmitButton, textOf } from '../ui/forms/form.tsx';
import { ErrorPanel } from '../ui/pages/feedback.tsx';

/** Loads the sign-in methods. A mailed link to choose a password also works for signed-in users. */
export async function loader(args: LoaderFunctionArgs) {
  const isReset = new URL(args.request.url).searchParams.has('reset');
  return isReset ? args.context.get(app).session.ways() : loadWays(args);
}

const MAILED = {
  'sign-in': 'If this address has an account, we sent it a sign-in link. It’s valid for five minutes.',
  'new-password':
    'If this address has an account, we sent it a link to choose a new password. It’s valid for one hour.',
};

export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const { session, queries } = args.context.get(app);
  const email = textOf(form, 'email');
  const password = String(form.get('password') ?? '');
  const way = form.get('way');
  if (way === 'sign-in' || way === 'new-password') {
    if (!isEmail(email)) return said({ email: 'Enter your email address first.' });
    const problem = await session.mailLink(way, email, targetOf(args.request));
    return said(problem === undefined ? { note: MAILED[way] } : { error: problem });
  }
  if (way === 'reset') {
    const secret = new URL(args.request.url).searchParams.get('reset') ?? '';
    const problem = await session.choosePassword(secret, password);
    if (problem !== undefined) return said({ error: problem });
    // The new password ended all sessions, including this browser's.
    queries.clear();
    return redirect('/login?changed');
  }
  return (await otherAttempt(form, args)) ?? outcomeOf(await session.signIn(email, password), args);
}

/**
 * /login. With the parameter `reset`, which is the secret of a mailed link, the page sets a new
 * password.
 */
export function Component() {
  const ways = useLoaderData<SignInWays>();
  const outcome = useActionData<Outcome>();
  const { search } = useLocation();
  const query = new URLSearchParams(search);
  if (query.has('reset')) return <ResetPage error={outcome?.error} />;
  return (
    <SignInFrame title="Sign in" headline={WHAT_IT_IS}>
      <title>Sign in · Fixpoint</title>
      <CredentialsForm isNew={false} action="Sign in" ways={ways} outcome={outcome ?? beforeAny(query)}>
        <p className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-2 text-ink-2">
          <span>
            No account yet?{' '}
            <Link to={`/signup${search}`} className={inlineLink}>
              Sign up
            </Link>
          </span>
          {ways.mailedLink && <ForgotButton />}
        </p>
      </CredentialsForm>
      <TryIt />
    </SignInFrame>
  );
}

function ForgotButton() {
  return (
    <button
      type="submit"
      name="way"
      value="new-password"
      formNoValidate
      className={`min-h-6 pointer-coarse:min-h-8 cursor-pointer ${inlineLink}`}
    >
      Forgot your password?
    </button>
  );
}

function ResetPage({ error }: { error: string | undefined }) {
  return (
    <SignInFrame title="Choose a new password" lead="This signs out all browsers.">
      <title>Choose a new password · Fixpoint</title>
      <Form method="post" className="flex flex-col gap-4">
        {error !== undefined && <ErrorPanel message={error} />}
        <input type="hidden" name="way" value="reset" />
        <NewPasswordField label="New password" />
        <SubmitButton wide>Change password</SubmitButton>
      </Form>
      <p className="text-sm text-ink-3">
        The link didn’t work?{' '}
        <Link to="/login" className={inlineLink}>
          Request a new one
        </Link>
      </p>
    </SignInFrame>
  );
}

const NOT_LINKED =
  'An account with this address already exists. Sign in with its password, or choose "Forgot your password?".';

const SECOND_STEP =
  'This account requires a second step, so you can’t sign in with only a mailed link or another provider. Sign in with your password and a code, or with a passkey.';

/**
 * Reads the outcome of a previous attempt from the address. Anybody may have written the address,
 * so the page shows an error from it only if the error is a plain word.
 */
function beforeAny(query: URLSearchParams): Outcome | undefined {
  if (query.has('changed')) return { note: 'Password changed. Sign in with your new password.' };
  // A mailed link that fails to sign in opens its target page, which redirects here.
  const backTo = query.get('redirect_url') ?? '';
  const code = query.get('error') ?? new URLSearchParams(backTo.split('?')[1]).get('error');
  if (code === null || !/^[A-Za-z_]{1,40}$/.test(code)) return undefined;
  if (/second_factor|(failed|unable)_to_create_session/i.test(code)) return { error: SECOND_STEP };
  if (/account_not_linked/i.test(code)) return { error: NOT_LINKED };
  if (/signup_disabled/i.test(code))
    return { error: 'Couldn’t sign you in: you have no account here, and sign-up is closed.' };
  if (/token/i.test(code)) return { error: 'This link has expired or was already used. Request a new one.' };
  return { error: `Couldn’t sign you in (${code}). Try again, or sign in another way.` };
}
