import type { TokenRight } from '@fixpoint/protocol/admin';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { useLocation } from 'react-router';
import { useApp } from '../../cloud/app.ts';
import { apiTokensQuery } from '../../cloud/queries/queries.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/forms/form.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { CodeBlock } from '../../ui/text/code-block.tsx';
import { CopyButton } from '../../ui/text/copy-button.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { useConfirmed, WithConfirm } from '../account/confirm-identity.tsx';

const RIGHTS: Record<TokenRight, string> = {
  read: 'Read databases',
  write: 'Read and write databases',
  users: 'Manage the users of your apps',
  admin: 'Everything that you can do in this tenant',
};
const HINTS: Partial<Record<TokenRight, string>> = {
  users:
    'For the back end of an app: adds and removes its own users, sets their rights in databases, and gets their tokens. So it can open every database whose documents this server can read.',
  admin: 'Choose this only if the program also creates or deletes databases, or manages members.',
};
const DAYS = [7, 30, 90, 366];

export interface CreateTokenDialogProps {
  readonly tenantId: string;
  readonly onClose: () => void;
}

/** Creates a token, and shows it once. */
export function CreateTokenDialog({ tenantId, onClose }: CreateTokenDialogProps) {
  const [made, setMade] = useState<{ readonly name: string; readonly token: string }>();
  const { pathname } = useLocation();
  if (made === undefined)
    return (
      <WithConfirm here={pathname}>
        <Ask tenantId={tenantId} onClose={onClose} onMade={setMade} />
      </WithConfirm>
    );
  return (
    <Dialog
      open
      // A click outside would lose the token.
      onClose={() => undefined}
      title="Copy the token now"
      description="It isn’t shown again. Store it in a safe place. If it leaks, revoke it."
      actions={
        <Button tone="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <CodeBlock
        label={made.name}
        text={made.token}
        actions={<CopyButton text={made.token} size="sm" tone="quiet" />}
      />
    </Dialog>
  );
}

interface AskProps extends CreateTokenDialogProps {
  readonly onMade: (made: { name: string; token: string }) => void;
}

function Ask({ tenantId, onClose, onMade }: AskProps) {
  const { api, queries } = useApp();
  const confirmed = useConfirmed();
  const form = useId();
  const [name, setName] = useState('');
  const [right, setRight] = useState<TokenRight>('read');
  const [days, setDays] = useState(90);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return setProblem('Name is required');
    setBusy(true);
    const made = await confirmed(() => api.createApiToken({ tenantId, name, right, days }));
    setBusy(false);
    if (!made.ok) return setProblem(failureText(made.error));
    onMade({ name: made.value.apiToken.name, token: made.value.token });
    await queries.invalidateQueries(apiTokensQuery(api, tenantId));
  };
  return (
    <Dialog
      open
      isBusy={busy}
      onClose={onClose}
      title="Create an API token"
      actions={
        <>
          <Button disabled={busy} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={form} tone="primary" disabled={busy}>
            Create
          </Button>
        </>
      }
    >
      <form id={form} noValidate className="flex flex-col gap-4" onSubmit={(event) => void send(event)}>
        <TextField
          label="Name"
          value={name}
          error={problem}
          onChange={({ target }) => {
            setName(target.value);
            setProblem(undefined);
          }}
          placeholder="Nightly export"
          hint="Name the program that will use the token, so that you recognise it in the list."
          autoComplete="off"
        />
        <Choice text="Permissions">
          <Select
            label="Permissions"
            value={right}
            onChange={({ target }) => setRight(target.value as TokenRight)}
          >
            {Object.entries(RIGHTS).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </Select>
          {HINTS[right] !== undefined && <p className="text-xs text-ink-3">{HINTS[right]}</p>}
        </Choice>
        <Choice text="Valid for">
          <Select label="Valid for" value={days} onChange={({ target }) => setDays(Number(target.value))}>
            {DAYS.map((each) => (
              <option key={each} value={each}>
                {each === 366 ? 'A year' : `${each} days`}
              </option>
            ))}
          </Select>
        </Choice>
      </form>
    </Dialog>
  );
}

/** Renders a list below its label; the list has its own accessible name. */
function Choice({ text, children }: { text: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1.5">
      <span aria-hidden className="text-sm font-medium">
        {text}
      </span>
      {children}
    </div>
  );
}
