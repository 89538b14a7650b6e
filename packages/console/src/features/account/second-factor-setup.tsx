import { type FormEvent, useId, useState } from 'react';
import type { SecondFactor } from '../../cloud/identity/session-port.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/forms/form.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { CodeBlock } from '../../ui/text/code-block.tsx';
import { CopyButton } from '../../ui/text/copy-button.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { QrImage } from '../../ui/text/qr-image.tsx';
import { BackupCodesDialog } from './backup-codes.tsx';
import { PasswordDialog } from './password-dialog.tsx';

interface Begun {
  readonly totpURI: string;
  readonly backupCodes: readonly string[];
}

export interface SecondFactorSetupProps {
  readonly secondFactor: SecondFactor;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/**
 * Asks for the password, shows the key for the app, checks its first code, then shows the backup
 * codes.
 */
export function SecondFactorSetup({ secondFactor, onClose, onDone }: SecondFactorSetupProps) {
  const [begun, setBegun] = useState<Begun>();
  const [isOn, setOn] = useState(false);
  if (begun === undefined)
    return (
      <PasswordDialog
        title="Set up a second step"
        description="You need an authenticator app. Many password managers include one."
        action="Continue"
        run={secondFactor.begin}
        onClose={onClose}
        onDone={setBegun}
      />
    );
  if (!isOn)
    return (
      <FirstCode
        uri={begun.totpURI}
        finish={secondFactor.finish}
        onClose={onClose}
        onDone={() => setOn(true)}
      />
    );
  return <BackupCodesDialog codes={begun.backupCodes} onDone={onDone} />;
}

interface FirstCodeProps {
  readonly uri: string;
  readonly finish: SecondFactor['finish'];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function FirstCode({ uri, finish, onClose, onDone }: FirstCodeProps) {
  const form = useId();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const key = new URL(uri).searchParams.get('secret') ?? '';
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const code = String(new FormData(event.currentTarget).get('code') ?? '').replace(/\s/g, '');
    setBusy(true);
    const answer = await finish(code);
    setBusy(false);
    if (answer.ok) onDone();
    else setProblem(failureText(answer.error));
  };
  return (
    <Dialog
      open
      isBusy={busy}
      onClose={onClose}
      title="Add the key to your app"
      description="Scan the QR code with your authenticator app, or enter the key there. Then enter the code that the app shows."
      actions={
        <>
          <Button disabled={busy} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={form} tone="primary" disabled={busy}>
            Turn on
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <QrImage text={uri} label="QR code of the key below" />
        <CodeBlock wraps label="Key" text={key} actions={<CopyButton text={key} tone="quiet" />} />
        <p className="text-sm text-ink-3">
          If your app is on this device,{' '}
          <a href={uri} className="rounded text-accent-ink underline underline-offset-2 hover:text-ink">
            open the key in the app
          </a>
        </p>
        <form id={form} onSubmit={(event) => void send(event)}>
          <TextField
            name="code"
            label="Code"
            inputMode="numeric"
            autoComplete="one-time-code"
            error={problem}
            required
          />
        </form>
      </div>
    </Dialog>
  );
}
