import { isFixpointError } from '@fixpoint/protocol';
import type { Attached, LedgerAdmission, LedgerLog, LedgerMember } from 'fixpoint';
import { useState } from 'react';
import { Select } from '../../../ui/forms/select.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { CodeForm } from '../codes/code-form.tsx';
import { ROLE_TEXTS, type Role, roleIn } from '../list/roles.ts';

const [UNCHOSEN, OWN, NEW] = ['', 'own', 'new'];

/** Identifies a member. A choice ends when the member changes, so it never becomes another one. */
const choiceOf = ({ user, name, role }: LedgerMember) => `member ${JSON.stringify([user, name, role])}`;

export interface ApproveDeviceProps {
  readonly attached: Attached;
  /** The signed list of members; undefined without one. */
  readonly log: LedgerLog | undefined;
  readonly label: string;
  readonly onApproved: () => Promise<void> | void;
}

/**
 * Renders the form that approves a device. With a signed list of members, the user says whose
 * device it is: the server may lie about that, so nothing is chosen at first.
 */
export function ApproveDevice({ attached: { devices }, log, label, onApproved }: ApproveDeviceProps) {
  const [whose, setWhose] = useState(UNCHOSEN);
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('write');
  const approve = async (code: string, admission?: LedgerAdmission) => {
    await (admission === undefined ? devices.approve(code) : devices.approve(code, admission));
    setWhose(UNCHOSEN);
    setName('');
    await onApproved();
  };
  const form = { label, action: 'Approve device', tone: 'decide' } as const;
  if (log === undefined) return <CodeForm {...form} onCode={(code) => approve(code)} />;
  const others = log.members.filter(({ isYou }) => !isYou);
  const member = others.find((one) => whose === choiceOf(one));
  const admission =
    whose === NEW ? { name: name.trim(), role } : member && { name: member.name, role: member.role };
  const isReady = whose === OWN || (admission !== undefined && admission.name !== '');
  return (
    <div className="flex flex-col gap-2">
      <Select
        label="Whose device is it?"
        isLabelled
        value={whose}
        onChange={({ target }) => setWhose(target.value)}
      >
        <option value={UNCHOSEN}>Choose...</option>
        <option value={OWN}>Mine</option>
        {log.role === 'admin' && (
          <>
            {others.map((one) => (
              <option key={choiceOf(one)} value={choiceOf(one)}>
                {`${one.name} (${ROLE_TEXTS[one.role]})`}
              </option>
            ))}
            <option value={NEW}>Somebody who isn’t in the list yet</option>
          </>
        )}
      </Select>
      {whose === NEW && (
        <div className="flex flex-wrap items-end gap-2">
          <div className="min-w-0 grow">
            <TextField
              label="Name that members see"
              autoComplete="off"
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          </div>
          <Select
            label="Role"
            isLabelled
            value={role}
            onChange={({ target }) => setRole(roleIn(target.value))}
          >
            {Object.entries(ROLE_TEXTS).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </Select>
        </div>
      )}
      {whose !== OWN && whose !== UNCHOSEN && (
        <p className="text-xs text-ink-3">
          Make sure that you have the code from this person, and not from somebody who claims to be them.
        </p>
      )}
      <CodeForm
        {...form}
        isReady={isReady}
        explain={explainRejection}
        onCode={(code) => approve(code, whose === OWN ? undefined : admission)}
      />
    </div>
  );
}

/** Explains errors that only a signed list of members causes. */
function explainRejection(error: unknown): string | undefined {
  if (isFixpointError(error, 'FORBIDDEN'))
    return 'You can’t add this device: only admins of the list of members add people, and devices of members below them.';
  if (isFixpointError(error, 'FORMAT_NEWER'))
    return 'This code is from before the signed list of members. Reload the page on that device, or update Fixpoint there, then enter the code that it shows.';
  if (isFixpointError(error, 'LEDGER_NOT_COMPARED'))
    return 'Confirm the list of members on this device first.';
  if (isFixpointError(error, 'REQUEST_INVALID') && !error.message.includes('mistyped'))
    return 'According to the server, this device belongs to somebody else. Check whose device it is, and choose that person.';
  return undefined;
}
