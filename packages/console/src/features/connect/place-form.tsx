import { LIMITS } from '@fixpoint/protocol';
import type { Ledger, UserTenant } from '@fixpoint/protocol/admin';
import { ArrowLeftRight, Cloud, Laptop } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { QueryView } from '../../cloud/queries/query-view.tsx';
import { useLedgers, useTenants } from '../../cloud/queries/use-cloud.ts';
import { tenantLabel } from '../../cloud/tenant-label.ts';
import type { LedgerPlace } from '../../local/endpoint.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Form, FormActions, SubmitButton, TextField } from '../../ui/forms/form.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { ErrorPanel } from '../../ui/pages/feedback.tsx';
import { truncate } from '../../values/truncate.ts';
import { KindField } from '../keys/kinds/kind-field.tsx';
import { useTenantInView } from '../layout/tenant-in-view.ts';
import { CONNECT_PATH, ConnectAnyway, LocalNameField, SharedWarning } from './address-form.tsx';
import { LocalFacts } from './local-facts.tsx';

export interface PlaceFormProps {
  readonly localName: string;
  /** Whether the form belongs to the page of this database, so that the name can't be changed. */
  readonly isFixed?: boolean;
  /** The remote name of the connection to complete. */
  readonly remoteName?: string;
  readonly place?: LedgerPlace | undefined;
  readonly error?: string | undefined;
  readonly shared?: string | undefined;
  /** More actions. */
  readonly children?: ReactNode;
}

/** Asks which ledger of this server a local database shall sync with, or creates one. */
export function PlaceForm(props: PlaceFormProps) {
  return (
    <QueryView query={useTenants()}>
      {(tenants) => (tenants.length === 0 ? <NoTenant /> : <Fields {...props} tenants={tenants} />)}
    </QueryView>
  );
}

function NoTenant() {
  return (
    <div className="flex flex-col items-start gap-3 text-sm">
      <p>Databases in the cloud belong to a tenant, and you have none yet. Create one, then come back.</p>
      <LinkButton to="/fp/cloud/tenants/new" tone="primary">
        Create a tenant
      </LinkButton>
    </div>
  );
}

const LOCAL_NAME_MISSING = 'Local name is required';

function Fields(props: PlaceFormProps & { readonly tenants: readonly UserTenant[] }) {
  const { localName, isFixed = false, remoteName, place, error, shared, tenants, children } = props;
  const [name, setName] = useState(localName);
  const choice = useChoice(tenants, name, place);
  const { tenant, ledgers, isNew } = choice;
  const isNameError = error === LOCAL_NAME_MISSING;
  return (
    <Form method="post" action={CONNECT_PATH} className="flex flex-col gap-4" noValidate>
      {error !== undefined && !isNameError && <ErrorPanel message={error} />}
      {shared !== undefined && <SharedWarning text={shared} />}
      {remoteName !== undefined && <input type="hidden" name="remoteName" value={remoteName} />}
      <div className="grid gap-x-3 gap-y-4 md:grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)]">
        <Side icon={<Laptop size={15} aria-hidden />} title="On this device">
          {isFixed ? (
            <>
              <input type="hidden" name="localName" value={localName} />
              <p className="text-base font-semibold wrap-anywhere">{localName}</p>
            </>
          ) : (
            <LocalNameField value={localName} error={isNameError ? error : undefined} onChange={setName} />
          )}
          <div className="text-ink-3">
            <LocalFacts name={name} />
            <p>It keeps its own copy and its history.</p>
          </div>
        </Side>
        <ArrowLeftRight size={16} aria-hidden className="self-center text-ink-3 max-md:hidden" />
        <Side icon={<Cloud size={15} aria-hidden />} title={location.host}>
          <Select
            label="Tenant"
            isLabelled
            name="tenant"
            value={tenant?.tenantId ?? ''}
            onChange={({ target }) => choice.chooseTenant(target.value)}
          >
            {tenants.map((one) => (
              <option key={one.tenantId} value={one.tenantId}>
                {shortened(tenantLabel(one))}
              </option>
            ))}
          </Select>
          <QueryView query={ledgers}>{(found) => <LedgerChoice {...choice} ledgers={found} />}</QueryView>
        </Side>
      </div>
      {isNew && <KindField isWide />}
      <p className="text-sm text-ink-3">
        Both copies stay complete and equal: each gets all documents of the other. You can disconnect later
        and keep both.
      </p>
      <FormActions>
        {choice.ledgerId !== undefined && <SubmitButton>Connect</SubmitButton>}
        {shared !== undefined && <ConnectAnyway />}
        {children}
      </FormActions>
    </Form>
  );
}

const shortened = (name: string): string => truncate(name, LIMITS.sidebarNameCharsMax);

function Side({ icon, title, children }: { icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <section
      aria-label={title}
      className="flex min-w-0 flex-col gap-4 rounded-lg border border-line bg-surface p-4 shadow-card"
    >
      <p className="flex items-center gap-2 text-xs text-ink-3">
        {icon} <span className="truncate">{title}</span>
      </p>
      {children}
    </section>
  );
}

/** The chosen tenant and ledger. A ledger of the local name is probably meant, so it is preset. */
function useChoice(tenants: readonly UserTenant[], localName: string, place: LedgerPlace | undefined) {
  const inView = useTenantInView(tenants)?.tenant;
  const [tenantId, setTenant] = useState(place?.tenantId);
  const [picked, chooseLedger] = useState(place?.ledgerId);
  const tenant = tenants.find((one) => one.tenantId === tenantId) ?? inView;
  const ledgers = useLedgers(tenant?.tenantId);
  const found = ledgers.data;
  const most = tenant?.tenant.limits?.maxLedgers ?? Number.POSITIVE_INFINITY;
  const canCreate = tenant?.role === 'admin' && found !== undefined && found.length < most;
  const twin = found?.find(({ name }) => name === localName.trim())?.ledgerId;
  const first = canCreate ? '' : found?.[0]?.ledgerId;
  const isThere = picked === '' ? canCreate : found?.some((ledger) => ledger.ledgerId === picked);
  const ledgerId = isThere ? picked : (twin ?? first);
  const chooseTenant = (id: string) => {
    setTenant(id);
    chooseLedger(undefined);
  };
  const isNew = ledgerId === '';
  return { tenant, ledgers, ledgerId, isNew, canCreate, most, localName, chooseTenant, chooseLedger };
}

interface LedgerChoiceProps
  extends Pick<
    ReturnType<typeof useChoice>,
    'ledgerId' | 'isNew' | 'canCreate' | 'most' | 'localName' | 'chooseLedger'
  > {
  readonly ledgers: readonly Ledger[];
}

function LedgerChoice(props: LedgerChoiceProps) {
  const { ledgerId, isNew, canCreate, most, localName, chooseLedger, ledgers } = props;
  const [typed, setTyped] = useState<string>();
  const name = typed ?? localName;
  if (ledgerId === undefined)
    return (
      <p className="text-sm text-ink-3">
        This tenant has no database that you can open, and only its admins can create one. Ask an admin for
        access.
      </p>
    );
  return (
    <>
      <Select
        label="Database"
        isLabelled
        name="ledger"
        value={ledgerId}
        onChange={({ target }) => chooseLedger(target.value)}
      >
        {ledgers.map((ledger) => (
          <option key={ledger.ledgerId} value={ledger.ledgerId}>
            {shortened(ledger.name)}
            {ledger.users?.[0]?.right === 'read' ? ' (read only)' : ''}
          </option>
        ))}
        {canCreate && (
          <option value="">
            {name.trim() === '' ? 'Create a new database' : `Create ${shortened(name)}`}
          </option>
        )}
      </Select>
      {isNew && (
        <TextField
          name="ledgerName"
          label="Name in the cloud"
          value={name}
          onChange={({ target }) => setTyped(target.value)}
          autoComplete="off"
          hint={`At least 3 characters, and unique in the tenant.${
            Number.isFinite(most) ? ` The tenant has ${ledgers.length} of ${most} databases.` : ''
          }`}
        />
      )}
    </>
  );
}
