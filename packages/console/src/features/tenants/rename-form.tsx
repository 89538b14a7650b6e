import { type ReactNode, useState } from 'react';
import { useKeptField } from '../../leaving/kept-field.ts';
import { Form, FormActions, SubmitButton, TextField } from '../../ui/forms/form.tsx';

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
    <Form method="post" noValidate={!isQuiet} className="flex max-w-md flex-col gap-4">
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
      <FormActions>
        <SubmitButton>Update Name</SubmitButton>
        <span role="status" className="text-sm text-accent-ink">
          {outcome?.done === true ? 'Updated.' : ''}
        </span>
      </FormActions>
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
