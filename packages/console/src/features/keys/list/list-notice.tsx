import type { Attached, LedgerLog } from 'fixpoint';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { useTask } from '../../../ui/overlays/use-task.ts';
import { dayOf } from '../../../ui/text/moment.ts';
import { ShownCode } from '../codes/shown-code.tsx';
import { useOwnCode } from '../codes/use-own-code.ts';
import { KeysPanel } from '../keys-panel.tsx';
import { CodeRequests } from './list-tasks.tsx';
import { SafetyNumber } from './safety-number.tsx';

interface ListNoticeProps {
  readonly attached: Attached;
  readonly log: LedgerLog;
}

/** Shows warnings and tasks of the signed list of members; renders nothing if there are none. */
export function ListNotice({ attached, log }: ListNoticeProps) {
  if (!log.isCompared) return <UnknownList {...{ attached, log }} />;
  return (
    <>
      {log.waits === 'FORMAT_NEWER' && (
        <KeysPanel title="Update needed">
          <p>
            A newer version of Fixpoint changed the list of members. Your changes stay on this device and are
            sent after you update. Reload the page to get the new version.
          </p>
        </KeysPanel>
      )}
      {log.forks.length > 0 && <Forked log={log} />}
      {(log.unconfirmed ?? []).length > 0 && <Unconfirmed {...{ attached, log }} />}
      {log.silentSince !== undefined && (
        <KeysPanel title="Nothing new from other devices">
          <p>
            This device has heard of no other device since {dayOf(new Date(log.silentSince).toISOString())}.
            Either nobody opened this database, or the server withholds what they sent. Ask a member, and
            compare the safety number under Sync and storage.
          </p>
        </KeysPanel>
      )}
      <CodeRequests {...{ attached, log }} />
      {log.withoutAccess.length > 0 && log.role === 'admin' && <LostAccess {...{ attached, log }} />}
    </>
  );
}

/** Asks the user of a device that no member approved whether the list is right. */
function UnknownList({ attached: { devices }, log }: ListNoticeProps) {
  const { isBusy, run } = useTask();
  const code = useOwnCode(devices);
  const decide = (isRight: boolean) =>
    run('Couldn’t change the list', () => devices.compareLog(log.id, isRight));
  return (
    <KeysPanel title="This database has a list of members that this device doesn’t trust yet">
      <p>
        {log.waits === undefined
          ? 'This device still syncs.'
          : 'Your changes stay on this device until the list is confirmed.'}{' '}
        To join the list, enter this code on the device of a member:
      </p>
      {code !== undefined && <ShownCode label="Code of this device" code={code} />}
      <p>
        Or compare this safety number with a member, in person or on the phone:{' '}
        <SafetyNumber number={log.safetyNumber} />
      </p>
      <div className="flex flex-wrap gap-2">
        <Button disabled={isBusy} onClick={() => void decide(true)}>
          The numbers match
        </Button>
        <Button tone="quiet" disabled={isBusy} onClick={() => void decide(false)}>
          Nobody I know started this list: ignore it
        </Button>
      </div>
    </KeysPanel>
  );
}

/** Asks to compare the list after members named parts of it that the server doesn't show. */
function Unconfirmed({ attached, log }: ListNoticeProps) {
  const named = log.unconfirmed ?? [];
  const members = [...new Set(named.map(({ member }) => member))];
  const [first] = members;
  const isOne = members.length === 1;
  return (
    <KeysPanel title="The server may withhold a part of the list of members">
      <p>
        {isOne
          ? `A change of ${first} names a part of the list that this device doesn’t have, such as a removal. Compare the safety number with ${first}, in person or on the phone: `
          : 'Changes of several members name parts of the list that this device doesn’t have, such as a removal. Compare the safety number with each of these members, in person or on the phone: '}
        <SafetyNumber number={log.safetyNumber} />
      </p>
      <p>
        Until you confirm the list{isOne ? '' : ' for each of them'}, this device approves no other device. If
        the numbers differ, don’t confirm it. Tell your operator.
      </p>
      <ul className="flex flex-col gap-2">
        {members.map((member) => (
          <ComparedMember
            key={member}
            {...{ attached, log, member }}
            isNamed={!isOne}
            entries={named.filter((one) => one.member === member)}
          />
        ))}
      </ul>
    </KeysPanel>
  );
}

interface ComparedMemberProps extends ListNoticeProps {
  readonly member: string;
  readonly isNamed: boolean;
  /** The entries that the member named. */
  readonly entries: NonNullable<LedgerLog['unconfirmed']>;
}

/**
 * Confirms the list because of one member. Covers only entries that were shown when the user began
 * to compare: the member may have named later ones since.
 */
function ComparedMember({ attached: { devices }, log, member, isNamed, entries }: ComparedMemberProps) {
  const toast = useToast();
  const { isBusy, run } = useTask();
  const [shown, setShown] = useState(entries);
  if (!shown.some((one) => entries.some(({ id }) => id === one.id))) setShown(entries);
  const confirm = () =>
    run('Couldn’t confirm the list', async () => {
      await devices.compareLog(log.id, true, shown);
      toast(`List of members confirmed with ${member}.`);
    });
  return (
    <li className="flex flex-wrap items-center gap-2">
      {isNamed && <span className="min-w-0 break-words">{member}</span>}
      <Button
        disabled={isBusy}
        aria-label={isNamed ? `The numbers of ${member} match` : undefined}
        onClick={() => void confirm()}
      >
        The numbers match
      </Button>
    </li>
  );
}

const FORK_TEXTS: Readonly<Record<LedgerLog['forks'][number]['kind'], string>> = {
  logs: 'The server shows a second list of members for this database. This device ignores it.',
  copies:
    'Two copies of one device changed the list. If nobody restored that device from a backup, remove it.',
  withheld: 'The server withholds a part of the list.',
};

function Forked({ log: { forks } }: Pick<ListNoticeProps, 'log'>) {
  const texts = forks.map(({ kind, signer }) =>
    signer === undefined ? FORK_TEXTS[kind] : `${FORK_TEXTS[kind]} It’s a device of ${signer}.`,
  );
  return (
    <KeysPanel title="The list of members contradicts itself">
      {[...new Set(texts)].map((text) => (
        <p key={text}>{text}</p>
      ))}
      <p>Compare the safety number under Sync and storage with other members.</p>
    </KeysPanel>
  );
}

/** Asks an admin to remove devices of people who lost access at the server. */
function LostAccess({ attached: { devices }, log }: ListNoticeProps) {
  const toast = useToast();
  const { isBusy, run } = useTask();
  const count = log.withoutAccess.length;
  const remove = () =>
    run('Couldn’t remove the devices', async () => {
      await devices.remove(log.withoutAccess);
      toast('Devices removed. They get no new keys.');
    });
  return (
    <KeysPanel title={count === 1 ? 'A device lost access' : `${count} devices lost access`}>
      <p>
        According to the server, {count === 1 ? 'its owner' : 'their owners'} can’t open this database any
        more. The list of members still includes {count === 1 ? 'the device' : 'these devices'}, so later
        changes are encrypted for {count === 1 ? 'it' : 'them'}, too. Remove {count === 1 ? 'it' : 'them'} if
        that’s right.
      </p>
      <Button tone="primary" className="self-start" disabled={isBusy} onClick={() => void remove()}>
        {count === 1 ? 'Remove device' : 'Remove devices'}
      </Button>
    </KeysPanel>
  );
}
