import { type FormEvent, useId, useState } from 'react';
import { Link } from 'react-router';
import { useApp } from '../../cloud/app.ts';
import { knownKind, type LedgerKind } from '../../cloud/ledgers/known-kinds.ts';
import { type MoveStep, moveLedger, nameSuccessor, unfinishedMove } from '../../cloud/ledgers/move-ledger.ts';
import { useLedgers, useShares } from '../../cloud/queries/use-cloud.ts';
import { useVisit } from '../../leaving/visit.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/forms/text-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { useTask } from '../../ui/overlays/use-task.ts';
import { Card } from '../../ui/pages/page.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import type { LedgerContext } from './ledger-context.ts';
import { ledgerNameProblem } from './ledger-name.ts';
import { MOVE_TEXTS, STEP_TEXTS } from './move-texts.ts';

/** Moves a ledger to a new one of the other kind. Renders nothing until the kind is known. */
export function EncryptionCard({ ledger }: { ledger: LedgerContext }) {
  const { tenantId, ledgerId } = ledger;
  const { data: ledgers = [] } = useLedgers(tenantId);
  const [isOpen, setOpen] = useState(false);
  const kind = knownKind(ledger);
  if (kind === undefined) return null;
  const other: LedgerKind = kind === 'sealed' ? 'open-key' : 'sealed';
  const { lead, action } = MOVE_TEXTS[other];
  const successor = ledgers.find((one) => one.ledgerId === ledgers.find(isHere)?.movedTo);
  function isHere(one: { readonly ledgerId: string }): boolean {
    return one.ledgerId === ledgerId;
  }
  if (successor !== undefined)
    return <MovedCard {...{ ledger }} name={successor.name} to={successor.ledgerId} />;
  const begun = unfinishedMove(ledgers, ledger);
  const isBegun = begun?.kind === other;
  return (
    <Card title="Encryption" lead={lead}>
      {isBegun && (
        <p className="mb-4 text-sm">
          The move to{' '}
          <Link className={LINK} to={`/fp/cloud/tenants/${tenantId}/ledgers/${begun.ledgerId}/settings`}>
            {begun.name}
          </Link>{' '}
          isn’t finished. Continue it, or delete {begun.name} in its settings.
        </p>
      )}
      <Button onClick={() => setOpen(true)}>{isBegun ? 'Continue' : action}</Button>
      {isOpen && (
        <MoveDialog
          {...{ ledger }}
          kind={other}
          begun={isBegun ? begun.name : undefined}
          onClose={() => setOpen(false)}
        />
      )}
    </Card>
  );
}

const LINK = 'rounded text-accent-ink underline underline-offset-2 hover:text-ink';

interface MovedCardProps {
  readonly ledger: LedgerContext;
  /** Name and id of the successor. */
  readonly name: string;
  readonly to: string;
}

function MovedCard({ ledger, name, to }: MovedCardProps) {
  const parts = useApp();
  const toast = useToast();
  const { isBusy, run } = useTask();
  const undo = () =>
    run('Couldn’t undo the move', async () => {
      await nameSuccessor(parts, ledger, null);
      toast(`${ledger.name} no longer points to ${name}.`);
    });
  return (
    <Card title="Encryption" lead={`This database moved to ${name}.`}>
      <p className="mb-4 text-sm">
        Apps and devices that still use this database show that it moved. Their changes reach{' '}
        <Link className={LINK} to={`/fp/cloud/tenants/${ledger.tenantId}/ledgers/${to}`}>
          {name}
        </Link>{' '}
        when they switch. Delete this database once everybody has switched. If you undo the move, apps and
        devices stop showing it, and {name} stays.
      </p>
      <Button disabled={isBusy} onClick={() => void undo()}>
        Undo the move
      </Button>
    </Card>
  );
}

interface MoveDialogProps {
  readonly ledger: LedgerContext;
  readonly kind: LedgerKind;
  /** Name of the database that an unfinished move created. */
  readonly begun: string | undefined;
  readonly onClose: () => void;
}

function MoveDialog({ ledger, kind, begun, onClose }: MoveDialogProps) {
  const { name } = ledger;
  const { action, title, facts, nameOfNew } = MOVE_TEXTS[kind];
  const form = useId();
  const [newName, setName] = useState(begun ?? nameOfNew(name));
  const { step, failure, move } = useMove(ledger, kind);
  const isBusy = step !== undefined;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (ledgerNameProblem(newName.trim()) === undefined && !isBusy) void move(newName.trim());
  };
  return (
    <Dialog
      open
      {...{ onClose, isBusy }}
      title={title(name)}
      description="A database never changes its kind. This creates a new database and sends everything there. The same people get the same rights."
      actions={
        <>
          <Button onClick={onClose} disabled={isBusy}>
            Cancel
          </Button>
          <Button
            type="submit"
            form={form}
            tone={kind === 'sealed' ? 'primary' : 'confirm'}
            disabled={isBusy}
          >
            {begun === undefined ? action : 'Continue'}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={send} className="flex flex-col gap-4">
        <ul className="flex list-disc flex-col gap-1.5 pl-5 text-sm">
          {facts(name).map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
          <PendingInvites {...{ ledger }} />
        </ul>
        {begun === undefined && (
          <TextField
            label="Name of the new database"
            value={newName}
            onChange={({ target }) => setName(target.value)}
            error={ledgerNameProblem(newName.trim())}
            disabled={isBusy}
            autoComplete="off"
          />
        )}
        {isBusy && (
          <p role="status" className="text-sm text-ink-3">
            {STEP_TEXTS[step]} Keep this page open.
          </p>
        )}
        {failure !== undefined && (
          <p role="alert" className="text-sm text-conflict">
            {failure} Nothing is lost. Try again to continue.
          </p>
        )}
      </form>
    </Dialog>
  );
}

/** Lists people whose invites stay with the old database. */
function PendingInvites({ ledger: { tenantId, ledgerId, name } }: Pick<MoveDialogProps, 'ledger'>) {
  const { tickets = [] } = useShares(tenantId, ledgerId).data ?? {};
  const invited = tickets.flatMap(({ status, query, invitee, invitedUserId, inviteId }) =>
    status === 'pending' ? [query.byEmail ?? invitee ?? invitedUserId ?? inviteId] : [],
  );
  if (invited.length === 0) return null;
  return (
    <li>
      Pending invites stay with {name}. Share the new database with these people again: {invited.join(', ')}.
    </li>
  );
}

/** Returns the current step of a move, why the move failed, and the function that starts it. */
function useMove(ledger: LedgerContext, kind: LedgerKind) {
  const parts = useApp();
  const toast = useToast();
  const begin = useVisit();
  const [step, setStep] = useState<MoveStep>();
  const [failure, setFailure] = useState<string>();
  const move = async (name: string) => {
    const visit = begin();
    setFailure(undefined);
    try {
      const next = await moveLedger(parts, { ledger, opened: ledger, kind, name }, setStep);
      toast(`${ledger.name} moved to ${next.name}.`);
      await visit.leadTo(`/fp/cloud/tenants/${ledger.tenantId}/ledgers/${next.ledgerId}`);
    } catch (error) {
      setFailure(failureText(error));
    } finally {
      setStep(undefined);
    }
  };
  return { step, failure, move };
}
