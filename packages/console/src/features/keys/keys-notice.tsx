import { isFixpointError } from '@fixpoint/protocol';
import { useSyncStatus } from '@fixpoint/react';
import type { Attached } from 'fixpoint';
import { KeyRound } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { useSettled } from '../../ui/use-settled.ts';
import { CodeForm } from './code-form.tsx';
import { RecoveryCode } from './recovery-code.tsx';
import { ShownCode } from './shown-code.tsx';
import { useKeyring } from './use-keyring.ts';

/**
 * Shows tasks for the keys of a sealed ledger, such as approving a device; renders nothing if there
 * are no tasks.
 */
export function KeysNotice({ attached }: { attached: Promise<Attached> }) {
  const found = useSettled(attached);
  if (found === undefined || 'error' in found) return null;
  return <Notice attached={found.value} />;
}

function Notice({ attached }: { attached: Attached }) {
  const status = useSyncStatus(attached);
  const keyring = useKeyring(attached);
  const [recovery, setRecovery] = useState<string>();
  if (attached.kind() !== 'sealed') return null;
  if (isFixpointError(status?.error, 'DEVICE_NOT_APPROVED'))
    return <Waiting attached={attached} wasIn={keyring?.current !== undefined} />;
  if (recovery !== undefined) return <NewCode code={recovery} onKept={() => setRecovery(undefined)} />;
  if (keyring === undefined || !attached.devices.isApproved()) return null;
  return (
    <>
      {!keyring.hasRecoveryCode && <NoRecoveryCode attached={attached} onCode={setRecovery} />}
      {keyring.asking.length > 0 && <Asking attached={attached} count={keyring.asking.length} />}
    </>
  );
}

function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section
      aria-label={title}
      className="mb-5 flex max-w-3xl flex-col gap-3 rounded-lg border border-accent-line bg-accent-soft p-4 text-sm"
    >
      <h2 className="flex items-center gap-2 font-semibold">
        <KeyRound size={15} aria-hidden className="text-accent-ink" /> {title}
      </h2>
      {children}
    </section>
  );
}

/**
 * Shows the code of a device without keys, to enter on a trusted device, or asks for a recovery
 * code.
 */
function Waiting({ attached: { devices }, wasIn }: { attached: Attached; wasIn: boolean }) {
  const toast = useToast();
  const [code, setCode] = useState<string>();
  useEffect(() => {
    let isOver = false;
    devices.code().then(
      (own) => !isOver && setCode(own),
      (error: unknown) =>
        !isOver && toast(`Couldn’t load the code of this device: ${failureText(error)}`, { tone: 'error' }),
    );
    return () => {
      isOver = true;
    };
  }, [devices, toast]);
  return (
    <Panel title={wasIn ? 'This device was removed' : 'This device isn’t trusted yet'}>
      <p>
        {wasIn
          ? 'Documents that are already here stay readable. To sync new changes, enter this code on a trusted device.'
          : 'This database is end-to-end encrypted: only trusted devices can read it. Open it on a trusted device and enter this code there.'}
      </p>
      {code !== undefined && <ShownCode label="Code of this device" code={code} />}
      <CodeForm
        label="Or enter a recovery code"
        action="Recover access"
        onCode={async (text) => {
          await devices.recover(text);
          toast('This device is now trusted.');
        }}
      />
    </Panel>
  );
}

function NoRecoveryCode(props: { attached: Attached; onCode: (code: string) => void }) {
  const { attached, onCode } = props;
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const make = async () => {
    setBusy(true);
    try {
      onCode(await attached.devices.newRecoveryCode());
    } catch (error) {
      toast(`Couldn’t create a recovery code: ${failureText(error)}`, { tone: 'error' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Panel title="No recovery code yet">
      <p>
        This database is end-to-end encrypted. If you lose all trusted devices, nobody can restore access
        without a recovery code. Create one now and store it in a safe place, away from your devices.
      </p>
      <Button tone="primary" className="self-start" disabled={isBusy} onClick={() => void make()}>
        Create recovery code
      </Button>
    </Panel>
  );
}

function NewCode({ code, onKept }: { code: string; onKept: () => void }) {
  return (
    <Panel title="Your recovery code">
      <p>It’s shown only once. Write it down, or save it in a password manager.</p>
      <RecoveryCode code={code} />
      <Button tone="primary" className="self-start" onClick={onKept}>
        I’ve saved it
      </Button>
    </Panel>
  );
}

function Asking({ attached: { devices }, count }: { attached: Attached; count: number }) {
  const toast = useToast();
  return (
    <Panel
      title={count === 1 ? 'A device is waiting for approval' : `${count} devices are waiting for approval`}
    >
      <p>
        {count === 1 ? 'It shows a code. ' : 'Each shows a code. '}
        Enter a code here only if the device is yours, or its owner gave you the code.
      </p>
      <CodeForm
        label="Code of the device"
        action="Approve device"
        onCode={async (text) => {
          await devices.approve(text);
          toast('Device approved.');
        }}
      />
    </Panel>
  );
}
