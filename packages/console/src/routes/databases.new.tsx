import { type ActionFunctionArgs, data, Form, redirect, useActionData } from 'react-router';
import { createLocal, listedName } from '../local/databases.ts';
import { Card, PageHeader } from '../ui/feedback.tsx';
import { CancelButton, SubmitButton, TextField, textOf } from '../ui/form.tsx';

export async function action({ request }: ActionFunctionArgs) {
  const name = listedName(textOf(await request.formData(), 'name'));
  if (name === '') return data({ error: 'Name is required' }, { status: 400 });
  try {
    await createLocal(name);
  } catch (error) {
    return data({ error: (error as Error).message }, { status: 400 });
  }
  return redirect(`/fp/databases/${encodeURIComponent(name)}`);
}

/** /fp/databases/new */
export function Component() {
  const failed = useActionData<typeof action>();
  return (
    <div className="max-w-lg">
      <title>New local database · Fixpoint</title>
      <PageHeader title="New local database" />
      <Card>
        <Form method="post" className="flex flex-col gap-4">
          <TextField name="name" label="Name" required error={failed?.error} autoComplete="off" />
          <div className="flex gap-2">
            <SubmitButton>Create</SubmitButton>
            <CancelButton />
          </div>
        </Form>
      </Card>
    </div>
  );
}
