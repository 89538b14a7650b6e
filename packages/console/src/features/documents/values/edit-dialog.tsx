import type { BridgedDatabase } from 'fixpoint/bridge';
import { useEffect, useId, useRef, useState } from 'react';
import { untilStored } from '../../../leaving/ask-before-leaving.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/forms/form.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { ErrorPanel } from '../../../ui/pages/feedback.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { conflictsText } from '../../../undo/open-conflicts.ts';
import { documentsText, recordStep } from '../../../undo/undo-stack.ts';
import { writtenStep } from '../../../undo/written-step.ts';
import { cellText } from '../../../values/cell-text.ts';
import { fieldLabel } from '../../../values/field-label.ts';
import { shownId } from '../../../values/shown-id.ts';
import type { Ids } from '../../transfer/document-ids.ts';
import { type EditPreview, editDocuments, type FieldEdit, previewEdit } from './edit-field.ts';
import { isFieldFree, parseTyped, type TypedText, type ValueKind } from './field-value.ts';
import { ValueInput } from './value-input.tsx';

export interface EditDialogProps {
  readonly database: BridgedDatabase;
  /** Fields used by the documents. */
  readonly fields: readonly string[];
  readonly ids: Ids;
  readonly count: number;
  readonly onClose: () => void;
}

const KINDS: readonly ValueKind[] = ['text', 'number', 'boolean', 'null', 'json', 'none'];

/** Sets or removes one field of many documents, after a preview of the changes. */
export function EditDialog({ database, fields, ids, count, onClose }: EditDialogProps) {
  const [typedEdit, setTypedEdit] = useState<TypedEdit>({ field: '', typed: { kind: 'text', text: '' } });
  const work = useEditWork(database, ids, onClose);
  const { preview, progress, failure } = work;
  const form = useId();
  const read = readEdit(typedEdit, fields);
  const canLook = read.edit !== undefined && progress === undefined;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Edit ${documentsText(count)}`}
      description="Set or remove one field of the selected documents. You see a preview before anything changes."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {preview === undefined ? (
            <Button type="submit" form={form} tone="primary" disabled={!canLook}>
              Preview
            </Button>
          ) : (
            <ApplyButton {...{ preview, progress }} onClick={() => read.edit && void work.apply(read.edit)} />
          )}
        </>
      }
    >
      <EditForm
        {...{ form, fields, typedEdit }}
        problem={read.problem}
        onTyped={(next) => {
          setTypedEdit(next);
          work.forget();
        }}
        onSubmit={() => read.edit && void work.look(read.edit)}
      />
      {progress !== undefined && (
        <div className="mt-3">
          <Progress label={progress.label} done={progress.done} of={count} onCancel={work.stop} />
        </div>
      )}
      {failure !== undefined && (
        <div className="mt-3">
          <ErrorPanel message={failure} />
        </div>
      )}
      {preview !== undefined && read.edit !== undefined && <Preview preview={preview} edit={read.edit} />}
    </Dialog>
  );
}

interface TypedEdit {
  readonly field: string;
  readonly typed: TypedText;
}

/** Returns the typed edit, or why the input is invalid; neither while the field has no name. */
function readEdit(
  { field, typed }: TypedEdit,
  fields: readonly string[],
): { readonly edit?: FieldEdit; readonly problem?: string } {
  const parsed = parseTyped(typed);
  // Existing field names are used exactly, including spaces.
  const name = fields.includes(field) ? field : field.trim();
  if (name !== '' && !isFieldFree(name)) return { problem: `${fieldLabel(name)} can’t be changed here.` };
  if (parsed.problem !== undefined) return { problem: parsed.problem };
  return name === '' ? {} : { edit: { field: name, value: parsed.value } };
}

function EditForm(props: {
  form: string;
  fields: readonly string[];
  typedEdit: TypedEdit;
  problem: string | undefined;
  onTyped: (next: TypedEdit) => void;
  onSubmit: () => void;
}) {
  const { form, fields, typedEdit, problem, onTyped, onSubmit } = props;
  return (
    <form
      id={form}
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <TextField
        label="Field"
        autoFocus
        autoComplete="off"
        spellCheck={false}
        list={`${form}-fields`}
        value={typedEdit.field}
        onChange={({ target }) => onTyped({ ...typedEdit, field: target.value })}
      />
      <datalist id={`${form}-fields`}>
        {fields.filter(isFieldFree).map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <div className="flex flex-wrap items-center gap-2">
        <span className="w-full text-sm font-medium">New value</span>
        <ValueInput
          label="new value"
          typed={typedEdit.typed}
          onTyped={(typed) => onTyped({ ...typedEdit, typed })}
          kinds={KINDS}
        />
      </div>
      {problem !== undefined && <p className="text-sm text-conflict">{problem}</p>}
    </form>
  );
}

function ApplyButton(props: Pick<EditWork, 'progress'> & { preview: EditPreview; onClick: () => void }) {
  const { preview, progress, onClick } = props;
  const changing = preview.changed + preview.added;
  return (
    <Button tone="primary" disabled={changing === 0 || progress !== undefined} onClick={onClick}>
      {`Change ${documentsText(changing)}`}
    </Button>
  );
}

function Preview({ preview, edit }: { preview: EditPreview; edit: FieldEdit }) {
  const { looked, changed, added, same, samples } = preview;
  const number = (documents: number) => documents.toLocaleString('en');
  const parts = [
    changed > 0 &&
      (edit.value === undefined
        ? `${number(changed)} will lose the field`
        : `${number(changed)} will get a new value`),
    added > 0 && `${number(added)} will get the field`,
    same > 0 && `${number(same)} won’t change`,
  ].filter(Boolean);
  return (
    <div className="mt-4 flex flex-col gap-2 text-sm">
      <p role="status">
        Of {number(looked)} {looked === 1 ? 'document' : 'documents'}: {parts.join(', ') || 'none'}.
      </p>
      {samples.length > 0 && (
        <ul
          aria-label="First changes"
          className="flex flex-col divide-y divide-line rounded-md border border-line"
        >
          {samples.map(({ id, before }) => (
            <li key={id} className="px-3 py-1.5 text-xs">
              <code className="block truncate font-mono text-ink-3">{shownId(id)}</code>
              <span className="break-all">{valueText(before)}</span> <span aria-hidden>→</span>
              <span className="sr-only"> becomes </span>{' '}
              <span className="font-medium break-all">{valueText(edit.value)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const SHOWN_CHARS = 60;

function valueText(value: unknown): string {
  if (value === undefined) return '(no field)';
  const text = typeof value === 'string' ? JSON.stringify(value) : cellText(value);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}

interface EditWork {
  readonly preview: EditPreview | undefined;
  readonly progress: { readonly label: string; readonly done: number } | undefined;
  readonly failure: string | undefined;
  look(edit: FieldEdit): Promise<void>;
  apply(edit: FieldEdit): Promise<void>;
  /** Clears a preview that no longer matches the edit. */
  forget(): void;
  stop(): void;
}

const LOOKING = 'Reading';

function useEditWork(database: BridgedDatabase, ids: Ids, onDone: () => void): EditWork {
  const [preview, setPreview] = useState<EditPreview>();
  const [progress, setProgress] = useState<EditWork['progress']>();
  const [failure, setFailure] = useState<string>();
  const toast = useToast();
  const ending = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => ending.current?.abort(), []);

  const run = async (label: string, work: (options: Parameters<typeof previewEdit>[3]) => Promise<void>) => {
    ending.current?.abort();
    const controller = new AbortController();
    ending.current = controller;
    const { signal } = controller;
    setFailure(undefined);
    setProgress({ label, done: 0 });
    try {
      await work({ signal, onProgress: (done) => !signal.aborted && setProgress({ label, done }) });
    } catch (error) {
      if (!signal.aborted) setFailure(failureText(error));
    } finally {
      if (ending.current === controller) setProgress(undefined);
    }
  };
  const stop = () => {
    ending.current?.abort();
    setProgress(undefined);
  };
  return {
    preview,
    progress,
    failure,
    look: (edit) =>
      run(LOOKING, async (options) => {
        const found = await previewEdit(database, ids, edit, options);
        if (!options.signal.aborted) setPreview(found);
      }),
    apply: (edit) =>
      run('Changing', async (options) => {
        const { edited, conflicts, parts, error } = await untilStored(
          editDocuments(database, ids, edit, options),
        );
        const verb = edit.value === undefined ? 'Removed' : 'Changed';
        const label = `${verb} ${fieldLabel(edit.field)} in ${documentsText(edited)}`;
        if (edited > 0) recordStep(database, writtenStep(database, label, parts));
        if (conflicts > 0) toast(conflictsText(conflicts));
        if (error !== undefined && edited > 0)
          throw new Error(`${label}, but not in the rest: ${failureText(error)}`, { cause: error });
        if (error !== undefined) throw error;
        if (!options.signal.aborted) onDone();
      }),
    forget: () => {
      setPreview(undefined);
      // The running preview belongs to the previous edit.
      if (progress?.label === LOOKING) stop();
    },
    stop,
  };
}
