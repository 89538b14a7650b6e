import { useId, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/forms/form.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { columnLabel } from '../../../values/field-label.ts';
import { type Condition, isWithoutValue, TEST_LABELS, type Test, typedValue } from './table-search.ts';

/** Asks for one condition that filters the documents of the table. */
export function ConditionDialog(props: {
  open: boolean;
  onClose: () => void;
  fields: readonly string[];
  onAdd: (condition: Condition) => void;
}) {
  const { open, onClose, fields, onAdd } = props;
  const choices = fields.filter((field) => field !== '_id');
  const [chosen, setField] = useState<string | undefined>();
  const [test, setTest] = useState<Test>('contains');
  const [value, setValue] = useState('');
  const form = useId();
  const field = chosen !== undefined && choices.includes(chosen) ? chosen : (choices[0] ?? '_id');
  const add = () => {
    onAdd({ field, test, value: isWithoutValue(test) ? '' : value });
    setValue('');
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Filter"
      description="Shows only documents that meet all conditions."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} tone="primary">
            Add condition
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <Select label="Field" isLabelled value={field} onChange={(event) => setField(event.target.value)}>
          {choices.map((one) => (
            <option key={one} value={one}>
              {columnLabel(one)}
            </option>
          ))}
        </Select>
        <Select
          label="Condition"
          isLabelled
          value={test}
          onChange={(event) => setTest(event.target.value as Test)}
        >
          {Object.entries(TEST_LABELS).map(([one, label]) => (
            <option key={one} value={one}>
              {label}
            </option>
          ))}
        </Select>
        {!isWithoutValue(test) && (
          <TextField
            label="Value"
            autoFocus
            autoComplete="off"
            value={value}
            onChange={(event) => setValue(event.target.value)}
            hint={test === 'contains' ? 'Ignores upper and lower case.' : `Compared as ${kindOf(value)}.`}
          />
        )}
      </form>
    </Dialog>
  );
}

function kindOf(text: string): string {
  const value = typedValue(text);
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  const kinds: Record<string, string> = { number: 'a number', boolean: 'true or false', object: 'an object' };
  return kinds[typeof value] ?? 'text. To compare a number as text, put it in "quotes"';
}
