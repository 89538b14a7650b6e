/** /fp/cloud/device: signs in a program that shows a code, such as the command line. */
import { CircleCheck, CircleSlash } from 'lucide-react';
import { useEffect, useState } from 'react';
import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  useActionData,
  useLoaderData,
  useLocation,
} from 'react-router';
import { app, useApp } from '../cloud/app.ts';
import { useConfirmed, WithConfirm } from '../features/account/confirm-identity.tsx';
import { LinkButton } from '../ui/button.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import { Form, FormActions, FormPage, SubmitButton, TextField, textOf } from '../ui/forms/form.tsx';
import { Card, PageHeader } from '../ui/pages/page.tsx';
import { failureText } from '../ui/text/failure-text.ts';

interface Asking {
  readonly code: string;
  readonly client: string;
  readonly from: string | undefined;
}

type Loaded =
  | { readonly asking: Asking }
  | { readonly asking: undefined; readonly problem: string | undefined };

/** Loads the program's description, and the origin of its request. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Loaded> {
  const code = new URL(request.url).searchParams.get('code') ?? '';
  if (code === '') return { asking: undefined, problem: undefined };
  const found = await context.get(app).api.describeLogin(code);
  if (found.ok) return { asking: { code, client: found.value.client, from: found.value.from } };
  const isUnknown = found.error.code === 'NOT_FOUND' || found.error.code === 'REQUEST_INVALID';
  return {
    asking: undefined,
    problem: isUnknown
      ? 'This code is unknown or has expired. Check it, or start again in the program.'
      : failureText(found.error),
  };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const decided = await context
    .get(app)
    .api.decideLogin(textOf(form, 'code'), textOf(form, 'decision') === 'approve');
  if (decided.ok) return data({ done: decided.value });
  if (decided.error.code === 'CONFIRM_IDENTITY') return data({ confirm: textOf(form, 'code') });
  return data({ error: failureText(decided.error) }, { status: 400 });
}

export function Component() {
  const loaded = useLoaderData<Loaded>();
  const acted = useActionData<Acted>();
  const { pathname, search } = useLocation();
  return (
    <div className="max-w-lg">
      <title>Sign in a program · Fixpoint</title>
      {acted?.done !== undefined ? (
        <Done outcome={acted.done} />
      ) : loaded.asking === undefined ? (
        <Code problem={loaded.problem} />
      ) : (
        <WithConfirm here={pathname + search}>
          <Decide asking={loaded.asking} acted={acted} />
        </WithConfirm>
      )}
    </div>
  );
}

function Code({ problem }: { problem: string | undefined }) {
  return (
    <>
      <PageHeader title="Sign in a program" lead="Enter the code that the program shows." />
      <Card>
        <Form method="get" className="flex flex-col gap-4">
          <div className={CODE_FIELD}>
            <TextField
              name="code"
              label="Code"
              placeholder="BCDF-GHJK"
              error={problem}
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              required
              autoFocus
            />
          </div>
          <FormActions>
            <SubmitButton>Continue</SubmitButton>
          </FormActions>
        </Form>
      </Card>
      <p className="mt-3 text-sm text-ink-3">
        No code yet? Start the program, for example with <code className="font-mono">fixpoint login</code>. It
        shows a code of eight letters, which is valid for some minutes.
      </p>
    </>
  );
}

const CODE_FIELD =
  '[&_input]:h-11 [&_input]:font-mono [&_input]:text-lg [&_input]:tracking-[0.2em] [&_input]:uppercase [&_input]:placeholder:text-ink-3';

/** The result of a decision. */
interface Acted {
  readonly done?: 'approved' | 'denied';
  readonly error?: string;
  /** The approved code, if the server requires that users first confirm their identity. */
  readonly confirm?: string;
}

interface DecideProps {
  readonly asking: Asking;
  readonly acted: Acted | undefined;
}

function Decide({ asking: { code, client, from }, acted }: DecideProps) {
  const { outcome, problem } = useApproval(acted);
  if (outcome !== undefined) return <Done outcome={outcome} />;
  return (
    <FormPage
      title="Sign in a program"
      lead="The program will act as you until you revoke it in your account."
      error={problem ?? acted?.error}
    >
      <Facts>
        <Fact name="Program">{client}</Fact>
        {from !== undefined && <Fact name="Request from">{from}</Fact>}
        <Fact name="Code">
          <strong className="font-mono text-lg tracking-[0.2em]">{code}</strong>
        </Fact>
      </Facts>
      <p className="text-sm text-ink-2">
        Continue only if you just started this program yourself and it shows this code.
      </p>
      <input type="hidden" name="code" value={code} />
      <FormActions>
        <SubmitButton name="decision" value="approve">
          Approve
        </SubmitButton>
        <SubmitButton tone="plain" name="decision" value="deny">
          Deny
        </SubmitButton>
      </FormActions>
    </FormPage>
  );
}

/** Approves a code again, and asks for the password when the server requires it. */
function useApproval(acted: Acted | undefined) {
  const { api } = useApp();
  const confirmed = useConfirmed();
  const [outcome, setOutcome] = useState<'approved' | 'denied'>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const code = acted?.confirm;
    setProblem(undefined);
    if (code === undefined) return;
    void confirmed(() => api.decideLogin(code, true)).then((decided) =>
      decided.ok ? setOutcome(decided.value) : setProblem(failureText(decided.error)),
    );
    // Each answer of the action is a new object, so the effect runs again when the user approves
    // the same code again.
  }, [api, acted, confirmed]);
  return { outcome, problem };
}

function Done({ outcome }: { outcome: 'approved' | 'denied' }) {
  const isApproved = outcome === 'approved';
  const Icon = isApproved ? CircleCheck : CircleSlash;
  return (
    <>
      <PageHeader title={isApproved ? 'Program signed in' : 'Request denied'} />
      <Card>
        <div className="flex gap-3 text-sm">
          <Icon
            size={18}
            aria-hidden
            className={`mt-0.5 shrink-0 ${isApproved ? 'text-accent-ink' : 'text-ink-3'}`}
          />
          <div>
            <p className="font-medium">You can close this page and go back to the program.</p>
            <p className="mb-3 text-ink-2">
              {isApproved
                ? 'It acts as you until you revoke it in your account.'
                : 'The program got no access.'}
            </p>
            <LinkButton to="/fp/cloud/account">Your account</LinkButton>
          </div>
        </div>
      </Card>
    </>
  );
}
