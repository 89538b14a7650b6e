import { confirmConnection } from '../../local/confirmed-connection.ts';
import { connectionFrom } from '../../local/connections.ts';
import { useLocalDatabases } from '../../local/use-local-databases.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Form, FormActions, SubmitButton, TextField } from '../../ui/forms/form.tsx';
import { ErrorPanel } from '../../ui/pages/feedback.tsx';
import { Card } from '../../ui/pages/page.tsx';

/** Field of the form: the user agreed that two names share a database. */
export const AGREED = 'share';
/** The path of the connect page. Its action creates the ledger that a new connection names. */
export const CONNECT_PATH = '/fp/databases/connect';
const LOCAL_NAME_MISSING = 'Local name is required';

export interface AddressFormProps {
  readonly given: URLSearchParams;
  readonly error: string | undefined;
  /**
   * Says which name or database the connection would share with another one. The connection is
   * created only if the user agrees.
   */
  readonly shared: string | undefined;
}

/** Asks for a connection's details; submitting puts them into the address of the same page. */
export function AddressForm({ given, error, shared }: AddressFormProps) {
  const isFieldError = error === LOCAL_NAME_MISSING;
  return (
    <Card>
      <Form action={CONNECT_PATH} className="flex flex-col gap-5" noValidate>
        {error !== undefined && !isFieldError && <ErrorPanel message={error} />}
        {shared !== undefined && <SharedWarning text={shared} />}
        <LocalNameField value={given.get('localName') ?? ''} error={isFieldError ? error : undefined} />
        <TextField
          name="remoteName"
          label="Remote name"
          autoComplete="off"
          defaultValue={given.get('remoteName') ?? ''}
          hint="Defaults to the local name."
        />
        <TextField
          name="endpoint"
          label="Endpoint"
          autoComplete="off"
          defaultValue={given.get('endpoint') ?? ''}
          placeholder="fpcloud://host"
          hint="The address of the server. You sign in there and choose a database."
        />
        <FormActions>
          <SubmitButton>Connect</SubmitButton>
          {shared !== undefined && <ConnectAnyway />}
          <CancelButton />
        </FormActions>
      </Form>
    </Card>
  );
}

export interface LocalNameFieldProps {
  readonly value: string;
  readonly error?: string | undefined;
  readonly onChange?: (name: string) => void;
}

/** Asks for a database of this browser, and suggests the existing ones. */
export function LocalNameField({ value, error, onChange }: LocalNameFieldProps) {
  const databases = useLocalDatabases() ?? [];
  return (
    <>
      <TextField
        name="localName"
        label="Local name"
        required
        autoComplete="off"
        list="local-names"
        defaultValue={value}
        onChange={({ target }) => onChange?.(target.value)}
        error={error}
        hint="A database in this browser. If it doesn’t exist yet, it’s created."
      />
      <datalist id="local-names">
        {databases.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

export const SharedWarning = ({ text }: { text: string }) => (
  <p
    role="alert"
    className="rounded-md border border-conflict-line bg-conflict-soft px-3 py-2 text-sm wrap-anywhere text-conflict"
  >
    {text} Choose another name, or connect anyway.
  </p>
);

export const ConnectAnyway = () => (
  <Button
    type="submit"
    name={AGREED}
    value="yes"
    onClick={({ currentTarget }) => confirmIn(currentTarget.form)}
  >
    Connect anyway
  </Button>
);

/** Confirms the connection of a form whose fields are its address. */
function confirmIn(form: HTMLFormElement | null): void {
  if (form === null) return;
  const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
  const asked = connectionFrom(new URLSearchParams(fields));
  if (!('error' in asked)) confirmConnection(asked, { shares: true });
}
