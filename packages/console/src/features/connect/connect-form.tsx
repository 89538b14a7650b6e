import { useLocalDatabases } from '../../local/use-local-databases.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Form, FormActions, SubmitButton, TextField } from '../../ui/forms/form.tsx';
import { ErrorPanel, PageHeader } from '../../ui/pages/feedback.tsx';
import { Card } from '../../ui/pages/page.tsx';

/** Address parameter: the user agreed that two names share a database. */
export const AGREED = 'share';
const LOCAL_NAME_MISSING = 'Local name is required';

export interface ConnectFormProps {
  readonly given: URLSearchParams;
  readonly error: string | undefined;
  /**
   * Says which name or database the connection would share with another one. The connection is
   * created only if the user agrees.
   */
  readonly shared: string | undefined;
}

/** Asks for a connection's details; submitting puts them into the address of the same page. */
export function ConnectForm({ given, error, shared }: ConnectFormProps) {
  const databases = useLocalDatabases() ?? [];
  const isFieldError = error === LOCAL_NAME_MISSING;
  return (
    <div className="w-full max-w-lg">
      <PageHeader
        title="Connect"
        lead="Connect a local database to a remote name. Afterwards you can open the database by either name."
      />
      <Card>
        <Form action="/fp/databases/connect" className="flex flex-col gap-5" noValidate>
          {error !== undefined && !isFieldError && <ErrorPanel message={error} />}
          {shared !== undefined && (
            <p
              role="alert"
              className="rounded-md border border-conflict-line bg-conflict-soft px-3 py-2 text-sm wrap-anywhere text-conflict"
            >
              {shared} Choose another name, or connect anyway.
            </p>
          )}
          <TextField
            name="localName"
            label="Local name"
            required
            autoComplete="off"
            list="local-names"
            defaultValue={given.get('localName') ?? ''}
            error={isFieldError ? error : undefined}
            hint="A database in this browser. If it doesn’t exist yet, it’s created."
          />
          <datalist id="local-names">
            {databases.map(({ name }) => (
              <option key={name} value={name} />
            ))}
          </datalist>
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
          />
          <FormActions>
            <SubmitButton>Connect</SubmitButton>
            {shared !== undefined && (
              <Button type="submit" name={AGREED} value="yes">
                Connect anyway
              </Button>
            )}
            <CancelButton />
          </FormActions>
        </Form>
      </Card>
    </div>
  );
}
