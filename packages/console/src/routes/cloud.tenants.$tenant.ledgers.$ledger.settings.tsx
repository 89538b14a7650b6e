import { type ActionFunctionArgs, data, useActionData } from 'react-router';
import { app } from '../cloud/app.ts';
import { ledgerQueries } from '../cloud/queries/queries.ts';
import { QueryView } from '../cloud/queries/query-view.tsx';
import { useTenants } from '../cloud/queries/use-cloud.ts';
import { KeepHereCard } from '../features/connect/keep-here.tsx';
import { IndexesCard } from '../features/databases/settings/indexes-card.tsx';
import { DeleteLedgerCard } from '../features/ledgers/delete-ledger-card.tsx';
import { EncryptionCard } from '../features/ledgers/encryption-card.tsx';
import { type LedgerContext, useLedger } from '../features/ledgers/ledger-context.ts';
import { ledgerNameProblem } from '../features/ledgers/ledger-name.ts';
import { RenameForm } from '../features/tenants/rename-form.tsx';
import { ExportCard } from '../features/transfer/export-card.tsx';
import { tellIfLeft } from '../leaving/left-form.ts';
import { textOf } from '../ui/forms/form.tsx';
import { Card } from '../ui/pages/page.tsx';
import { Columns } from '../ui/pages/settings.tsx';
import { CopyButton } from '../ui/text/copy-button.tsx';
import { failureText } from '../ui/text/failure-text.ts';

export async function action({ request, params, context }: ActionFunctionArgs) {
  const { tenantId = '', ledgerId = '' } = params;
  const name = textOf(await request.formData(), 'name');
  const problem = ledgerNameProblem(name);
  if (problem !== undefined) return data({ error: problem, done: false }, { status: 400 });
  const { api, queries } = context.get(app);
  const updated = await api.updateLedger({ tenantId, ledgerId, name });
  if (!updated.ok) {
    const error = failureText(updated.error);
    tellIfLeft(request, `Couldn’t rename the database: ${error}`, { tone: 'error' });
    return data({ error, done: false }, { status: 400 });
  }
  await queries.invalidateQueries({ queryKey: ledgerQueries.all, refetchType: 'all' });
  tellIfLeft(request, `Database renamed to ${name}.`);
  return { error: undefined, done: true };
}

/** .../ledgers/{ledgerId}/settings */
export function Component() {
  const ledger = useLedger();
  const result = useActionData<typeof action>();
  return (
    <>
      <title>{`Settings · ${ledger.name} · Fixpoint`}</title>
      <Columns
        aside={
          <>
            <KeepHereCard place={ledger} name={ledger.name} />
            <ExportCard database={ledger.database} />
            <IdCard ledger={ledger} />
          </>
        }
      >
        <QueryView query={useTenants()}>
          {(tenants) =>
            tenants.find(({ tenantId }) => tenantId === ledger.tenantId)?.role === 'admin' ? (
              <>
                <Card title="Rename">
                  <RenameForm
                    name={ledger.name}
                    outcome={result}
                    hint="At least 3 characters, and unique in the tenant. The id stays the same."
                  />
                </Card>
                <EncryptionCard ledger={ledger} />
                <IndexesCard database={ledger.database} />
                <DeleteLedgerCard ledger={ledger} />
              </>
            ) : (
              <>
                <Card title="Settings">
                  <p className="text-ink-3">You need admin privileges to rename or delete this database.</p>
                </Card>
                <IndexesCard database={ledger.database} />
              </>
            )
          }
        </QueryView>
      </Columns>
    </>
  );
}

/** Shows the id with which apps attach to the database. */
const IdCard = ({ ledger: { ledgerId } }: { ledger: LedgerContext }) => (
  <Card title="Database id" lead="Apps attach to the database by this id. It never changes.">
    <p className="flex flex-wrap items-center gap-2">
      <code className="font-mono text-xs wrap-anywhere">{ledgerId}</code>
      <CopyButton text={ledgerId} label="Copy database id" tone="quiet" size="sm" />
    </p>
  </Card>
);
