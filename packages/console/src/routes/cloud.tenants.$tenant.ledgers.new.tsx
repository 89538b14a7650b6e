import { LIMITS } from '@fixpoint/protocol';
import { reasonFor } from '@fixpoint/protocol/admin';
import { type ActionFunctionArgs, data, Form, redirect, useActionData } from 'react-router';
import { admin, ledgersQuery, queryClient } from '../cloud/queries.ts';
import { Card, PageHeader } from '../ui/feedback.tsx';
import { CancelButton, SubmitButton, TextField, textOf } from '../ui/form.tsx';

/** Why a name is none, or undefined (spec §5). */
export function problemOf(name: string): string | undefined {
  if (name === '') return 'Name is required';
  const least = LIMITS.ledgerNameCharsMin;
  return name.length < least ? `Name must be at least ${least} characters` : undefined;
}

export async function action({ request, params }: ActionFunctionArgs) {
  const { tenantId = '' } = params;
  const name = textOf(await request.formData(), 'name');
  const problem = problemOf(name);
  if (problem !== undefined) return data({ error: problem }, { status: 400 });
  const created = await admin.call('reqCreateLedger', { ledger: { tenantId, name } });
  if (!created.ok) return data({ error: reasonFor(created.error) }, { status: 400 });
  await queryClient.invalidateQueries(ledgersQuery);
  return redirect(`/fp/cloud/tenants/${tenantId}/ledgers/${created.value.ledger.ledgerId}`);
}

/** /fp/cloud/tenants/{tenantId}/ledgers/new */
export function Component() {
  const failed = useActionData<typeof action>();
  return (
    <div className="max-w-lg">
      <title>Create New Ledger · Fixpoint</title>
      <PageHeader title="Create New Ledger" />
      <Card>
        <Form method="post" className="flex flex-col gap-4">
          <TextField name="name" label="New Database Name:" error={failed?.error} autoComplete="off" />
          <div className="flex gap-2">
            <SubmitButton>Create</SubmitButton>
            <CancelButton />
          </div>
        </Form>
      </Card>
    </div>
  );
}
