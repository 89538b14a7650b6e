import { useSyncStatus } from '@fixpoint/react';
import type { Attached, LedgerDevice } from 'fixpoint';
import { useCallback, useEffect, useState } from 'react';
import { useTenants } from '../../cloud/queries/use-cloud.ts';
import { failureText } from '../../local/failure-text.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Part } from '../../ui/overlays/dialog-part.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { announcedText } from './announced-device.ts';
import { CodeForm } from './code-form.tsx';
import { RecoveryCode } from './recovery-code.tsx';
import { ShownCode } from './shown-code.tsx';
import { useKeyring } from './use-keyring.ts';

const KINDS = {
  sealed: 'Sealed: devices that were let in can read it, the cloud cannot',
  'open-key': 'Open key: who has access to the database can read it, and so can the cloud',
};
const ID_CHARS = 12;
const KEY_CHARS = 8;

/** Shows who can read a ledger: its kind, and the devices and recovery codes of a sealed one. */
export function DevicesPart({ attached }: { attached: Attached }) {
  // Renders again when the kind, or this device's access, becomes known.
  useSyncStatus(attached);
  const kind = attached.kind();
  return (
    <Part title="Keys">
      <Facts>
        <Fact name="Kind">{kind === undefined ? 'not heard of yet' : KINDS[kind]}</Fact>
      </Facts>
      {kind === 'sealed' && <Devices attached={attached} />}
    </Part>
  );
}

interface Known {
  readonly code: string;
  readonly list: readonly LedgerDevice[];
}

function Devices({ attached }: { attached: Attached }) {
  const { devices } = attached;
  const toast = useToast();
  const keyring = useKeyring(attached);
  const members = (useTenants().data ?? []).flatMap(({ members: some = [] }) => some);
  const [known, setKnown] = useState<Known>();
  const [recovery, setRecovery] = useState<string>();
  const [isMaking, setMaking] = useState(false);
  const load = useCallback(async () => {
    try {
      const list = await devices.list();
      setKnown({ code: await devices.code(), list });
    } catch (error) {
      toast(`The devices could not be read: ${failureText(error)}`, { tone: 'error' });
    }
  }, [devices, toast]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again with each other set of keys
  useEffect(() => void load(), [load, keyring]);
  const done = async (work: Promise<unknown>, text: string) => {
    await work;
    toast(text);
    await load();
  };
  const act = (work: Promise<unknown>, text: string) =>
    done(work, text).catch((error: unknown) => toast(failureText(error), { tone: 'error' }));
  const make = async () => {
    setMaking(true);
    try {
      setRecovery(await devices.newRecoveryCode());
      await load();
    } catch (error) {
      toast(`No recovery code was made: ${failureText(error)}`, { tone: 'error' });
    } finally {
      setMaking(false);
    }
  };
  const isIn = devices.isApproved();
  return (
    <>
      {keyring?.current !== undefined && (
        <>
          <Facts>
            <Fact name="Key in use">
              <code className="font-mono text-xs">{keyring.current.slice(0, KEY_CHARS)}</code>
              {keyring.count > 1 && `, number ${keyring.count}`}
            </Fact>
          </Facts>
          <p className="text-xs text-muted">
            When a device is removed, or somebody loses access to it, what is written next is sealed with a
            new key, which they do not get.
          </p>
        </>
      )}
      {known !== undefined && known.list.length > 0 && (
        <ul aria-label="Devices" className="divide-y divide-line rounded-md border border-line">
          {known.list.map(({ id, isThis, isRecovery, ...announced }) => (
            <li key={id} className="flex flex-wrap items-center gap-2 px-3 py-1.5">
              <code className="font-mono text-xs">{id.slice(0, ID_CHARS)}</code>
              {isThis && <Badge tone="accent">This device</Badge>}
              {isRecovery && <Badge>Recovery code</Badge>}
              <span className="min-w-0 text-xs break-words text-muted">
                {announcedText(announced, members)}
              </span>
              {isIn && !isThis && (
                <Button
                  size="sm"
                  tone="quiet"
                  className="ml-auto"
                  onClick={() => void act(devices.remove([id]), 'It gets no keys from now on.')}
                >
                  Remove
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {known !== undefined && !isIn && (
        <div className="flex flex-col gap-1">
          <p>This device was not let in yet. Carry its code to a device that was:</p>
          <ShownCode label="Code of this device" code={known.code} />
        </div>
      )}
      {isIn ? (
        <CodeForm
          label="Code of a device to let in"
          action="Let in"
          onCode={(code) => done(devices.approve(code), 'The device is let in.')}
        />
      ) : (
        <CodeForm
          label="Or a recovery code"
          action="Recover"
          onCode={(code) => done(devices.recover(code), 'This device is let in.')}
        />
      )}
      {isIn && (
        <Button size="sm" className="self-start" disabled={isMaking} onClick={() => void make()}>
          New recovery code
        </Button>
      )}
      {recovery !== undefined && (
        <Dialog
          open
          // A click outside would lose the code.
          onClose={() => undefined}
          title="Your recovery code"
          description="It opens the database when all devices are lost, and is shown this once. Keep it where no thief looks."
          actions={
            <Button tone="primary" onClick={() => setRecovery(undefined)}>
              I have kept it
            </Button>
          }
        >
          <RecoveryCode code={recovery} />
        </Dialog>
      )}
    </>
  );
}
