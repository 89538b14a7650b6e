import { isFixpointError } from '@fixpoint/protocol';
import type { Attached } from 'fixpoint';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { CodeDialog, useCodeTask } from './code-dialog.tsx';

export interface ReplaceCodeProps {
  readonly attached: Attached;
  readonly onReplaced: () => Promise<void>;
}

/** Offers to replace the user's recovery code in a ledger with a signed list of members. */
export function ReplaceCode(props: ReplaceCodeProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button className="self-start" onClick={() => setOpen(true)}>
        Replace recovery code
      </Button>
      {isOpen && <ReplaceDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Asks for the current code, then shows the next one, then replaces the code. */
function ReplaceDialog({
  attached: { devices },
  onReplaced,
  onClose,
}: ReplaceCodeProps & { onClose: () => void }) {
  const [previous, setPrevious] = useState('');
  /** The same code is shown again after a correction of the current one. */
  const [next, setNext] = useState<string>();
  const [isNextShown, setNextShown] = useState(false);
  const task = useCodeTask(replaceFailureText);
  const { isBusy, failure, run } = task;
  const show = () =>
    run(async () => {
      setNext(next ?? (await devices.newLogCode()));
      setNextShown(true);
    });
  const replace = (code: string) =>
    run(async () => {
      await devices.newRecoveryCode({ previous: previous.trim(), code });
      onClose();
      await onReplaced();
    });
  const back = () => {
    task.forget();
    setNextShown(false);
  };
  const shown = isNextShown ? next : undefined;
  return (
    <CodeDialog
      {...{ task, onClose }}
      code={shown}
      hasCode={next !== undefined}
      title={shown === undefined ? 'Replace recovery code' : 'Your new recovery code'}
      description={
        shown === undefined
          ? 'Replace the code if somebody may have seen it. You need the current code: nobody can replace it without it.'
          : 'It’s shown only once. Store it in a safe place, away from your devices. The current code stays valid until you confirm that you’ve saved the new one.'
      }
      actions={
        <Actions
          hasNext={next !== undefined}
          canContinue={previous.trim() !== ''}
          {...{ isBusy, onClose }}
          onContinue={show}
          onBack={failure === undefined ? undefined : back}
          onSaved={shown === undefined ? undefined : () => replace(shown)}
        />
      }
    >
      <TextField
        label="Current recovery code"
        autoComplete="off"
        spellCheck={false}
        value={previous}
        onChange={({ target }) => setPrevious(target.value)}
      />
    </CodeDialog>
  );
}

interface ActionsProps {
  readonly isBusy: boolean;
  /** Whether the next code was created. It may have been saved already. */
  readonly hasNext: boolean;
  readonly canContinue: boolean;
  readonly onClose: () => void;
  readonly onContinue: () => Promise<void>;
  /** Undefined before a failure. */
  readonly onBack: (() => void) | undefined;
  /** Undefined while the dialog asks for the current code. */
  readonly onSaved: (() => Promise<void>) | undefined;
}

function Actions({ isBusy, hasNext, canContinue, onClose, onContinue, onBack, onSaved }: ActionsProps) {
  return (
    <>
      <Button disabled={isBusy} onClick={onClose}>
        {hasNext ? 'Keep the current code' : 'Cancel'}
      </Button>
      {onSaved !== undefined && onBack !== undefined && (
        <Button disabled={isBusy} onClick={onBack}>
          Back
        </Button>
      )}
      {onSaved === undefined ? (
        <Button tone="primary" disabled={isBusy || !canContinue} onClick={() => void onContinue()}>
          Continue
        </Button>
      ) : (
        <Button tone="primary" disabled={isBusy} onClick={() => void onSaved()}>
          I’ve saved it
        </Button>
      )}
    </>
  );
}

function replaceFailureText(error: unknown): string {
  if (isFixpointError(error, 'REQUEST_INVALID'))
    return 'The current code isn’t valid: a character is wrong or missing. Go back, and compare it with the original.';
  if (isFixpointError(error, 'KEY_UNKNOWN'))
    return 'The current code doesn’t open this database. Go back, and check that it’s the right one.';
  if (isFixpointError(error, 'DEVICE_NOT_APPROVED'))
    return 'The current code was replaced or removed. If an earlier attempt ended without an answer, the new code is valid already: keep it.';
  if (isFixpointError(error, 'FORBIDDEN'))
    return 'This device can’t replace the code: the code belongs to somebody else, or it added this device. Use a device that another device approved.';
  const reason = failureText(error).replace(/[^.!?]$/, '$&.');
  return `Couldn’t replace the recovery code: ${reason} Keep both codes until it works.`;
}
