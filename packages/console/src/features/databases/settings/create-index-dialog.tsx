import type { BridgedDatabase } from 'fixpoint/bridge';
import { type FormEvent, useEffect, useId, useState } from 'react';
import { createIndexes } from '../../../local/ask.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/forms/form.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';

export interface CreateIndexDialogProps {
  readonly database: BridgedDatabase;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

/** Number of fields to suggest. */
const SUGGESTED_MAX = 100;

/** Asks for the fields of a new index, and builds it. */
export function CreateIndexDialog({ database, onClose, onCreated }: CreateIndexDialogProps) {
  const form = useId();
  const toast = useToast();
  const known = useFields(database);
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const create = async (event: FormEvent) => {
    event.preventDefault();
    const fields = fieldsIn(typed);
    if (fields.length === 0) return setProblem('Enter at least one field.');
    setBusy(true);
    try {
      await createIndexes(database, [fields]);
      toast(`Created an index on ${fields.join(', ')}.`);
      onCreated();
      onClose();
    } catch (error) {
      setProblem(failureText(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      {...{ onClose, isBusy }}
      title="Create an index"
      description="An index answers filters on its first field, and sorts by its fields in their order. It is stored on this device."
      actions={
        <>
          <Button onClick={onClose} disabled={isBusy}>
            Cancel
          </Button>
          <Button type="submit" form={form} tone="primary" disabled={isBusy}>
            {isBusy ? 'Creating the index...' : 'Create index'}
          </Button>
        </>
      }
    >
      <form id={form} noValidate onSubmit={(event) => void create(event)}>
        <TextField
          label="Fields"
          value={typed}
          error={problem}
          list={`${form}-fields`}
          autoComplete="off"
          spellCheck={false}
          placeholder="city"
          hint="One field, or several separated by commas: country, address.city. Entries of a list: tags[]."
          onChange={({ target }) => {
            setTyped(target.value);
            setProblem(undefined);
          }}
        />
        <datalist id={`${form}-fields`}>
          {known.map((field) => (
            <option key={field} value={field} />
          ))}
        </datalist>
      </form>
    </Dialog>
  );
}

/** Returns the fields in a text, in their order, each once. */
export const fieldsIn = (text: string): readonly string[] =>
  [...new Set(text.split(',').map((field) => field.trim()))].filter((field) => field !== '');

/** Returns the fields that documents use most; none until they are known. */
function useFields({ rows }: BridgedDatabase): readonly string[] {
  const [fields, setFields] = useState<readonly string[]>([]);
  useEffect(() => {
    const waiting = new AbortController();
    rows.fields({ signal: waiting.signal }).then(
      (uses) =>
        waiting.signal.aborted ||
        setFields(
          uses
            .map(({ field }) => field)
            .filter((field) => field !== '_id')
            .slice(0, SUGGESTED_MAX),
        ),
      // Without suggestions, the user types the field.
      () => undefined,
    );
    return () => waiting.abort();
  }, [rows]);
  return fields;
}
