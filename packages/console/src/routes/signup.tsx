import {
  type ActionFunctionArgs,
  data,
  Form,
  Link,
  redirect,
  useActionData,
  useLocation,
} from 'react-router';
import { ownPage } from '../cloud/redirects.ts';
import { signUp } from '../cloud/session.ts';
import { ErrorPanel } from '../ui/feedback.tsx';
import { Checkbox, SubmitButton, TextField, textOf } from '../ui/form.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

export async function action({ request }: ActionFunctionArgs) {
  const form = await request.formData();
  const { searchParams } = new URL(request.url);
  const problem = await signUp({
    name: textOf(form, 'name'),
    email: textOf(form, 'email'),
    password: String(form.get('password') ?? ''),
    emailOptIn: form.has('emailOptIn'),
    adClickId: searchParams.get('gclid') ?? undefined,
  });
  if (problem !== undefined) return data({ error: problem }, { status: 400 });
  return redirect(ownPage(searchParams.get('redirect_url'), location.origin));
}

/** /signup */
export function Component() {
  const failed = useActionData<typeof action>();
  const { search } = useLocation();
  return (
    <SignInFrame title="Create your account">
      <title>Sign up · Fixpoint</title>
      <Form method="post" className="flex flex-col gap-4">
        {failed !== undefined && <ErrorPanel message={failed.error} />}
        <TextField name="name" label="Name" autoComplete="name" required />
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
        <SubmitButton>Sign up</SubmitButton>
      </Form>
      <p className="text-sm text-muted">
        Have an account?{' '}
        <Link to={`/login${search}`} className="text-accent underline">
          Sign in
        </Link>
      </p>
    </SignInFrame>
  );
}
