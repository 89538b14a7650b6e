import { isFixpointError } from '@fixpoint/protocol';
import { useKeyring, useSyncStatus } from '@fixpoint/react';
import type { Attached, LedgerLog } from 'fixpoint';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { useTask } from '../../ui/overlays/use-task.ts';
import { failureText } from '../../ui/text/failure-text.ts';
import { useSettled } from '../../ui/use-settled.ts';
import { CodeForm } from './codes/code-form.tsx';
import { RecoveryCode } from './codes/recovery-code.tsx';
import { ShownCode } from './codes/shown-code.tsx';
import { useOwnCode } from './codes/use-own-code.ts';
import { ApproveDevice } from './devices/approve-device.tsx';
import { KeysPanel } from './keys-panel.tsx';
import { ListNotice } from './list/list-notice.tsx';
import { OtherLists } from './list/list-tasks.tsx';
import { OfferList } from './list/start-list.tsx';

/**
 * Shows tasks for the keys of a sealed ledger, such as approving a device; renders nothing if there
 * are no tasks.
 */
export function KeysNotice({ attached, offersList = false }: KeysNoticeProps) {
  const found = useSettled(attached);
  if (found === undefined || 'error' in found) return null;
  return <Notice attached={found.value} offersList={offersList} />;
}

interface KeysNoticeProps {
  readonly attached: Promise<Attached>;
  /** Whether to offer a signed list of members, which only admins of the tenant can start. */
  readonly offersList?: boolean;
}

function Notice({ attached, offersList }: { attached: Attached; offersList: boolean }) {
  const status = useSyncStatus(attached);
  const keyring = useKeyring(attached);
  const [recovery, setRecovery] = useState<string>();
  if (attached.kind() !== 'sealed') return null;
  if (isFixpointError(status?.error, 'DEVICE_NOT_APPROVED'))
    return keyring?.isRejected === true ? (
      <Rejected attached={attached} />
    ) : (
      <Waiting attached={attached} wasIn={keyring?.current !== undefined} />
    );
  if (recovery !== undefined) return <NewCode code={recovery} onKept={() => setRecovery(undefined)} />;
  if (keyring === undefined || !attached.devices.isApproved()) return null;
  const { log, asking, hasRecoveryCode } = keyring;
  const mayApprove = log === undefined || log.isCompared;
  return (
    <>
      {log !== undefined && <ListNotice {...{ attached, log }} />}
      {mayApprove && asking.length > 0 && <Asking {...{ attached, log, asking }} />}
      {log === undefined && !hasRecoveryCode && <NoRecoveryCode attached={attached} onCode={setRecovery} />}
      {log?.isCompared !== true && <OtherLists {...{ attached, keyring }} />}
      {log === undefined && offersList && keyring.otherLogs === undefined && <OfferList {...{ attached }} />}
    </>
  );
}

/**
 * Shows the code of a device without keys, to enter on a trusted device, or asks for a recovery
 * code.
 */
function Waiting({ attached: { devices }, wasIn }: { attached: Attached; wasIn: boolean }) {
  const code = useOwnCode(devices);
  return (
    <KeysPanel title={wasIn ? 'This device was removed' : 'This device isn’t trusted yet'}>
      <p>
        {wasIn
          ? 'Documents that are already here stay readable. To sync new changes, enter this code on a trusted device.'
          : 'This database is end-to-end encrypted: only trusted devices can read it. Open it on a trusted device and enter this code there.'}
      </p>
      {code !== undefined && <ShownCode label="Code of this device" code={code} />}
      <RecoveryForm devices={devices} />
    </KeysPanel>
  );
}

function RecoveryForm({ devices }: Pick<Attached, 'devices'>) {
  const toast = useToast();
  return (
    <CodeForm
      label="Or enter a recovery code"
      action="Recover access"
      onCode={async (text) => {
        await devices.recover(text);
        toast('This device is now trusted.');
      }}
    />
  );
}

/** Says that nobody will approve this device until its user asks again. */
function Rejected({ attached: { devices } }: { attached: Attached }) {
  const { isBusy, run } = useTask();
  return (
    <KeysPanel title="An admin rejected the request of this device">
      <p>
        The server no longer lists the request. Ask an admin why. If it was a mistake, ask again, then give an
        admin the code that appears.
      </p>
      <Button
        className="self-start"
        disabled={isBusy}
        onClick={() => void run('Couldn’t ask again', devices.ask)}
      >
        Ask again
      </Button>
      <RecoveryForm devices={devices} />
    </KeysPanel>
  );
}

function NoRecoveryCode(props: { attached: Attached; onCode: (code: string) => void }) {
  const { attached, onCode } = props;
  const { isBusy, run } = useTask();
  const make = () =>
    run('Couldn’t create a recovery code', async () => onCode(await attached.devices.newRecoveryCode()));
  return (
    <KeysPanel title="No recovery code yet">
      <p>
        This database is end-to-end encrypted. If you lose all trusted devices, nobody can restore access
        without a recovery code. Create one now and store it in a safe place, away from your devices.
      </p>
      <Button tone="primary" className="self-start" disabled={isBusy} onClick={() => void make()}>
        Create recovery code
      </Button>
    </KeysPanel>
  );
}

function NewCode({ code, onKept }: { code: string; onKept: () => void }) {
  return (
    <KeysPanel title="Your recovery code">
      <p>It’s shown only once. Write it down, or save it in a password manager.</p>
      <RecoveryCode code={code} />
      <Button tone="primary" className="self-start" onClick={onKept}>
        I’ve saved it
      </Button>
    </KeysPanel>
  );
}

interface AskingProps {
  readonly attached: Attached;
  readonly log: LedgerLog | undefined;
  /** Ids of the devices that ask. */
  readonly asking: readonly string[];
}

function rejectionFailure(error: unknown, count: number): string {
  if (isFixpointError(error, 'CONFLICT'))
    return count === 1
      ? 'Somebody already answered the request.'
      : 'Somebody already answered at least one of the requests. Any others are rejected.';
  if (isFixpointError(error, 'FORBIDDEN'))
    return 'Couldn’t reject requests of other people: only admins of the tenant can. Ask an admin.';
  return `Couldn’t reject ${count === 1 ? 'the request' : 'the requests'}: ${failureText(error)}`;
}

function Asking({ attached, log, asking }: AskingProps) {
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const count = asking.length;
  const reject = async () => {
    setBusy(true);
    try {
      await attached.devices.reject(asking);
      toast(`${count === 1 ? 'Request' : 'Requests'} rejected.`);
    } catch (error) {
      toast(rejectionFailure(error, count), { tone: 'error' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <KeysPanel
      isDecision
      title={count === 1 ? 'A device is waiting for approval' : `${count} devices are waiting for approval`}
    >
      <p>
        {count === 1 ? 'It shows a code. ' : 'Each shows a code. '}
        Enter a code here only if the device is yours, or its owner gave you the code.
      </p>
      <ApproveDevice
        {...{ attached, log }}
        label="Code of the device"
        onApproved={() => toast('Device approved.')}
      />
      <Button tone="quiet" className="self-start" disabled={isBusy} onClick={() => void reject()}>
        {count === 1 ? 'Reject the request' : `Reject all ${count} requests`}
      </Button>
    </KeysPanel>
  );
}
