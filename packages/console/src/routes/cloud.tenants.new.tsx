import { type ActionFunctionArgs, data, redirect, useActionData } from 'react-router';
import { app } from '../cloud/app.ts';
import { failureText } from '../cloud/failure-text.ts';
import { tenantQueries } from '../cloud/queries.ts';
import { useCloudUser } from '../cloud/use-cloud.ts';
import { CancelButton, FormActions, FormPage, SubmitButton, TextField, textOf } from '../ui/form.tsx';
import { reportFailure } from '../ui/report-failure.ts';

export async function action({ request, context }: ActionFunctionArgs) {
  const name = textOf(await request.formData(), 'name');
  if (name === '') return data({ error: 'Name is required' }, { status: 400 });
  const { api, queries } = context.get(app);
  const created = await api.createTenant(name);
  if (!created.ok) {
    const error = failureText(created.error);
    reportFailure(`The tenant was not created: ${error}`);
    return data({ error }, { status: 400 });
  }
  await queries.invalidateQueries({ ...tenantQueries.list(api), refetchType: 'all' });
  return redirect(`/fp/cloud/tenants/${created.value.tenantId}/overview`);
}

/** /fp/cloud/tenants/new */
export function Component() {
  const failed = useActionData<typeof action>();
  const most = useCloudUser()?.maxTenants;
  const limit = most === undefined ? '' : ` You may have up to ${most} of your own.`;
  return (
    <FormPage
      title="New Tenant"
      lead={`A tenant holds databases and the people who share them. You are its first admin.${limit}`}
    >
      <title>New Tenant · Fixpoint</title>
      <TextField name="name" label="Name" error={failed?.error} autoComplete="off" autoFocus />
      <FormActions>
        <SubmitButton>Create</SubmitButton>
        <CancelButton />
      </FormActions>
    </FormPage>
  );
}
