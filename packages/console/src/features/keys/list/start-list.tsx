import { isFixpointError } from '@fixpoint/protocol';
import type { Attached } from 'fixpoint';
import { type ReactNode, useState } from 'react';
import { useParams } from 'react-router';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { CodeDialog, useCodeTask } from '../codes/code-dialog.tsx';
import { KeysPanel } from '../keys-panel.tsx';

export interface StartListProps {
  readonly attached: Attached;
  /** Number of other devices and codes, which the list won't contain; undefined if unknown. */
  readonly others?: number | undefined;
  readonly onStarted: () => Promise<void>;
}

/** Offers to start the signed list of members of a ledger. */
export function StartList({ children, ...props }: StartListProps & { readonly children?: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <p className="max-w-prose text-ink-2">
        The server alone decides who is a member of this database. With a signed list of members, only its
        members can add people and devices.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setOpen(true)}>Start signed list of members</Button>
        {children}
      </div>
      {isOpen && <StartDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Asks for a name, then shows the recovery code, then starts the list. */
function StartDialog({
  attached: { devices },
  others,
  onStarted,
  onClose,
}: StartListProps & { onClose: () => void }) {
  const [name, setName] = useState('');
  const [code, setCode] = useState<string>();
  const task = useCodeTask(startFailureText);
  const { isBusy, failure, run } = task;
  const next = () => run(async () => setCode(await devices.newLogCode()));
  const start = (saved: string) =>
    run(async () => {
      await devices.startLog({ name: name.trim(), code: saved });
      onClose();
      await onStarted();
    });
  return (
    <CodeDialog
      {...{ task, code, onClose }}
      hasCode={code !== undefined}
      title={code === undefined ? 'Start signed list of members' : 'Your recovery code'}
      description={
        code === undefined
          ? 'You become its first member, and get a recovery code. The list can’t be deleted once it has other members.'
          : 'It restores your place in the list when you lose your devices. If you lose the code, nobody can replace it. It’s shown only once. Store it in a safe place, away from your devices.'
      }
      actions={
        code === undefined ? (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button tone="primary" disabled={isBusy || name.trim() === ''} onClick={() => void next()}>
              Continue
            </Button>
          </>
        ) : (
          <>
            {failure !== undefined && <Button onClick={onClose}>Cancel</Button>}
            <Button tone="primary" disabled={isBusy} onClick={() => void start(code)}>
              I’ve saved it
            </Button>
          </>
        )
      }
    >
      <NameStep {...{ name, others }} onName={setName} />
    </CodeDialog>
  );
}

interface NameStepProps {
  readonly name: string;
  readonly others: number | undefined;
  readonly onName: (name: string) => void;
}

function NameStep({ name, others, onName }: NameStepProps) {
  return (
    <>
      <TextField
        label="Your name, as members see it"
        autoComplete="name"
        value={name}
        onChange={({ target }) => onName(target.value)}
      />
      {others !== 0 && (
        <p className="mt-3 text-sm text-ink-2">
          {others === undefined
            ? 'Other devices and recovery codes aren’t'
            : others === 1
              ? 'One other device or recovery code isn’t'
              : `${others} other devices and recovery codes aren’t`}{' '}
          in the list. Devices must be added to it, and earlier recovery codes stop working with the next new
          key. No document is lost.
        </p>
      )}
    </>
  );
}

function startFailureText(error: unknown): string {
  if (isFixpointError(error, 'NOT_IMPLEMENTED'))
    return 'This server, or this browser, doesn’t support signed lists of members.';
  if (isFixpointError(error, 'FORBIDDEN'))
    return 'Couldn’t start the list: only an admin of the tenant can start it, and only once for each database.';
  if (isFixpointError(error, 'CONFLICT'))
    return 'This database has a list already, or you started it earlier with another code. That earlier code counts; this one is worthless.';
  return `Couldn’t start the list: ${failureText(error)}`;
}

/** Offers to start the signed list of members, until the user declines it in this browser. */
export function OfferList({ attached }: { attached: Attached }) {
  const { ledgerId: ledger = '' } = useParams();
  const [isDeclined, setDeclined] = useState(() => wasDeclined(ledger));
  if (isDeclined) return null;
  const decline = () => {
    remember(ledger);
    setDeclined(true);
  };
  return (
    <KeysPanel title="Protect the list of members">
      <StartList attached={attached} onStarted={async () => undefined}>
        <Button tone="quiet" onClick={decline}>
          Not now
        </Button>
      </StartList>
    </KeysPanel>
  );
}

const keyOf = (ledger: string): string => `fixpoint:no-list:${ledger}`;

function wasDeclined(ledger: string): boolean {
  try {
    return localStorage.getItem(keyOf(ledger)) !== null;
  } catch {
    return false;
  }
}

function remember(ledger: string): void {
  try {
    localStorage.setItem(keyOf(ledger), 'declined');
  } catch {
    // Without storage, the offer returns with the next page.
  }
}
