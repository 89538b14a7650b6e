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
import { SubmitButton, TextField, textOf } from '../ui/form.tsx';

const targetOf = (request: Request) =>
  ownPage(new URL(request.url).searchParams.get('redirect_url'), location.origin);

/** Leads on who is signed in already. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { session, queries } = context.get(app);
  const somebody = await queries.fetchQuery(sessionQuery(session));
  return somebody === null ? null : redirect(targetOf(request));
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const { session, queries } = context.get(app);
  const problem = await session.signIn(textOf(form, 'email'), String(form.get('password') ?? ''));
  if (problem !== undefined) return data({ error: problem }, { status: 401 });
  queries.clear();
  return redirect(targetOf(request));
}

/** /login */
export function Component() {
  const failed = useActionData<typeof action>();
  const { search } = useLocation();
  return (
    <SignInFrame title="Sign in" lead="To the tenants and databases that you share with others.">
      <title>Sign in · Fixpoint</title>
      <Form method="post" className="flex flex-col gap-4">
        {failed !== undefined && <ErrorPanel message={failed.error} />}
        <TextField name="email" label="Email" type="email" autoComplete="username" required autoFocus />
        <TextField
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
          required
        />
        <SubmitButton wide>Sign in</SubmitButton>
      </Form>
      <p className="text-sm text-muted">
        No account yet?{' '}
        <Link to={`/signup${search}`} className={inlineLink}>
          Sign up
        </Link>
        , or{' '}
        <Link to="/fp/databases" className={inlineLink}>
          work with local databases
        </Link>{' '}
        without one.
      </p>
    </SignInFrame>
  );
}
