import type { ServerTenant } from '@fixpoint/protocol/admin';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { bytesText } from '../../values/bytes-text.ts';
import { OPERATOR_KEY } from './operator-queries.ts';
import { bytesIn, sizeFieldOf } from './typed-size.ts';

const COUNTS = [
  { name: 'maxLedgers', label: 'Databases', used: ({ ledgers }: ServerTenant) => `${ledgers} used` },
  { name: 'maxAdminUsers', label: 'Admins', used: ({ admins }: ServerTenant) => `${admins} used` },
  { name: 'maxMemberUsers', label: 'Members', used: ({ members }: ServerTenant) => `${members} used` },
  { name: 'maxInvites', label: 'Pending invites', used: () => '' },
  { name: 'maxShares', label: 'Shares of each database', used: () => '' },
] as const;

export interface LimitsFormProps {
  readonly tenant: ServerTenant;
  /** The id of the form, for a button outside of it. */
  readonly id: string;
  readonly onSaved?: () => void;
  /** Buttons in the form. */
  readonly children?: (isBusy: boolean) => ReactNode;
}

/** Shows the limits of a tenant beside what it uses, and changes them. */
export function LimitsForm({ tenant, id, onSaved, children }: LimitsFormProps) {
  const { api } = useApp();
  const toast = useToast();
  const [problem, setProblem] = useState<string>();
  const save = useCall({
    call: api.setTenantLimits,
    changes: [OPERATOR_KEY],
    onDone: () => {
      toast(`The limits of ${tenant.name} are saved.`);
      onSaved?.();
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
    <form id={id} className="flex flex-col gap-1" onSubmit={submit}>
      <Limit
        name="storage"
        label="Storage"
        placeholder="No quota"
        used={`${bytesText(tenant.bytes)} used`}
        value={sizeFieldOf(tenant.maxBytes)}
        problem={problem}
      />
      {COUNTS.map(({ name, label, used }) => (
        <Limit key={name} isCount {...{ name, label }} used={used(tenant)} value={String(tenant[name])} />
      ))}
      {children?.(save.isPending)}
    </form>
  );
}

interface LimitProps {
  readonly name: string;
  readonly label: string;
  readonly used: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly isCount?: boolean;
  readonly problem?: string | undefined;
}

function Limit({ name, label, used, value, placeholder, isCount = false, problem }: LimitProps) {
  const id = useId();
  return (
    <>
      <div className="flex min-h-8 items-center gap-2 text-sm">
        <label htmlFor={id} className="w-24 shrink-0 text-ink-2">
          {label}
        </label>
        <input
          id={id}
          name={name}
          defaultValue={value}
          placeholder={placeholder}
          autoComplete="off"
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? `${id}-used` : `${id}-used ${id}-problem`}
          className="h-7 w-20 rounded-md border border-control-line bg-surface px-2 text-right tabular-nums -outline-offset-1 placeholder:text-ink-3 hover:border-ink aria-invalid:border-conflict max-sm:h-10 max-sm:text-[1rem]"
          {...(isCount && { type: 'number', min: 0, max: 1_000_000, required: true })}
        />
        <span id={`${id}-used`} className="min-w-0 text-xs text-ink-3 tabular-nums">
          {used}
        </span>
      </div>
      {problem !== undefined && (
        <p id={`${id}-problem`} role="alert" className="text-sm text-conflict">
          {problem}
        </p>
      )}
    </>
  );
}

export const LOWER_LIMITS = 'Lower limits remove nothing: the tenant just can’t add more.';

/** Shows the limits of a tenant, and changes them, where no panel fits beside the list. */
export function LimitsDialog({ tenant, onClose }: { tenant: ServerTenant; onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Limits of ${tenant.name}`}
      description={LOWER_LIMITS}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="limits" tone="primary">
            Save limits
          </Button>
        </>
      }
    >
      <LimitsForm id="limits" tenant={tenant} onSaved={onClose} />
    </Dialog>
  );
}
