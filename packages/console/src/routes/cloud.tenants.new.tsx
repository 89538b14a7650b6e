import { reasonFor } from '@fixpoint/protocol/admin';
import { type ActionFunctionArgs, data, Form, redirect, useActionData } from 'react-router';
import { admin, queryClient, tenantsQuery } from '../cloud/queries.ts';
import { Card, PageHeader } from '../ui/feedback.tsx';
import { CancelButton, SubmitButton, TextField, textOf } from '../ui/form.tsx';

export async function action({ request }: ActionFunctionArgs) {
  const name = textOf(await request.formData(), 'name');
  if (name === '') return data({ error: 'Name is required' }, { status: 400 });
  const created = await admin.call('reqCreateTenant', { tenant: { name } });
  if (!created.ok) return data({ error: reasonFor(created.error) }, { status: 400 });
  await queryClient.invalidateQueries(tenantsQuery);
  return redirect(`/fp/cloud/tenants/${created.value.tenant.tenantId}/overview`);
}

/** /fp/cloud/tenants/new */
export function Component() {
  const failed = useActionData<typeof action>();
  return (
    <div className="max-w-lg">
      <title>New tenant · Fixpoint</title>
      <PageHeader title="New tenant" />
      <Card>
        <Form method="post" className="flex flex-col gap-4">
          <TextField name="name" label="Name" error={failed?.error} autoComplete="off" />
          <div className="flex gap-2">
            <SubmitButton>Create</SubmitButton>
            <CancelButton />
          </div>
        </Form>
      </Card>
    </div>
  );
}
