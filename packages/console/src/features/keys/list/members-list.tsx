import type { LedgerDevice, LedgerLog, LedgerMember } from 'fixpoint';
import { useState } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Fact, Facts } from '../../../ui/facts.tsx';
import { TextField } from '../../../ui/forms/form.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { lastSeenText } from '../devices/announced-device.ts';
import { ROLE_TEXTS, type Role, roleIn } from './roles.ts';
import { SafetyNumber } from './safety-number.tsx';

export interface MembersListProps {
  readonly log: LedgerLog;
  readonly devices: readonly LedgerDevice[];
  /** Undefined for users who can't change the list. */
  readonly onRole: ((user: string, role: Role) => Promise<void>) | undefined;
  readonly onRemove: ((name: string, ids: readonly string[]) => Promise<void>) | undefined;
  /** Gives a member a name that only this device shows. */
  readonly onName: (user: string, name: string) => Promise<void>;
}

const QUIET = { size: 'sm', tone: 'quiet' } as const;

/** Shows the signed list of members of a ledger, and the number by which two people compare it. */
export function MembersList({ log, devices, onRole, onRemove, onName }: MembersListProps) {
  const [leaving, setLeaving] = useState<LedgerMember>();
  const [renaming, setRenaming] = useState<LedgerMember>();
  const remove = (member: LedgerMember) => {
    setLeaving(undefined);
    const ids = devices.filter(({ owner }) => owner === member.user).map(({ id }) => id);
    void onRemove?.(member.name, ids);
  };
  return (
    <>
      <ul aria-label="Members" className="divide-y divide-line rounded-md border border-line">
        {log.members.map((member) => (
          <li
            key={`${member.user} ${member.name} ${member.admittedBy}`}
            className="flex flex-wrap items-center gap-2 px-3 py-1.5"
          >
            <span className="min-w-0 break-words">{member.yourName ?? member.name}</span>
            {member.isYou && <Badge tone="accent">You</Badge>}
            <span className="min-w-0 text-xs break-words text-ink-3">
              {member.yourName !== undefined && `in the list as ${member.name}, `}
              {member.admittedBy === undefined ? 'started this list' : `added by ${member.admittedBy}`}
              {(onRole === undefined || member.isYou) && `, ${ROLE_TEXTS[member.role]}`}
              {!member.isYou && member.heardAt !== undefined && `, ${lastSeenText(member.heardAt)}`}
            </span>
            {onRole !== undefined && !member.isYou && (
              <Select
                label={`Role of ${member.name}`}
                className="ml-auto"
                value={member.role}
                onChange={({ target }) => void onRole(member.user, roleIn(target.value))}
              >
                {Object.entries(ROLE_TEXTS).map(([value, text]) => (
                  <option key={value} value={value}>
                    {text}
                  </option>
                ))}
              </Select>
            )}
            <Button {...QUIET} aria-label={`Rename ${member.name}`} onClick={() => setRenaming(member)}>
              Rename
            </Button>
            {onRemove !== undefined && !member.isYou && (
              <Button {...QUIET} aria-label={`Remove ${member.name}`} onClick={() => setLeaving(member)}>
                Remove
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Comparison {...{ log }} />
      {renaming !== undefined && (
        <RenameDialog
          of={renaming.name}
          yourName={renaming.yourName}
          onName={(name) => void onName(renaming.user, name)}
          onClose={() => setRenaming(undefined)}
        />
      )}
      {leaving !== undefined && (
        <ConfirmDialog
          title={`Remove ${leaving.name}?`}
          action="Remove member"
          onClose={() => setLeaving(undefined)}
          onConfirm={() => remove(leaving)}
        >
          All devices of {leaving.name} lose access: later changes are encrypted with a new key. What they
          have already received stays on their devices.
        </ConfirmDialog>
      )}
    </>
  );
}

/** Shows the number by which two people compare the list, and whose clock is wrong. */
function Comparison({ log }: Pick<MembersListProps, 'log'>) {
  return (
    <>
      <Facts>
        <Fact name="Safety number">
          <SafetyNumber number={log.safetyNumber} />
        </Fact>
      </Facts>
      <p className="text-xs text-ink-3">
        Two members who see the same number see the same members and devices. If the numbers differ after both
        are in sync, the server shows them different lists.
      </p>
      {(log.clocksAhead ?? []).length > 0 && (
        <p className="text-xs text-ink-3">
          Signed times of {(log.clocksAhead ?? []).join(', ')} are later than their arrival: the clock of
          their device is wrong, or the clock of this one.
        </p>
      )}
    </>
  );
}

interface RenameDialogProps {
  /** The name in the signed list of members, or the id of a device. */
  readonly of: string;
  /** The name that the user gave before. */
  readonly yourName: string | undefined;
  readonly onName: (name: string) => void;
  readonly onClose: () => void;
}

/** Asks for the name that this device shows for a member or a device. */
export function RenameDialog({ of, yourName = '', onName, onClose }: RenameDialogProps) {
  const [name, setName] = useState(yourName);
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Your name for ${of}`}
      description="Only this device shows it. Leave it empty to remove it."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            tone="primary"
            onClick={() => {
              onClose();
              onName(name.trim());
            }}
          >
            Save name
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        value={name}
        autoComplete="off"
        onChange={(event) => setName(event.target.value)}
      />
    </Dialog>
  );
}
