import type { Application } from '@fixpoint/protocol/admin';
import { type FormEvent, useId, useState } from 'react';
import { useLocation } from 'react-router';
import { useApp } from '../../cloud/app.ts';
import { applicationsQuery } from '../../cloud/queries/queries.ts';
import { Button } from '../../ui/button.tsx';
import { LinesField } from '../../ui/forms/lines-field.tsx';
import { TextField, type TextFieldProps } from '../../ui/forms/text-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { serverUrl } from '../../ui/pages/base-path.ts';
import { ErrorPanel } from '../../ui/pages/feedback.tsx';
import { CodeBlock } from '../../ui/text/code-block.tsx';
import { CopyButton } from '../../ui/text/copy-button.tsx';
import { useConfirmed, WithConfirm } from '../account/confirm-identity.tsx';
import {
  missingIn,
  NOTHING_TYPED,
  type Problem,
  problemOf,
  settingsOf,
  type TypedField,
  typedFrom,
} from './typed-application.ts';

export interface ApplicationDialogProps {
  readonly tenantId: string;
  /** The application to change; undefined to register a new one. */
  readonly application?: Application;
  readonly onClose: () => void;
}

/** Registers or changes an application. After a registration, shows the code that the app needs. */
export function ApplicationDialog({ tenantId, application, onClose }: ApplicationDialogProps) {
  const [registered, setRegistered] = useState<Application>();
  const { pathname } = useLocation();
  if (registered !== undefined) return <Registered application={registered} onClose={onClose} />;
  return (
    <WithConfirm here={pathname}>
      <Ask
        {...{ tenantId, application, onClose }}
        onDone={application === undefined ? setRegistered : onClose}
      />
    </WithConfirm>
  );
}

interface AskProps extends Omit<ApplicationDialogProps, 'application'> {
  readonly application: Application | undefined;
  readonly onDone: (application: Application) => void;
}

function Ask({ tenantId, application, onClose, onDone }: AskProps) {
  const { api, queries } = useApp();
  const confirmed = useConfirmed();
  const form = useId();
  const [typed, setTyped] = useState(application === undefined ? NOTHING_TYPED : typedFrom(application));
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const settings = settingsOf(typed);
    const missing = missingIn(settings);
    if (missing !== undefined) return setProblem(missing);
    setBusy(true);
    const saved = await confirmed(() =>
      application === undefined
        ? api.createApplication({ tenantId, ...settings })
        : api.updateApplication({ tenantId, applicationId: application.applicationId, ...settings }),
    );
    setBusy(false);
    if (!saved.ok) return setProblem(problemOf(saved.error, settings));
    onDone(saved.value);
    await queries.invalidateQueries(applicationsQuery(api, tenantId));
  };
  const field = (name: TypedField) => ({
    value: typed[name],
    error: problem?.field === name ? problem.text : undefined,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => {
      setTyped({ ...typed, [name]: target.value });
      setProblem(undefined);
    },
  });
  return (
    <Dialog
      open
      isBusy={busy}
      onClose={onClose}
      title={application === undefined ? 'Register an application' : `Change ${application.name}`}
      description="The server signs people in only to these addresses."
      actions={
        <Actions form={form} busy={busy} onClose={onClose}>
          {application === undefined ? 'Register' : 'Save'}
        </Actions>
      }
    >
      <form id={form} noValidate className="flex flex-col gap-4" onSubmit={(event) => void send(event)}>
        {problem !== undefined && problem.field === undefined && <ErrorPanel message={problem.text} />}
        <TextField
          {...field('name')}
          label="Name"
          placeholder="Field notes"
          hint="People see it when the server asks whether the app may sign them in."
          autoComplete="off"
        />
        <LinesField
          {...field('origins')}
          label="Origins"
          placeholder={'https://notes.example\nhttp://localhost:5173'}
          hint={
            application === undefined
              ? 'Where the app runs, one per line. Use https, or http://localhost while you develop.'
              : 'Where the app runs, one per line. If you remove one, everybody is signed out there.'
          }
        />
        <LinesField
          {...field('redirectUrls')}
          label="Redirect URLs"
          placeholder="https://notes.example/signed-in"
          hint="Where people return after they sign in, one per line. If empty: the start page of each origin."
        />
        <OwnUsers field={field} isOpenAtFirst={typed.issuer !== ''} />
      </form>
    </Dialog>
  );
}

interface ActionsProps {
  readonly form: string;
  readonly busy: boolean;
  readonly onClose: () => void;
  readonly children: string;
}

function Actions({ form, busy, onClose, children }: ActionsProps) {
  return (
    <>
      <Button disabled={busy} onClick={onClose}>
        Cancel
      </Button>
      <Button type="submit" form={form} tone="primary" disabled={busy}>
        {children}
      </Button>
    </>
  );
}

const ISSUER_FIELDS: readonly TypedField[] = ['issuer', 'jwksUrl', 'audience'];

interface OwnUsersProps {
  readonly field: (name: TypedField) => Pick<TextFieldProps, 'value' | 'error' | 'onChange'>;
  readonly isOpenAtFirst: boolean;
}

/** Fields for an application that signs in its users itself. */
function OwnUsers({ field, isOpenAtFirst }: OwnUsersProps) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  // Problems must stay in view.
  const hasProblem = ISSUER_FIELDS.some((name) => field(name).error !== undefined);
  return (
    <details
      open={isOpen || hasProblem}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
      className="rounded-md border border-line px-3 py-2"
    >
      <summary className="cursor-pointer text-sm font-medium">The app signs in its users itself</summary>
      <div className="flex flex-col gap-4 pt-3 pb-1">
        <p className="text-xs text-ink-3">
          The app exchanges a token of its own issuer (a JWT) for a session. Leave these fields empty if
          people sign in at this server.
        </p>
        <TextField
          {...field('issuer')}
          label="Issuer"
          placeholder="https://id.notes.example/"
          hint="Exactly the claim iss of the tokens."
          autoComplete="off"
        />
        <TextField
          {...field('jwksUrl')}
          label="Address of the keys"
          placeholder="https://id.notes.example/.well-known/jwks.json"
          hint="Where the issuer publishes its public keys (JWKS)."
          autoComplete="off"
        />
        <TextField
          {...field('audience')}
          label="Audience"
          placeholder="fixpoint"
          hint="Exactly the claim aud of the tokens."
          autoComplete="off"
        />
      </div>
    </details>
  );
}

function Registered({ application, onClose }: { application: Application; onClose: () => void }) {
  const text = snippetOf(application);
  return (
    <Dialog
      open
      onClose={onClose}
      title={`${application.name} is registered`}
      description="Add this to your app. The id isn’t secret, and stays in the list."
      actions={
        <Button tone="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <CodeBlock label="session.ts" text={text} actions={<CopyButton text={text} size="sm" tone="quiet" />} />
    </Dialog>
  );
}

const snippetOf = ({ applicationId, issuer }: Application): string =>
  `import { createSession } from 'fixpoint/session';

export const session = createSession({
  base: '${serverUrl()}',
  app: '${applicationId}',${issuer === undefined ? '' : TOKEN_LINE}
});`;

const TOKEN_LINE = `
  // Returns the token of the person who is signed in to your app, or undefined.
  token: () => yourToken(),`;
