import { useState } from 'react';
import { type ActionFunctionArgs, data, redirect, useActionData, useSearchParams } from 'react-router';
import { listedName, problemOfName, visibleNames } from '../local/database-names.ts';
import { databasePath } from '../local/database-path.ts';
import { createLocal, storageNames } from '../local/databases.ts';
import { listDatabases } from '../local/use-local-databases.ts';
import { LinkButton } from '../ui/button.tsx';
import { CancelButton, FormActions, FormPage, SubmitButton, TextField, textOf } from '../ui/forms/form.tsx';
import { failureText } from '../ui/text/failure-text.ts';

/** Creates a database and opens it. */
export async function action({ request }: ActionFunctionArgs) {
  const name = textOf(await request.formData(), 'name');
  const existing = visibleNames((await storageNames()) ?? []);
  const error = problemOfName(name, existing);
  const listed = listedName(name);
  if (error !== undefined) {
    const found = existing.includes(listed) ? listed : undefined;
    return data({ error, found }, { status: 400 });
  }
  try {
    await createLocal(listed);
  } catch (cause) {
    return data({ error: failureText(cause), found: undefined }, { status: 400 });
  }
  const path = (await listDatabases()).find((one) => one.name === listed)?.path;
  return redirect(path ?? databasePath(listed));
}

/** /fp/databases/new */
export function Component() {
  const failed = useActionData<typeof action>();
  const asked = useSearchParams()[0].get('name') ?? '';
  const [name, setName] = useState(asked);
  const listed = listedName(name.trim());
  const isOther = listed !== '' && listed !== name.trim();
  return (
    <>
      <title>New local database · Fixpoint</title>
      <FormPage title="New local database" lead="It’s stored in this browser and needs no account.">
        <TextField
          name="name"
          label="Name"
          required
          autoComplete="off"
          autoFocus
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={failed?.error}
          hint={
            isOther
              ? `The database will be called ${listed}. Only letters, digits, - and _ are kept.`
              : undefined
          }
        />
        <FormActions>
          <SubmitButton>Create</SubmitButton>
          <CancelButton />
          {failed?.found !== undefined && (
            <LinkButton to={databasePath(failed.found)}>{`Open "${failed.found}"`}</LinkButton>
          )}
        </FormActions>
      </FormPage>
    </>
  );
}
