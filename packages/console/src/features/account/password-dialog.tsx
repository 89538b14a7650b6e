import type { Result } from '@fixpoint/protocol';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/forms/form.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { failureText } from '../../ui/text/failure-text.ts';

export interface PasswordDialogProps<T> {
  readonly title: string;
  readonly description: string;
  /** The label of the button. */
  readonly action: string;
  readonly run: (password: string) => Promise<Result<T>>;
  /** Why an alternative in `more` was rejected. */
  readonly problem?: string | undefined;
  /** An alternative to the password. */
  readonly more?: ReactNode;
  readonly onDone: (value: T) => void;
  readonly onClose: () => void;
}

/** Asks for the password before it runs an action. */
export function PasswordDialog<T>({ title, description, action, run, more, ...on }: PasswordDialogProps<T>) {
  const form = useId();
  const [refused, setRefused] = useState<string>();
  const [busy, setBusy] = useState(false);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = String(new FormData(event.currentTarget).get('password') ?? '');
    setBusy(true);
    const answer = await run(password);
    setBusy(false);
    if (answer.ok) on.onDone(answer.value);
    else setRefused(failureText(answer.error));
  };
  return (
    <Dialog
      open
      isBusy={busy}
      onClose={on.onClose}
      title={title}
      description={description}
      actions={
        <>
          <Button disabled={busy} onClick={on.onClose}>
            Cancel
          </Button>
          <Button type="submit" form={form} tone="primary" disabled={busy}>
            {action}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={(event) => void send(event)}>
        <TextField
          name="password"
          label="Your password"
          type="password"
          autoComplete="current-password"
          error={refused ?? on.problem}
          required
        />
      </form>
      {more && <div className="mt-3 flex flex-wrap gap-2">{more}</div>}
    </Dialog>
  );
}
