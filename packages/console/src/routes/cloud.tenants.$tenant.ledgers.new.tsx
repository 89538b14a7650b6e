import type { UserTenant } from '@fixpoint/protocol/admin';
import { type ActionFunctionArgs, data, redirect, useActionData } from 'react-router';
import { app } from '../cloud/app.ts';
import { newLedger } from '../cloud/ledgers/new-ledger.ts';
import { useLedgers } from '../cloud/queries/use-cloud.ts';
import { KindField } from '../features/keys/kinds/kind-field.tsx';
import { ledgerKindIn } from '../features/keys/kinds/ledger-kinds.ts';
import { ledgerNameProblem } from '../features/ledgers/ledger-name.ts';
import { KnownTenant } from '../features/tenants/known-tenant.tsx';
import { useKeptField } from '../leaving/kept-field.ts';
import { tellIfLeft } from '../leaving/left-form.ts';
import { LinkButton } from '../ui/button.tsx';
import { CancelButton, FormActions, FormPage, SubmitButton, TextField, textOf } from '../ui/forms/form.tsx';
import { reportFailure } from '../ui/overlays/report-failure.ts';
import { Card, PageHeader } from '../ui/pages/page.tsx';
import { failureText } from '../ui/text/failure-text.ts';

export async function action({ request, params, context }: ActionFunctionArgs) {
  const { tenantId = '' } = params;
  const form = await request.formData();
  const name = textOf(form, 'name');
  const kind = ledgerKindIn(textOf(form, 'kind'));
  const problem = ledgerNameProblem(name);
  if (problem !== undefined) return data({ error: problem }, { status: 400 });
  const created = await newLedger(context.get(app), { tenantId, name, kind });
  if (!created.ok) {
    const error = failureText(created.error);
    const text = `Couldn’t create the database: ${error}`;
    reportFailure(text);
    tellIfLeft(request, text, { tone: 'error' });
    return data({ error }, { status: 400 });
  }
  tellIfLeft(request, `${name} created.`);
  return redirect(`/fp/cloud/tenants/${tenantId}/ledgers/${created.value.ledgerId}`);
}

/** /fp/cloud/tenants/{tenantId}/ledgers/new */
export function Component() {
  const failed = useActionData<typeof action>();
  return (
    <KnownTenant>
      {(tenant) =>
        tenant.role === 'admin' ? (
          <NewLedger tenant={tenant} error={failed?.error} />
        ) : (
          <ForAdmins {...tenant} />
        )
      }
    </KnownTenant>
  );
}

interface NewLedgerProps {
  readonly tenant: UserTenant;
  readonly error: string | undefined;
}

function NewLedger({ tenant: { tenantId, tenant }, error }: NewLedgerProps) {
  const [name = '', setName] = useKeptField('name');
  const { data: ledgers } = useLedgers(tenantId);
  const most = tenant.limits?.maxLedgers;
  const used =
    ledgers &&
    most &&
    ` The tenant has ${ledgers.length} ${ledgers.length === 1 ? 'database' : 'databases'}, and can have up to ${most}.`;
  const isFull = ledgers && most && ledgers.length >= most ? ' Delete one before you create another.' : '';
  return (
    <FormPage
      title="Create New Ledger"
      lead={`A ledger is a database in the cloud, for everybody in the tenant.${used ?? ''}${isFull}`}
    >
      <title>Create New Ledger · Fixpoint</title>
      <TextField
        name="name"
        label="New Database Name:"
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={error}
        hint="At least 3 characters, and unique in the tenant."
        autoComplete="off"
        autoFocus
      />
      <KindField />
      <FormActions>
        <SubmitButton>Create</SubmitButton>
        <CancelButton />
      </FormActions>
    </FormPage>
  );
}

function ForAdmins({ tenantId }: UserTenant) {
  return (
    <div className="max-w-lg">
      <title>Create New Ledger · Fixpoint</title>
      <PageHeader title="Create New Ledger" />
      <Card>
        <p className="mb-4 text-ink-3">You need admin privileges to create databases in this tenant.</p>
        <LinkButton to={`/fp/cloud/tenants/${tenantId}/ledgers`}>Databases of the tenant</LinkButton>
      </Card>
    </div>
  );
}
