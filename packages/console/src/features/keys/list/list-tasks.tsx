import { isFixpointError } from '@fixpoint/protocol';
import type { Attached, LedgerDevice, LedgerKeyring, LedgerLog } from 'fixpoint';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { KeysPanel } from '../keys-panel.tsx';

interface TaskProps {
  readonly attached: Attached;
}

/** Runs an action of a button, and shows its result. */
function useAction() {
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const run = async (work: Promise<unknown>, done: string, failed: (error: unknown) => string) => {
    setBusy(true);
    try {
      await work;
      toast(done);
    } catch (error) {
      toast(failed(error), { tone: 'error' });
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, run };
}

/** Asks an admin to confirm the recovery codes that members asked for. */
export function CodeRequests({ attached: { devices }, log }: TaskProps & { log: LedgerLog }) {
  const { isBusy, run } = useAction();
  const asked = (log.codeRequests ?? []).filter(({ isYou }) => !isYou);
  if (asked.length === 0 || log.role !== 'admin') return null;
  return (
    <KeysPanel title={asked.length === 1 ? 'A recovery code is requested' : 'Recovery codes are requested'}>
      <p>
        Ask {asked.length === 1 ? 'this member' : 'each member'} first, in person or on the phone: a person
        with the code can add devices in their name. An earlier code of the member ends.
      </p>
      <ul className="flex flex-col gap-2">
        {asked.map(({ id, user, name = user }) => (
          <li key={id} className="flex flex-wrap items-center gap-2">
            <span className="min-w-0 break-words">{name}</span>
            <Button
              disabled={isBusy}
              aria-label={`Confirm the code of ${name}`}
              onClick={() =>
                void run(devices.approve(id), `${name} can now use the code.`, (error) =>
                  isFixpointError(error, 'FORBIDDEN')
                    ? `Couldn’t confirm the code: only admins above ${name} in the list can.`
                    : `Couldn’t confirm the code: ${failureText(error)}`,
                )
              }
            >
              Confirm
            </Button>
          </li>
        ))}
      </ul>
    </KeysPanel>
  );
}

/** Says that the server lists a list of members that isn't the one of this database. */
export function OtherLists({ attached: { devices }, keyring }: TaskProps & { keyring: LedgerKeyring }) {
  const { isBusy, run } = useAction();
  const [id] = keyring.otherLogs ?? [];
  if (id === undefined) return null;
  return (
    <KeysPanel title="Somebody started another list of members">
      <p>
        This device ignores it: the person who started it doesn’t have the key of this database, or you said
        that it isn’t right. While the server has it, no device or member can be removed. An admin of the
        tenant can withdraw it while it has no members.
      </p>
      <Button
        className="self-start"
        disabled={isBusy}
        onClick={() =>
          void run(
            devices.compareLog(id, false),
            'List ignored, and withdrawn if possible.',
            (error) => `Couldn’t withdraw the list: ${failureText(error)}`,
          )
        }
      >
        Withdraw list
      </Button>
    </KeysPanel>
  );
}

/** Lets the founder take back a list that has no other member. */
export function WithdrawList({ attached: { devices }, log }: TaskProps & { log: LedgerLog }) {
  const { isBusy, run } = useAction();
  return (
    <>
      <p className="text-xs text-ink-3">
        You can withdraw the list while nobody and nothing else was added to it. Then only the server says who
        is a member, as before. The recovery code of the list no longer works.
      </p>
      <Button
        className="self-start"
        disabled={isBusy}
        onClick={() =>
          void run(devices.compareLog(log.id, false), 'The list of members was withdrawn.', (error) =>
            isFixpointError(error, 'CONFLICT')
              ? 'Couldn’t withdraw the list: it has further entries.'
              : `Couldn’t withdraw the list: ${failureText(error)}`,
          )
        }
      >
        Withdraw list
      </Button>
    </>
  );
}

/** Lets a member take this device out of the signed list of members. */
export function LeaveList({ attached: { devices }, known }: TaskProps & { known: readonly LedgerDevice[] }) {
  const { isBusy, run } = useAction();
  const [isOpen, setOpen] = useState(false);
  const own = known.find(({ isThis }) => isThis);
  if (own === undefined) return null;
  const leave = () => {
    setOpen(false);
    const failed = (error: unknown) => `Couldn’t leave the list: ${failureText(error)}`;
    void run(devices.remove([own.id]), 'This device left the list of members.', failed);
  };
  return (
    <>
      <Button tone="quiet" className="self-start" disabled={isBusy} onClick={() => setOpen(true)}>
        Leave with this device
      </Button>
      {isOpen && (
        <ConfirmDialog
          title="Leave with this device?"
          action="Leave"
          onClose={() => setOpen(false)}
          onConfirm={leave}
        >
          This device gets no new keys, and no longer sends changes. Documents that are already here stay.
          Your other devices and your recovery code keep their access. To return, use a new copy of the
          database: the key of this one isn’t accepted again.
        </ConfirmDialog>
      )}
    </>
  );
}
