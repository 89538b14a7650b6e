import { reasonFor, type UserTenant } from '@fixpoint/protocol/admin';
import { type ActionFunctionArgs, data, Form, useActionData, useOutletContext } from 'react-router';
import { admin, queryClient, tenantsQuery } from '../cloud/queries.ts';
import { LinkButton } from '../ui/button.tsx';
import { Card } from '../ui/feedback.tsx';
import { SubmitButton, TextField, textOf } from '../ui/form.tsx';

export async function action({ request, params }: ActionFunctionArgs) {
  const name = textOf(await request.formData(), 'name');
  const updated = await admin.call('reqUpdateTenant', {
    tenant: { tenantId: params['tenantId'] ?? '', name },
  });
  if (!updated.ok) return data({ error: reasonFor(updated.error), done: false }, { status: 400 });
  await queryClient.invalidateQueries(tenantsQuery);
  return { error: undefined, done: true };
}

/** /fp/cloud/tenants/{tenantId}/admin */
export function Component() {
  const { tenantId, tenant } = useOutletContext<UserTenant>();
  const result = useActionData<typeof action>();
  return (
    <div className="flex flex-col gap-5">
      <Card title="Update Tenant Name">
        <Form method="post" className="flex flex-col gap-3">
          <TextField
            name="name"
            label="Name"
            defaultValue={tenant.name ?? ''}
            required
            error={result?.error}
          />
          <div className="flex items-center gap-3">
            <SubmitButton>Update Name</SubmitButton>
            {result?.done === true && (
              <span role="status" className="text-ok">
                Updated.
              </span>
            )}
          </div>
        </Form>
      </Card>
      <Card title="Danger Zone">
        <p className="mb-3 text-muted">
          Once you delete a tenant, there is no going back. Please be certain.
        </p>
        <LinkButton to={`/fp/cloud/tenants/${tenantId}/delete`} tone="danger">
          Delete Tenant
        </LinkButton>
      </Card>
    </div>
  );
}
