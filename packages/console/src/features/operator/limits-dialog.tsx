import type { ServerTenant } from '@fixpoint/protocol/admin';
import { type FormEvent, useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/forms/text-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { bytesText } from '../../values/bytes-text.ts';
import { OPERATOR_KEY } from './operator-queries.ts';
import { bytesIn, sizeFieldOf } from './typed-size.ts';

const COUNTS = [
  { name: 'maxLedgers', label: 'Databases', used: ({ ledgers }: ServerTenant) => ledgers },
  { name: 'maxAdminUsers', label: 'Admins', used: ({ admins }: ServerTenant) => admins },
  { name: 'maxMemberUsers', label: 'Members', used: ({ members }: ServerTenant) => members },
  { name: 'maxInvites', label: 'Pending invites', used: () => undefined },
  { name: 'maxShares', label: 'Shares of each database', used: () => undefined },
] as const;

/** Shows the limits of a tenant, and changes them. */
export function LimitsDialog({ tenant, onClose }: { tenant: ServerTenant; onClose: () => void }) {
  const { api } = useApp();
  const toast = useToast();
  const [problem, setProblem] = useState<string>();
  const save = useCall({
    call: api.setTenantLimits,
    changes: [OPERATOR_KEY],
    onDone: () => {
      toast(`The limits of ${tenant.name} are saved.`);
      onClose();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const maxBytes = bytesIn(String(form.get('storage') ?? ''));
    setProblem(maxBytes === undefined ? 'Enter a size, such as 500 MB or 10 GB.' : undefined);
    if (maxBytes === undefined) return;
    const counts = COUNTS.map(({ name }) => [name, Number(form.get(name))] as const);
    // Limits that stay aren't sent: a limit of shares would replace those of all databases.
    const changed = Object.fromEntries(counts.filter(([name, count]) => count !== tenant[name]));
    save.mutate({ tenantId: tenant.tenantId, ...changed, maxBytes });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      isBusy={save.isPending}
      title={`Limits of ${tenant.name}`}
      description="Lower limits remove nothing: the tenant just can’t add more."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="limits" tone="primary" disabled={save.isPending}>
            Save limits
          </Button>
        </>
      }
    >
      <form id="limits" className="flex flex-col gap-4" onSubmit={submit}>
        <TextField
          name="storage"
          label="Storage"
          placeholder="No quota"
          defaultValue={sizeFieldOf(tenant.maxBytes)}
          error={problem}
          hint={`Stores ${bytesText(tenant.bytes)}. Over the quota, devices keep new data and send it later.`}
          autoComplete="off"
        />
        <div className="grid grid-cols-2 gap-4">
          {COUNTS.map(({ name, label, used }) => (
            <TextField
              key={name}
              name={name}
              label={label}
              type="number"
              min={0}
              max={1_000_000}
              required
              defaultValue={tenant[name]}
              hint={used(tenant) === undefined ? undefined : `${used(tenant)} used`}
            />
          ))}
        </div>
      </form>
    </Dialog>
  );
}
