import { Info } from 'lucide-react';
import { type ActionFunctionArgs, Link, useActionData, useLoaderData, useLocation } from 'react-router';
import { app } from '../cloud/app.ts';
import type { SignInWays } from '../cloud/identity/session-port.ts';
import { loadWays, type Outcome, otherAttempt, outcomeOf } from '../cloud/sign-in/sign-in-attempt.ts';
import { CredentialsForm } from '../features/session/credentials-form.tsx';
import { inlineLink, SignInFrame, WHAT_IT_IS } from '../features/session/sign-in-frame.tsx';
import { TryIt } from '../features/try-it/try-it.tsx';
import { Checkbox, textOf } from '../ui/forms/form.tsx';
import { Notice } from '../ui/pages/notice.tsx';

export const loader = loadWays;

const AD_CLICK_CHARS_MAX = 512;

/** Returns the id of the advertisement that led here, from either of two parameters. */
export function adClickIdOf(query: URLSearchParams): string | undefined {
  const id = query.get('gclid') ?? query.get('ad');
  return id === null || id === '' ? undefined : id.slice(0, AD_CLICK_CHARS_MAX);
}

export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const adClickId = adClickIdOf(new URL(args.request.url).searchParams);
  const choice = { emailOptIn: form.has('emailOptIn'), ...(adClickId !== undefined && { adClickId }) };
  const other = await otherAttempt(form, args, choice);
  if (other !== undefined) return other;
  const tried = await args.context.get(app).session.signUp({
    name: textOf(form, 'name'),
    email: textOf(form, 'email'),
    password: String(form.get('password') ?? ''),
    ...choice,
  });
  return outcomeOf(tried, args);
}

const LIMITED = {
  waitlist: 'New accounts wait until the operator of this server approves them.',
  closed: 'This server accepts no new accounts. Ask its operator.',
} as const;

/** /signup */
export function Component() {
  const ways = useLoaderData<SignInWays>();
  const outcome = useActionData<Outcome>();
  const { search } = useLocation();
  return (
    <SignInFrame title="Create your account" lead={WHAT_IT_IS}>
      <title>Sign up · Fixpoint</title>
      {ways.signUp !== undefined && (
        <Notice icon={<Info size={16} aria-hidden />}>{LIMITED[ways.signUp]}</Notice>
      )}
      <CredentialsForm
        isNew
        action="Sign up"
        ways={ways}
        outcome={outcome}
        fields={<Checkbox name="emailOptIn" label="Send me occasional informative emails about Fixpoint" />}
      />
      <p className="text-ink-2">
        Have an account?{' '}
        <Link to={`/login${search}`} className={inlineLink}>
          Sign in
        </Link>
      </p>
      <TryIt />
    </SignInFrame>
  );
}
