import type { User } from '@fixpoint/protocol/admin';
import { useQuery } from '@tanstack/react-query';
import { type ActionFunctionArgs, data, redirect, useActionData } from 'react-router';
import { app, useApp } from '../cloud/app.ts';
import { tenantQueries, userQuery } from '../cloud/queries/queries.ts';
import { useKeptField } from '../leaving/kept-field.ts';
import { tellIfLeft } from '../leaving/left-form.ts';
import { CancelButton, FormActions, FormPage, SubmitButton, TextField, textOf } from '../ui/forms/form.tsx';
import { reportFailure } from '../ui/overlays/report-failure.ts';
import { failureText } from '../ui/text/failure-text.ts';

export async function action({ request, context }: ActionFunctionArgs) {
  const name = textOf(await request.formData(), 'name');
  if (name === '') return data({ error: 'Name is required' }, { status: 400 });
  const { api, queries } = context.get(app);
  const created = await api.createTenant(name);
  if (!created.ok) {
    const error = failureText(created.error);
    const text = `Couldn’t create the tenant: ${error}`;
    reportFailure(text);
    tellIfLeft(request, text, { tone: 'error' });
    return data({ error }, { status: 400 });
  }
  await queries.invalidateQueries({ ...tenantQueries.list(api), refetchType: 'all' });
  tellIfLeft(request, `${name} created.`);
  return redirect(`/fp/cloud/tenants/${created.value.tenantId}/overview`);
}

/** /fp/cloud/tenants/new */
export function Component() {
  const [name = '', setName] = useKeptField('name');
  const failed = useActionData<typeof action>();
  // Refetches the user, because a tenant may have been created elsewhere, or an operator may have
  // raised the limit.
  const { data } = useQuery({ ...userQuery(useApp().api), staleTime: 0 });
  return (
    <FormPage
      title="New Tenant"
      lead={`A tenant contains databases and the people who share them. You are its first admin.${data ? ownOf(data.user) : ''}`}
    >
      <title>New Tenant · Fixpoint</title>
      <TextField
        name="name"
        label="Name"
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={failed?.error}
        autoComplete="off"
        autoFocus
      />
      <FormActions>
        <SubmitButton>Create</SubmitButton>
        <CancelButton />
      </FormActions>
    </FormPage>
  );
}

/** Returns a sentence about how many tenants the user owns and may own, by the server's count. */
function ownOf({ ownedTenants, maxTenants }: User): string {
  if (ownedTenants === undefined) return ` You can own up to ${maxTenants}.`;
  const own = ` You own ${ownedTenants} ${ownedTenants === 1 ? 'tenant' : 'tenants'}, and can own up to ${maxTenants}.`;
  return ownedTenants < maxTenants ? own : `${own} Delete one before you create another.`;
}
