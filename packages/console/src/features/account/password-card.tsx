import { type FormEvent, useId, useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import type { Account, EndedAccess } from '../../cloud/identity/session-port.ts';
import { accountQueries, apiTokensQuery } from '../../cloud/queries/queries.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/forms/form.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { AccessField, accessIn, ENDED_TEXTS } from './access-field.tsx';

export interface PasswordCardProps {
  readonly change: NonNullable<Account['changePassword']>;
  /** Shows password managers which account the passwords belong to. */
  readonly email: string;
  /** The preselected access to revoke along with all other sessions. */
  readonly preset?: EndedAccess | undefined;
}

export function PasswordCard(props: PasswordCardProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Card
        title="Password"
        lead="Changing your password signs out all other browsers."
        actions={<Button onClick={() => setOpen(true)}>Change password</Button>}
      />
      {isOpen && <ChangeDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Why the dialog rejects the text of a field. */
interface Problem {
  readonly field: 'current' | 'again';
  readonly text: string;
}

function ChangeDialog({ change, email, preset, onClose }: PasswordCardProps & { onClose: () => void }) {
  const { api, queries } = useApp();
  const toast = useToast();
  const id = useId();
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const [current, next, again] = FIELDS.map((name) => String(given.get(name) ?? '')) as Passwords;
    if (next !== again)
      return setProblem({ field: 'again', text: 'The new passwords don’t match. Enter the same one twice.' });
    const access = accessIn(given);
    setProblem(undefined);
    setBusy(true);
    const answer = await change(current, next, access);
    setBusy(false);
    if (!answer.ok) return setProblem({ field: 'current', text: failureText(answer.error) });
    onClose();
    toast(`Password changed. All other browsers are signed out.${ENDED_TEXTS[access]}`);
    for (const queryKey of [accountQueries.all, apiTokensQuery(api).queryKey.slice(0, 1)])
      void queries.invalidateQueries({ queryKey, refetchType: 'all' });
  };
  const errorAt = (field: Problem['field']) => (problem?.field === field ? problem.text : undefined);
  return (
    <Dialog
      open
      isBusy={isBusy}
      onClose={onClose}
      title="Change your password"
      actions={
        <>
          <Button disabled={isBusy} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={id} tone="primary" disabled={isBusy}>
            Change password
          </Button>
        </>
      }
    >
      <form id={id} className="flex flex-col gap-4" onSubmit={(event) => void send(event)}>
        <input hidden readOnly name="username" autoComplete="username" value={email} />
        <TextField
          name="current"
          label="Current password"
          type="password"
          autoComplete="current-password"
          error={errorAt('current')}
          required
        />
        <TextField
          name="next"
          label="New password"
          type="password"
          autoComplete="new-password"
          minLength={8}
          hint="At least 8 characters."
          required
        />
        <TextField
          name="again"
          label="Repeat new password"
          type="password"
          autoComplete="new-password"
          error={errorAt('again')}
        />
        <AccessField preset={preset} />
      </form>
    </Dialog>
  );
}

type Passwords = [current: string, next: string, again: string];
const FIELDS = ['current', 'next', 'again'];

export interface NoPasswordCardProps {
  readonly mail: NonNullable<Account['mailPassword']>;
  readonly email: string;
}

/**
 * Renders the card for users without a password. Only the owner of the address may set a password,
 * so the card mails a link to the address.
 */
export function NoPasswordCard({ mail, email }: NoPasswordCardProps) {
  const toast = useToast();
  const call = useCall({
    call: () => mail(email),
    changes: [],
    onDone: () => toast(`We sent a link to ${email}. It’s valid for one hour.`),
  });
  return (
    <Card
      title="Password"
      lead="This account has no password. If you set one, you can sign in with it too. Setting a password signs out all browsers."
    >
      <Button disabled={call.isPending} onClick={() => call.mutate(undefined)}>
        Email me a link to set a password
      </Button>
    </Card>
  );
}
