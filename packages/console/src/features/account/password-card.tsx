import { type FormEvent, useRef, useState } from 'react';
import { accountQueries } from '../../cloud/queries.ts';
import type { Account } from '../../cloud/session.ts';
import { useCall } from '../../cloud/use-call.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/form.tsx';
import { Card } from '../../ui/page.tsx';
import { useToast } from '../../ui/toaster.tsx';

export interface PasswordCardProps {
  readonly change: NonNullable<Account['changePassword']>;
  /** Helps password managers to know whose it is. */
  readonly email: string;
}

/** By the names of the fields. */
interface Typed {
  readonly current: string;
  readonly next: string;
  readonly again: string;
}

export function PasswordCard({ change, email }: PasswordCardProps) {
  const form = useRef<HTMLFormElement>(null);
  const toast = useToast();
  const [problem, setProblem] = useState<string>();
  const call = useCall({
    call: ({ current, next }: Typed) => change(current, next),
    changes: [accountQueries.all],
    onDone: (_done, sent) => {
      if (form.current !== null) emptyWhatIs(sent, form.current);
      toast('The password is changed. All other browsers are signed out.');
    },
  });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const text = (name: keyof Typed) => String(given.get(name) ?? '');
    const typed = { current: text('current'), next: text('next'), again: text('again') };
    if (typed.next !== typed.again) return setProblem('The two are not the same.');
    setProblem(undefined);
    call.mutate(typed);
  };
  return (
    <Card title="Password" lead="All other browsers are signed out when you change it.">
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
          label="New password, once more"
          type="password"
          autoComplete="new-password"
          error={problem}
        />
        <Button type="submit" className="self-start" disabled={call.isPending}>
          Change password
        </Button>
      </form>
    </Card>
  );
}

/** What was typed since it was sent stays. */
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

/** For who comes in another way: the address decides who may choose a password, so the link goes there. */
export function NoPasswordCard({ mail, email }: NoPasswordCardProps) {
  const toast = useToast();
  const call = useCall({
    call: () => mail(email),
    changes: [],
    onDone: () => toast(`A link is on its way to ${email}. It is good for one hour.`),
  });
  return (
    <Card
      title="Password"
      lead="This account has none. You can choose one, to come in by it as well; all browsers are signed out with it."
    >
      <Button disabled={call.isPending} onClick={() => call.mutate(undefined)}>
        Email me a link to choose one
      </Button>
    </Card>
  );
}
