import type { Right } from '@fixpoint/protocol/admin';
import { Select } from '../../ui/forms/select.tsx';

export interface RightSelectProps {
  readonly label: string;
  readonly value: Right;
  readonly disabled?: boolean;
  readonly onChange: (right: Right) => void;
}

export const RIGHT_TEXT: Record<Right, string> = { read: 'Can read', write: 'Can read and write' };

/** Renders the choice of a person's right in a ledger. */
export function RightSelect({ label, value, disabled = false, onChange }: RightSelectProps) {
  return (
    <Select
      label={label}
      value={value}
      disabled={disabled}
      className="w-44"
      onChange={(event) => onChange(event.target.value === 'write' ? 'write' : 'read')}
    >
      <option value="read">{RIGHT_TEXT.read}</option>
      <option value="write">{RIGHT_TEXT.write}</option>
    </Select>
  );
}
