import { Fingerprint, Mail } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { SignInWays } from '../../cloud/identity/session-port.ts';
import type { Outcome } from '../../cloud/sign-in/sign-in-attempt.ts';
import { Button } from '../../ui/button.tsx';
import { Form, SubmitButton, TextField } from '../../ui/forms/form.tsx';
import { ErrorPanel, NotePanel } from '../../ui/pages/feedback.tsx';

export interface CredentialsFormProps {
  /** Whether the form creates an account. */
  readonly isNew: boolean;
  /** The address of a new account, if users can't choose it. */
  readonly email?: string;
  /** The label of the button. */
  readonly action: string;
  readonly ways: SignInWays;
  readonly outcome: Outcome | undefined;
  /** Fields above the buttons, for every way to sign in. */
  readonly fields?: ReactNode;
  /** Shown below the buttons. */
  readonly children?: ReactNode;
}

/**
 * Renders the ways to sign in: address and password, and others that the provider offers. The
 * page's action receives the form.
 */
export function CredentialsForm({
  isNew,
  email,
  action,
  ways,
  outcome,
  fields,
  children,
}: CredentialsFormProps) {
  return (
    <Form method="post" className="flex flex-col gap-4">
      {outcome?.error !== undefined && <ErrorPanel message={outcome.error} />}
      {outcome?.note !== undefined && <NotePanel text={outcome.note} />}
      {outcome?.code !== undefined ? (
        <CodeFields from={outcome.code} />
      ) : (
        <>
          {ways.password && <AccountFields isNew={isNew} email={email} wrong={outcome?.email} />}
          {fields}
          {ways.password && <SubmitButton wide>{action}</SubmitButton>}
          {!isNew && (ways.passkey || ways.mailedLink) && (
            <div className="flex flex-wrap gap-2 *:flex-1">
              {ways.passkey && (
                <WayButton way="passkey">
                  <Fingerprint size={16} aria-hidden /> Use a passkey
                </WayButton>
              )}
              {ways.mailedLink && (
                <WayButton way="sign-in">
                  <Mail size={16} aria-hidden /> Email me a link instead
                </WayButton>
              )}
            </div>
          )}
          {ways.elsewhere !== undefined && <WayButton way="elsewhere">{ways.elsewhere}</WayButton>}
          {children}
        </>
      )}
    </Form>
  );
}

interface AccountFieldsProps {
  readonly isNew: boolean;
  readonly email: string | undefined;
  readonly wrong: string | undefined;
}

function AccountFields({ isNew, email, wrong }: AccountFieldsProps) {
  return (
    <>
      {isNew && <TextField name="name" label="Name" autoComplete="name" required autoFocus />}
      <TextField
        name="email"
        label="Email"
        type="email"
        autoComplete={isNew ? 'username' : 'username webauthn'}
        error={wrong}
        required
        autoFocus={!isNew}
        {...(email !== undefined && { value: email, readOnly: true })}
      />
      {isNew ? (
        <NewPasswordField label="Password" />
      ) : (
        <TextField
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
          required
        />
      )}
    </>
  );
}

export function NewPasswordField({ label }: { label: string }) {
  return (
    <TextField
      name="password"
      label={label}
      type="password"
      autoComplete="new-password"
      minLength={8}
      hint="At least 8 characters."
      required
    />
  );
}

const CODES = {
  mail: 'We emailed you a code. Enter it to verify your address.',
  app: 'Open your authenticator app and enter the code that it shows.',
  backup: 'Enter one of the backup codes that you wrote down. Each code works once.',
};

function CodeFields({ from }: { from: 'mail' | 'app' }) {
  const [isBackup, setBackup] = useState(false);
  const kind = isBackup ? 'backup' : from;
  return (
    <>
      <p className="text-sm text-ink-3">{CODES[kind]}</p>
      <input type="hidden" name="way" value="code" />
      <input type="hidden" name="from" value={from} />
      <TextField
        key={kind}
        name="code"
        label={isBackup ? 'Backup code' : 'Code'}
        // Backup codes have letters, which the digits of a phone's keyboard don't include.
        inputMode={isBackup ? 'text' : 'numeric'}
        autoComplete={isBackup ? 'off' : 'one-time-code'}
        autoCapitalize="off"
        spellCheck={false}
        required
        autoFocus
      />
      <SubmitButton wide>Continue</SubmitButton>
      {from === 'app' && (
        <Button tone="quiet" onClick={() => setBackup(!isBackup)}>
          {isBackup ? 'Use a code from the app' : 'Use a backup code'}
        </Button>
      )}
    </>
  );
}

/** Signs in without the fields, which may stay empty. */
function WayButton({ way, children }: { way: string; children: ReactNode }) {
  return (
    <Button type="submit" name="way" value={way} formNoValidate className="w-full">
      {children}
    </Button>
  );
}
