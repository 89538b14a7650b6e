import type { Member } from '@fixpoint/protocol/admin';
import type { Attached, EarlierDevice } from 'fixpoint';
import { useState } from 'react';
import { useTenants } from '../../../cloud/queries/use-cloud.ts';
import { Button } from '../../../ui/button.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { ROLE_TEXTS, type Role, roleIn } from '../list/roles.ts';

const LEFT_OUT = '';
const ID_CHARS = 12;

export interface EarlierDevicesProps {
  readonly attached: Attached;
  readonly earlier: readonly EarlierDevice[];
  readonly onAdded: (count: number) => Promise<void>;
}

interface Choice {
  readonly name: string;
  readonly role: Role | typeof LEFT_OUT;
}

/**
 * Adds devices from before the signed list to it, all at once. Only the server says whose they are,
 * so the user confirms each name and role, and none is chosen at first.
 */
export function EarlierDevices({ attached: { devices }, earlier, onAdded }: EarlierDevicesProps) {
  const members = (useTenants().data ?? []).flatMap(({ members: some = [] }) => some);
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map());
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const choiceOf = ({ id, user }: EarlierDevice): Choice =>
    choices.get(id) ?? { name: nameOf(user, members), role: LEFT_OUT };
  const chosen = earlier.flatMap((one) => {
    const { name, role } = choiceOf(one);
    return role === LEFT_OUT || name.trim() === '' ? [] : [{ id: one.id, name: name.trim(), role }];
  });
  const add = async () => {
    setBusy(true);
    setFailure(undefined);
    let count = 0;
    try {
      for (const { id, name, role } of chosen) {
        await devices.approve(id, { name, role });
        count += 1;
      }
    } catch (error) {
      setFailure(`Couldn’t add all devices: ${failureText(error)}`);
    } finally {
      setBusy(false);
      if (count > 0) await onAdded(count);
    }
  };
  return (
    <section aria-label="Devices from before the list" className="flex flex-col gap-2">
      <p className="text-xs text-ink-3">
        These devices have the current key, and aren’t in the list. Only the server says whose they are. Add
        those that you expect: the others get no later keys. To make somebody an admin, approve their device
        with its code.
      </p>
      <ul className="flex flex-col gap-3">
        {earlier.map((one) => (
          <EarlierRow
            key={one.id}
            id={one.id.slice(0, ID_CHARS)}
            choice={choiceOf(one)}
            onChange={(choice) => setChoices((before) => new Map(before).set(one.id, choice))}
          />
        ))}
      </ul>
      {failure !== undefined && (
        <p role="alert" className="text-sm text-conflict">
          {failure}
        </p>
      )}
      <Button className="self-start" disabled={isBusy || chosen.length === 0} onClick={() => void add()}>
        {chosen.length < 2 ? 'Add device' : `Add ${chosen.length} devices`}
      </Button>
    </section>
  );
}

interface EarlierRowProps {
  readonly id: string;
  readonly choice: Choice;
  readonly onChange: (choice: Choice) => void;
}

function EarlierRow({ id, choice, onChange }: EarlierRowProps) {
  return (
    <li className="flex flex-wrap items-end gap-2">
      <code className="w-full font-mono text-xs">{id}</code>
      <div className="min-w-0 grow">
        <TextField
          label={`Name of the owner of ${id}`}
          autoComplete="off"
          value={choice.name}
          onChange={({ target }) => onChange({ ...choice, name: target.value })}
        />
      </div>
      <Select
        label="Role"
        isLabelled
        value={choice.role}
        onChange={({ target }) =>
          onChange({ ...choice, role: target.value === LEFT_OUT ? LEFT_OUT : roleIn(target.value) })
        }
      >
        <option value={LEFT_OUT}>Don’t add</option>
        <option value="read">{ROLE_TEXTS.read}</option>
        <option value="write">{ROLE_TEXTS.write}</option>
      </Select>
    </li>
  );
}

/** Returns the name that the server knows for a user; empty if it knows none. */
function nameOf(user: string, members: readonly Member[]): string {
  const member = members.find(({ userId }) => userId === user);
  return member?.name ?? member?.email ?? '';
}
