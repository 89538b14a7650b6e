/** /fp/cloud/device: signs a program in, such as the command line, that shows a code. */
import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  useActionData,
  useLoaderData,
} from 'react-router';
import { app } from '../cloud/app.ts';
import { failureText } from '../cloud/failure-text.ts';
import { Form, FormActions, FormPage, SubmitButton, TextField, textOf } from '../ui/form.tsx';
import { Card, PageHeader } from '../ui/page.tsx';

interface Asking {
  readonly code: string;
  readonly client: string;
  readonly from: string | undefined;
}

type Loaded =
  | { readonly asking: Asking }
  | { readonly asking: undefined; readonly problem: string | undefined };

/** Looks who asks; what is shown is what the program says of itself, and from where it came. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Loaded> {
  const code = new URL(request.url).searchParams.get('code') ?? '';
  if (code === '') return { asking: undefined, problem: undefined };
  const found = await context.get(app).api.describeLogin(code);
  if (found.ok) return { asking: { code, client: found.value.client, from: found.value.from } };
  const isUnknown = found.error.code === 'NOT_FOUND' || found.error.code === 'REQUEST_INVALID';
  return {
    asking: undefined,
    problem: isUnknown ? 'This code is not known, or it is over.' : failureText(found.error),
  };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const decided = await context
    .get(app)
    .api.decideLogin(textOf(form, 'code'), textOf(form, 'decision') === 'approve');
  return decided.ok
    ? data({ done: decided.value })
    : data({ error: failureText(decided.error) }, { status: 400 });
}

export function Component() {
  const loaded = useLoaderData<Loaded>();
  const acted = useActionData<{ done?: 'approved' | 'denied'; error?: string }>();
  return (
    <div className="max-w-lg">
      <title>Sign a program in · Fixpoint</title>
      {acted?.done !== undefined ? (
        <Done outcome={acted.done} />
      ) : loaded.asking === undefined ? (
        <Code problem={loaded.problem} />
      ) : (
        <Decide asking={loaded.asking} error={acted?.error} />
      )}
    </div>
  );
}

function Code({ problem }: { problem: string | undefined }) {
  return (
    <>
      <PageHeader title="Sign a program in" lead="Type the code that the program shows." />
      <Card>
        <Form method="get" className="flex flex-col gap-5">
          <TextField name="code" label="Code" error={problem} autoComplete="off" required autoFocus />
          <FormActions>
            <SubmitButton>Continue</SubmitButton>
          </FormActions>
        </Form>
      </Card>
    </>
  );
}

function Decide({ asking: { code, client, from }, error }: { asking: Asking; error: string | undefined }) {
  return (
    <FormPage
      title="Sign a program in"
      lead="It will act as you until you end it on the page of your account."
      error={error}
    >
      <Card title={client} lead={from === undefined ? undefined : `asks from ${from}`}>
        <p>
          Go on only if you started it yourself, a moment ago, and it shows the code <strong>{code}</strong>.
        </p>
      </Card>
      <input type="hidden" name="code" value={code} />
      <FormActions>
        <SubmitButton name="decision" value="approve">
          Sign it in
        </SubmitButton>
        <SubmitButton tone="plain" name="decision" value="deny">
          Refuse
        </SubmitButton>
      </FormActions>
    </FormPage>
  );
}

function Done({ outcome }: { outcome: 'approved' | 'denied' }) {
  return (
    <PageHeader
      title={outcome === 'approved' ? 'It is signed in' : 'It was refused'}
      lead="You can close this page and go back to the program."
    />
  );
}
