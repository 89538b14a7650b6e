import { type FormEvent, useRef, useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import type { Account, EndedAccess } from '../../cloud/identity/session-port.ts';
import { accountQueries, apiTokensQuery } from '../../cloud/queries/queries.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/forms/form.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { AccessField, accessIn, ENDED_TEXTS } from './access-field.tsx';

export interface PasswordCardProps {
  readonly change: NonNullable<Account['changePassword']>;
  /** Shows password managers which account the passwords belong to. */
  readonly email: string;
  /** The preselected access to revoke along with all other sessions. */
  readonly preset?: EndedAccess | undefined;
}

/** Typed values, by field name. */
interface Typed {
  readonly current: string;
  readonly next: string;
  readonly again: string;
}

interface Sent {
  readonly typed: Typed;
  readonly access: EndedAccess;
}

export function PasswordCard({ change, email, preset }: PasswordCardProps) {
  const { api } = useApp();
  const form = useRef<HTMLFormElement>(null);
  const toast = useToast();
  const [problem, setProblem] = useState<string>();
  const call = useCall({
    call: ({ typed: { current, next }, access }: Sent) => change(current, next, access),
    changes: [accountQueries.all, apiTokensQuery(api).queryKey.slice(0, 1)],
    onDone: (_done, { typed, access }) => {
      if (form.current !== null) emptyWhatIs(typed, form.current);
      toast(`Password changed. All other browsers are signed out.${ENDED_TEXTS[access]}`);
    },
  });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const text = (name: keyof Typed) => String(given.get(name) ?? '');
    const typed = { current: text('current'), next: text('next'), again: text('again') };
    if (typed.next !== typed.again)
      return setProblem('The new passwords don’t match. Enter the same one twice.');
    setProblem(undefined);
    call.mutate({ typed, access: accessIn(given) });
  };
  return (
    <Card title="Password" lead="Changing your password signs out all other browsers.">
      <form ref={form} className="flex max-w-md flex-col gap-4" onSubmit={send}>
        <input hidden readOnly name="username" autoComplete="username" value={email} />
        <TextField
          name="current"
          label="Current password"
          type="password"
          autoComplete="current-password"
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
          error={problem}
        />
        <AccessField preset={preset} />
        <Button type="submit" className="self-start" disabled={call.isPending}>
          Change password
        </Button>
      </form>
    </Card>
  );
}

/** Clears the fields that still contain the submitted values, and keeps text typed since then. */
function emptyWhatIs(sent: Typed, form: HTMLFormElement): void {
  for (const [name, value] of Object.entries(sent)) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement && field.value === value) field.value = '';
  }
}

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
