import {
  type ActionFunctionArgs,
  data,
  Form,
  Link,
  type LoaderFunctionArgs,
  redirect,
  useActionData,
  useLocation,
} from 'react-router';
import { app } from '../cloud/app.ts';
import { sessionQuery } from '../cloud/queries.ts';
import { ownPage } from '../cloud/redirects.ts';
import { inlineLink, SignInFrame } from '../features/session/sign-in-frame.tsx';
import { ErrorPanel } from '../ui/feedback.tsx';
import { Checkbox, SubmitButton, TextField, textOf } from '../ui/form.tsx';

const targetOf = ({ searchParams }: URL) => ownPage(searchParams.get('redirect_url'), location.origin);

/** Leads on who is signed in already. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { session, queries } = context.get(app);
  const somebody = await queries.fetchQuery(sessionQuery(session));
  return somebody === null ? null : redirect(targetOf(new URL(request.url)));
}

const AD_CLICK_CHARS_MAX = 512;

/** The id of the advertisement that led here, in either of two parameters. */
export function adClickIdOf(query: URLSearchParams): string | undefined {
  const id = query.get('gclid') ?? query.get('ad');
  return id === null || id === '' ? undefined : id.slice(0, AD_CLICK_CHARS_MAX);
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const url = new URL(request.url);
  const adClickId = adClickIdOf(url.searchParams);
  const { session, queries } = context.get(app);
  const problem = await session.signUp({
    name: textOf(form, 'name'),
    email: textOf(form, 'email'),
    password: String(form.get('password') ?? ''),
    emailOptIn: form.has('emailOptIn'),
    ...(adClickId !== undefined && { adClickId }),
  });
  if (problem !== undefined) return data({ error: problem }, { status: 400 });
  queries.clear();
  return redirect(targetOf(url));
}

/** /signup */
export function Component() {
  const failed = useActionData<typeof action>();
  const { search } = useLocation();
  return (
    <SignInFrame title="Create your account" lead="To keep databases in step across devices and people.">
      <title>Sign up · Fixpoint</title>
      <Form method="post" className="flex flex-col gap-4">
        {failed !== undefined && <ErrorPanel message={failed.error} />}
        <TextField name="name" label="Name" autoComplete="name" required autoFocus />
        <TextField name="email" label="Email" type="email" autoComplete="username" required />
        <TextField
          name="password"
          label="Password"
          type="password"
          autoComplete="new-password"
          minLength={8}
          hint="At least 8 characters."
          required
        />
        <Checkbox name="emailOptIn" label="Send me occasional informative emails about Fixpoint" />
        <SubmitButton wide>Sign up</SubmitButton>
      </Form>
      <p className="text-sm text-muted">
        Have an account?{' '}
        <Link to={`/login${search}`} className={inlineLink}>
          Sign in
        </Link>
      </p>
    </SignInFrame>
  );
}
