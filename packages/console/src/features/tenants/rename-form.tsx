import type { ReactNode } from 'react';
import { Form } from 'react-router';
import { FormActions, SubmitButton, TextField } from '../../ui/form.tsx';

export interface RenameFormProps {
  readonly name: string | undefined;
  /** What the route's action found; undefined before anything was sent. */
  readonly outcome: { readonly error: string | undefined; readonly done: boolean } | undefined;
  readonly hint?: ReactNode;
  /** Whether an empty name is only marked, without words and without asking the action. */
  readonly isQuiet?: boolean;
}

/** Gives a tenant or a ledger another name: the route's action takes `name`. */
export function RenameForm({ name = '', outcome, hint, isQuiet = false }: RenameFormProps) {
  return (
    <Form method="post" noValidate={!isQuiet} className="flex max-w-md flex-col gap-4">
      <TextField
        key={name}
        name="name"
        label="Name"
        defaultValue={name}
        required
        isQuiet={isQuiet}
        autoComplete="off"
        hint={hint}
        error={outcome?.error}
      />
      <FormActions>
        <SubmitButton>Update Name</SubmitButton>
        <span role="status" className="text-sm text-ok">
          {outcome?.done === true ? 'Updated.' : ''}
        </span>
      </FormActions>
    </Form>
  );
}
