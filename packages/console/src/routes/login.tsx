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
import { ownPage } from '../cloud/redirects.ts';
import { sessionUser, signIn } from '../cloud/session.ts';
import { ErrorPanel } from '../ui/feedback.tsx';
import { SubmitButton, TextField, textOf } from '../ui/form.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

const targetOf = (request: Request) =>
  ownPage(new URL(request.url).searchParams.get('redirect_url'), location.origin);

export async function loader({ request }: LoaderFunctionArgs) {
  return (await sessionUser()) === undefined ? null : redirect(targetOf(request));
}

export async function action({ request }: ActionFunctionArgs) {
  const form = await request.formData();
  const problem = await signIn(textOf(form, 'email'), String(form.get('password') ?? ''));
  return problem === undefined ? redirect(targetOf(request)) : data({ error: problem }, { status: 401 });
}

/** /login */
export function Component() {
  const failed = useActionData<typeof action>();
  const { search } = useLocation();
  return (
    <SignInFrame title="Sign in">
      <title>Sign in · Fixpoint</title>
      <Form method="post" className="flex flex-col gap-4">
        {failed !== undefined && <ErrorPanel message={failed.error} />}
        <TextField name="email" label="Email" type="email" autoComplete="username" required />
        <TextField
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
          required
        />
        <SubmitButton>Sign in</SubmitButton>
      </Form>
      <p className="text-sm text-muted">
        No account yet?{' '}
        <Link to={`/signup${search}`} className="text-accent underline">
          Sign up
        </Link>{' '}
        or{' '}
        <Link to="/fp/databases" className="text-accent underline">
          work with local databases
        </Link>
        .
      </p>
    </SignInFrame>
  );
}
