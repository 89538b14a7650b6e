import type { Attached, LedgerDevice } from 'fixpoint';
import { useCallback, useEffect, useState } from 'react';
import { failureText } from '../../local/failure-text.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { TextField } from '../../ui/form.tsx';
import { useToast } from '../../ui/toaster.tsx';
import { Fact, Facts, Part } from './part.tsx';

const KINDS = {
  sealed: 'Sealed: devices that were let in can read it, the cloud cannot',
  'open-key': 'Open key: members of the ledger can read it, and so can the cloud',
};
const ID_CHARS = 12;

/** Who can read a ledger: what kind it is, and of a sealed one its devices and recovery codes. */
export function DevicesPart({ attached }: { attached: Attached }) {
  const kind = attached.kind();
  return (
    <Part title="Keys">
      <Facts>
        <Fact name="Ledger">{kind === undefined ? 'not heard of yet' : KINDS[kind]}</Fact>
      </Facts>
      {kind === 'sealed' && <Devices attached={attached} />}
    </Part>
  );
}

interface Known {
  readonly code: string;
  readonly list: readonly LedgerDevice[];
}

function Devices({ attached: { devices } }: { attached: Attached }) {
  const toast = useToast();
  const [known, setKnown] = useState<Known>();
  const [recovery, setRecovery] = useState<string>();
  const load = useCallback(async () => {
    try {
      const list = await devices.list();
      setKnown({ code: await devices.code(), list });
    } catch (error) {
      toast(`The devices could not be read: ${failureText(error)}`, { tone: 'error' });
    }
  }, [devices, toast]);
  useEffect(() => void load(), [load]);
  const act = async (what: () => Promise<unknown>, done: string) => {
    try {
      await what();
      toast(done);
      await load();
    } catch (error) {
      toast(failureText(error), { tone: 'error' });
    }
  };
  const isIn = devices.isApproved();
  return (
    <>
      {known !== undefined && (
        <ul aria-label="Devices" className="divide-y divide-line rounded-md border border-line">
          {known.list.map(({ id, isThis, isRecovery }) => (
            <li key={id} className="flex items-center gap-2 px-3 py-1.5">
              <code className="font-mono text-xs">{id.slice(0, ID_CHARS)}</code>
              {isThis && <Badge tone="accent">This device</Badge>}
              {isRecovery && <Badge>Recovery code</Badge>}
              {isIn && !isThis && (
                <Button
                  size="sm"
                  tone="quiet"
                  className="ml-auto"
                  onClick={() => void act(() => devices.remove([id]), 'It gets no keys from now on.')}
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
          <div className="flex items-center gap-2">
            <code className="min-w-0 font-mono text-xs break-all">{known.code}</code>
            <CopyButton text={known.code} size="sm" />
          </div>
        </div>
      )}
      {isIn ? (
        <CodeForm
          label="Code of a device to let in"
          action="Let in"
          onCode={(code) => act(() => devices.approve(code), 'The device is let in.')}
        />
      ) : (
        <CodeForm
          label="Or a recovery code"
          action="Recover"
          onCode={(code) => act(() => devices.recover(code), 'This device is let in.')}
        />
      )}
      {isIn && recovery === undefined && (
        <Button
          size="sm"
          className="self-start"
          onClick={() =>
            void act(
              async () => setRecovery(await devices.newRecoveryCode()),
              'Keep the code where no thief looks.',
            )
          }
        >
          New recovery code
        </Button>
      )}
      {recovery !== undefined && (
        <div className="flex flex-col gap-1.5 rounded-md border border-warn/40 bg-warn-soft p-3 text-warn">
          <p>It opens the ledger when all devices are lost, and is shown this once.</p>
          <code className="font-mono text-xs break-all">{recovery}</code>
          <CopyButton text={recovery} size="sm" />
        </div>
      )}
    </>
  );
}

function CodeForm(props: { label: string; action: string; onCode: (code: string) => Promise<void> }) {
  const { label, action, onCode } = props;
  const [code, setCode] = useState('');
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void onCode(code.trim()).then(() => setCode(''));
      }}
    >
      <div className="min-w-0 grow">
        <TextField
          label={label}
          autoComplete="off"
          spellCheck={false}
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      </div>
      <Button type="submit" disabled={code.trim() === ''} className="h-9">
        {action}
      </Button>
    </form>
  );
}
