import { isFixpointError } from '@fixpoint/protocol';
import { useKeyring, useSyncStatus } from '@fixpoint/react';
import type { Attached, LedgerDevice, LedgerKeyring, LedgerLog } from 'fixpoint';
import { useCallback, useEffect, useState } from 'react';
import { useTenants } from '../../cloud/queries/use-cloud.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { DialogPart } from '../../ui/overlays/dialog-part.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { CodeForm } from './codes/code-form.tsx';
import { RecoveryCode } from './codes/recovery-code.tsx';
import { ReplaceCode } from './codes/replace-code.tsx';
import { ShownCode } from './codes/shown-code.tsx';
import { announcedText } from './devices/announced-device.ts';
import { ApproveDevice } from './devices/approve-device.tsx';
import { EarlierDevices } from './devices/earlier-devices.tsx';
import { LeaveList, WithdrawList } from './list/list-tasks.tsx';
import { MembersList, RenameDialog } from './list/members-list.tsx';
import { StartList } from './list/start-list.tsx';
import { WithheldChanges } from './list/withheld-changes.tsx';

const KINDS = {
  sealed: 'End-to-end encrypted: only trusted devices can read the database; the server can’t',
  'open-key': 'The server can read this database: it keeps the key for the people with access',
};
const LISTED =
  'End-to-end encrypted: only devices in the signed list of members can read the database, and the server can’t add any. Only what its members write counts';
const ID_CHARS = 12;
const KEY_CHARS = 8;

/** Shows who can read a ledger: its kind, and the devices and recovery codes of a sealed one. */
export function DevicesPart({ attached }: { attached: Attached }) {
  // Renders again when the kind, or this device's access, becomes known.
  useSyncStatus(attached);
  const kind = attached.kind();
  const keyring = useKeyring(attached);
  const who = keyring?.log?.isCompared ? LISTED : kind === undefined ? 'Not known yet' : KINDS[kind];
  return (
    <DialogPart title="Keys">
      <Facts>
        <Fact name="Who can read it">{who}</Fact>
      </Facts>
      {kind === 'sealed' && <Devices {...{ attached, keyring }} />}
    </DialogPart>
  );
}

interface DevicesProps {
  readonly attached: Attached;
  readonly keyring: LedgerKeyring | undefined;
}

/** Shows this device's key, all devices, and what the user can do with them. */
export function Devices({ attached, keyring }: DevicesProps) {
  const { devices } = attached;
  const { known, reload } = useKnownDevices(attached, keyring);
  const log = keyring?.log ?? known?.log;
  const toast = useToast();
  const done = async (work: Promise<unknown>, text: string) => {
    await work;
    toast(text);
    await reload();
  };
  const isIn = devices.isApproved();
  const remove = (id: string) =>
    done(devices.remove([id]), 'Device removed. It gets no new keys.').catch((error: unknown) =>
      toast(`Couldn’t remove the device: ${failureText(error)}`, { tone: 'error' }),
    );
  return (
    <>
      {log?.isCompared && known !== undefined && (
        <Members {...{ attached, log, done }} devices={known.list} />
      )}
      {log?.isCompared && <WithheldChanges {...{ attached, log }} />}
      {keyring?.current !== undefined && <KeyInUse id={keyring.current} count={keyring.count} />}
      {isIn && known !== undefined && log?.role !== 'read' && <NewKey {...{ attached, done }} />}
      {known !== undefined && known.list.length > 0 && (
        <DeviceList {...{ attached, done, log }} list={known.list} onRemove={isIn ? remove : undefined} />
      )}
      {isIn ? (
        <>
          {known !== undefined && (log === undefined || log.isCompared) && (
            <ApproveDevice
              {...{ attached, log }}
              label="Code of the device to approve"
              onApproved={() => done(Promise.resolve(), 'Device approved.')}
            />
          )}
          {log?.isCompared && known !== undefined && (log.earlierDevices ?? []).length > 0 && (
            <EarlierDevices
              {...{ attached }}
              earlier={log.earlierDevices ?? []}
              onAdded={(count) =>
                done(Promise.resolve(), count === 1 ? 'Device added.' : `${count} devices added.`)
              }
            />
          )}
          {log?.isCompared && known?.list.some(({ isRecovery, isOwn }) => isRecovery && isOwn) && (
            <ReplaceCode
              {...{ attached }}
              onReplaced={() =>
                done(Promise.resolve(), 'Recovery code replaced. The previous code no longer works.')
              }
            />
          )}
          {known !== undefined && (log === undefined || mayAskForCode(log)) && (
            <NewRecoveryCode {...{ attached, log }} onMade={reload} />
          )}
          {log !== undefined && mayLeave(log) && <LeaveList {...{ attached }} known={known?.list ?? []} />}
          {log?.isCompared && isAloneIn(log, known?.list ?? []) && <WithdrawList {...{ attached, log }} />}
          {log === undefined && known !== undefined && (
            <StartList
              {...{ attached }}
              others={known.list.length - 1}
              onStarted={() => done(Promise.resolve(), 'The signed list of members has started.')}
            />
          )}
        </>
      ) : (
        <>
          {known !== undefined && <WaitingDevice code={known.code} />}
          <CodeForm
            label="Or enter a recovery code"
            action="Recover access"
            onCode={(code) => done(devices.recover(code), 'This device is now trusted.')}
          />
        </>
      )}
    </>
  );
}

interface MembersProps {
  readonly attached: Attached;
  readonly log: LedgerLog;
  readonly devices: readonly LedgerDevice[];
  readonly done: (work: Promise<unknown>, text: string) => Promise<void>;
}

function Members({ attached: { devices: calls }, log, devices, done }: MembersProps) {
  const toast = useToast();
  const failed = (what: string) => (error: unknown) =>
    toast(
      isFixpointError(error, 'FORBIDDEN')
        ? `Couldn’t ${what}: only admins above this person in the list can.`
        : `Couldn’t ${what}: ${failureText(error)}`,
      { tone: 'error' },
    );
  const isAdmin = log.role === 'admin';
  return (
    <MembersList
      {...{ log, devices }}
      onName={(user, name) =>
        done(calls.rename({ user }, name), name === '' ? 'Name removed.' : 'Name saved.').catch(
          failed('save the name'),
        )
      }
      onRole={
        isAdmin
          ? (user, role) => done(calls.setRole(user, role), 'Role changed.').catch(failed('change the role'))
          : undefined
      }
      onRemove={
        isAdmin
          ? (name, ids) =>
              done(calls.remove(ids), `${name} was removed, and gets no new keys.`).catch(
                failed(`remove ${name}`),
              )
          : undefined
      }
    />
  );
}

interface KnownDevices {
  /** The code of this device. */
  readonly code: string;
  readonly list: readonly LedgerDevice[];
  readonly log: LedgerLog | undefined;
}

/** Loads the devices of a ledger, and reloads them whenever the keys change. */
function useKnownDevices({ devices }: Attached, keyring: LedgerKeyring | undefined) {
  const toast = useToast();
  const [known, setKnown] = useState<KnownDevices>();
  const reload = useCallback(async () => {
    try {
      const list = await devices.list();
      const code = await devices.code();
      // Another tab may sync. This tab knows the keys once it has loaded the list itself.
      setKnown({ code, list, log: (await devices.keyring())?.log });
    } catch (error) {
      toast(`Couldn’t load the devices: ${failureText(error)}`, { tone: 'error' });
    }
  }, [devices, toast]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads again when the keys change
  useEffect(() => void reload(), [reload, keyring]);
  return { known, reload };
}

function KeyInUse({ id, count }: { id: string; count: number }) {
  return (
    <>
      <Facts>
        <Fact name="Current key">
          <code className="font-mono text-xs">{id.slice(0, KEY_CHARS)}</code>
          {count > 1 && `, number ${count}`}
        </Fact>
      </Facts>
      <p className="text-xs text-ink-3">
        When a device is removed or somebody loses access, later changes are encrypted with a new key. That
        device or person doesn’t get the new key.
      </p>
    </>
  );
}

/** Lets users create a new key without removing a device, for example after a device was lost. */
function NewKey({ attached: { devices }, done }: Pick<MembersProps, 'attached' | 'done'>) {
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const create = () => {
    setBusy(true);
    done(devices.remove([]), 'New key created. Later changes are encrypted with it.')
      .catch((error: unknown) => toast(`Couldn’t create a new key: ${failureText(error)}`, { tone: 'error' }))
      .finally(() => setBusy(false));
  };
  return (
    <Button className="self-start" disabled={isBusy} onClick={create}>
      Create a new key now
    </Button>
  );
}

interface DeviceListProps extends Pick<MembersProps, 'attached' | 'done'> {
  readonly list: readonly LedgerDevice[];
  readonly log: LedgerLog | undefined;
  /** Undefined on a device that isn't trusted, because it can't remove other devices. */
  readonly onRemove: ((id: string) => Promise<void>) | undefined;
}

function DeviceList({ attached: { devices }, done, list, log, onRemove }: DeviceListProps) {
  const toast = useToast();
  const [renaming, setRenaming] = useState<LedgerDevice>();
  const rename = (device: string, name: string) =>
    void done(devices.rename({ device }, name), name === '' ? 'Name removed.' : 'Name saved.').catch(
      (error: unknown) => toast(`Couldn’t save the name: ${failureText(error)}`, { tone: 'error' }),
    );
  const members = (useTenants().data ?? []).flatMap(({ members: some = [] }) => some);
  return (
    <>
      <ul aria-label="Devices" className="divide-y divide-line rounded-md border border-line">
        {list.map((device) => (
          <li key={device.id} className="flex flex-wrap items-center gap-2 px-3 py-1.5">
            <DeviceName {...device} />
            <span className="min-w-0 text-xs break-words text-ink-3">{announcedText(device, members)}</span>
            {onRemove !== undefined && (
              <Button
                tone="quiet"
                className="ml-auto"
                aria-label={`Rename device ${device.id.slice(0, ID_CHARS)}`}
                onClick={() => setRenaming(device)}
              >
                Rename
              </Button>
            )}
            {onRemove !== undefined && mayRemove(log, device) && (
              <Button tone="quiet" onClick={() => void onRemove(device.id)}>
                Remove
              </Button>
            )}
          </li>
        ))}
      </ul>
      {renaming !== undefined && (
        <RenameDialog
          of={`device ${renaming.id.slice(0, ID_CHARS)}`}
          yourName={renaming.yourName}
          onName={(name) => rename(renaming.id, name)}
          onClose={() => setRenaming(undefined)}
        />
      )}
    </>
  );
}

/** Returns whether the list of members may allow this user to remove a device. */
function mayRemove(log: LedgerLog | undefined, { isThis, isOwn, owner }: LedgerDevice): boolean {
  if (isThis || log === undefined || isOwn) return !isThis;
  return log.role === 'admin' && owner !== founderIn(log)?.user;
}

function DeviceName({ id, yourName, isThis, isRecovery, isUnlisted }: LedgerDevice) {
  return (
    <>
      {yourName !== undefined && <span className="min-w-0 break-words">{yourName}</span>}
      <code className="font-mono text-xs">{id.slice(0, ID_CHARS)}</code>
      {isThis && <Badge tone="accent">This device</Badge>}
      {isRecovery && <Badge>Recovery code</Badge>}
      {isUnlisted && (
        <Badge title="It isn’t in the list of members, but has the current key. It doesn’t get the next key.">
          Not in the list
        </Badge>
      )}
    </>
  );
}

function WaitingDevice({ code }: { code: string }) {
  return (
    <div className="flex flex-col gap-1">
      <p>This device isn’t trusted yet. Enter its code on a trusted device:</p>
      <ShownCode label="Code of this device" code={code} />
    </div>
  );
}

const founderIn = (log: LedgerLog) => log.members.find(({ admittedBy }) => admittedBy === undefined);

/** Nobody is above the founder, so nobody could confirm that they left, or a code of theirs. */
const isMember = (log: LedgerLog): boolean =>
  log.isCompared && log.role !== undefined && founderIn(log)?.isYou !== true;
const mayLeave = isMember;
const mayAskForCode = isMember;

/** Returns whether the founder is the only member, with one device and one code. */
const isAloneIn = (log: LedgerLog, list: readonly LedgerDevice[]): boolean =>
  log.members.length === 1 &&
  founderIn(log)?.isYou === true &&
  list.filter(({ isUnlisted }) => !isUnlisted).length === 2;

interface NewRecoveryCodeProps {
  readonly attached: Attached;
  /** The signed list of members: an admin of the list must confirm the code. */
  readonly log: LedgerLog | undefined;
  /** Called after the code was created, so that the list shows it. */
  readonly onMade: () => Promise<void>;
}

/** Creates a recovery code, and shows it once. */
function NewRecoveryCode({ attached: { devices }, log, onMade }: NewRecoveryCodeProps) {
  const toast = useToast();
  const [code, setCode] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const create = async () => {
    setBusy(true);
    try {
      setCode(await devices.newRecoveryCode());
      await onMade();
    } catch (error) {
      toast(`Couldn’t create a recovery code: ${failureText(error)}`, { tone: 'error' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {log?.codeRequests?.some(({ isYou }) => isYou) && (
        <p className="text-xs text-ink-3">
          Your recovery code isn’t valid yet: an admin of the list must confirm it. Tell them that you asked
          for it.
        </p>
      )}
      <Button className="self-start" disabled={isBusy} onClick={() => void create()}>
        {log === undefined ? 'Create recovery code' : 'Request new recovery code'}
      </Button>
      {code !== undefined && (
        <Dialog
          open
          // A click outside would lose the code.
          onClose={() => undefined}
          title="Your recovery code"
          description={
            log === undefined
              ? 'It restores access when all trusted devices are lost. It’s shown only once. Store it in a safe place, away from your devices.'
              : 'It becomes valid when an admin of the list confirms it, and your earlier code then ends. It’s shown only once. Store it in a safe place, away from your devices.'
          }
          actions={
            <Button tone="primary" onClick={() => setCode(undefined)}>
              I’ve saved it
            </Button>
          }
        >
          <RecoveryCode code={code} />
        </Dialog>
      )}
    </>
  );
}
