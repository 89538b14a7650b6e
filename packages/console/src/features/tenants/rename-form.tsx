import { type ReactNode, useState } from 'react';
import { useKeptField } from '../../leaving/kept-field.ts';
import { Form, SubmitButton, TextField } from '../../ui/forms/form.tsx';

export interface RenameFormProps {
  readonly name: string | undefined;
  /** The result of the route's action; undefined before a submit. */
  readonly outcome: { readonly error: string | undefined; readonly done: boolean } | undefined;
  readonly hint?: ReactNode;
  /** Whether an empty name is only marked, without a message or a call of the action. */
  readonly isQuiet?: boolean;
}

/** Renames a tenant or a ledger: the route's action receives `name`. */
export function RenameForm({ name = '', outcome, hint, isQuiet = false }: RenameFormProps) {
  const [typed, setTyped] = useTyped(name);
  return (
    <Form method="post" noValidate={!isQuiet} className="flex flex-wrap items-start gap-x-2 gap-y-3">
      <div className="max-w-sm grow basis-60">
        <TextField
          name="name"
          label="Name"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          required
          isQuiet={isQuiet}
          autoComplete="off"
          hint={hint}
          error={outcome?.error}
        />
      </div>
      {/* In line with the field, which has a label above. */}
      <div className="flex flex-wrap items-center gap-2 sm:pt-6.5">
        <SubmitButton>Update Name</SubmitButton>
        <span role="status" className="text-sm text-accent-ink">
          {outcome?.done === true ? 'Updated.' : ''}
        </span>
      </div>
    </Form>
  );
}

/** Keeps the typed name when somebody else renames, and clears it when the typed name was saved. */
function useTyped(name: string): readonly [string, (text: string) => void] {
  const [typed, setTyped] = useKeptField('name');
  const [before, setBefore] = useState(name);
  if (name !== before) {
    setBefore(name);
    if (typed?.trim() === name) setTyped(undefined);
  }
  return [typed ?? name, setTyped];
}
