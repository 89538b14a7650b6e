import type { Database } from 'fixpoint';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/forms/form.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { ErrorPanel } from '../../ui/pages/feedback.tsx';
import { Progress } from '../../ui/progress.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { formatOfName } from './formats.ts';
import { type Problem, readImport } from './read-import.ts';
import { type ImportPlan, planImport, writeImport } from './write-import.ts';

interface Checked {
  readonly plan: ImportPlan;
  readonly problems: readonly Problem[];
  readonly file: File;
  readonly safeCells: number;
  readonly isSafe: boolean;
}

type Step =
  | { readonly step: 'choose'; readonly error?: string }
  | { readonly step: 'reading'; readonly name: string }
  | ({ readonly step: 'check' } & Checked)
  | { readonly step: 'writing'; readonly done: number; readonly of: number };

const PROBLEMS_SHOWN = 5;

/** Opens a file, shows the changes that its import would make, and imports it. */
export function ImportDialog({ database, onClose }: ImportDialogProps) {
  const { now, chooseAgain, read, write, cancel } = useImport(database, onClose);
  const [replace, setReplace] = useState(false);
  return (
    <Dialog
      open
      onClose={cancel}
      title="Import documents"
      description="Choose a JSON, NDJSON or CSV file. NDJSON and CSV have one document per line; the first line of a CSV file contains the field names."
      actions={
        <>
          <Button onClick={cancel}>Cancel</Button>
          {now.step === 'check' && (
            <NextButton plan={now.plan} {...{ replace, chooseAgain }} onImport={(docs) => void write(docs)} />
          )}
        </>
      }
    >
      {now.step === 'choose' && <ChooseFile error={now.error} onFile={(file) => void read(file)} />}
      {now.step === 'reading' && (
        <p role="status" className="text-sm text-ink-3">
          Reading {now.name}...
        </p>
      )}
      {now.step === 'check' && (
        <Check
          checked={now}
          replace={replace}
          setReplace={setReplace}
          setSafe={(isSafe) => void read(now.file, isSafe)}
        />
      )}
      {now.step === 'writing' && <Progress label="Importing" done={now.done} of={now.of} />}
    </Dialog>
  );
}

interface ImportDialogProps {
  readonly database: Database;
  readonly onClose: () => void;
}

/** Runs the steps of an import; closing the dialog aborts them. */
function useImport(database: Database, onClose: () => void) {
  const [now, setNow] = useState<Step>({ step: 'choose' });
  const ending = useRef(new AbortController());
  const toast = useToast();
  useEffect(() => () => ending.current.abort(), []);

  const read = async (file: File, isSafe = true) => {
    const { signal } = ending.current;
    setNow({ step: 'reading', name: file.name });
    try {
      const options = { signal, isSafe };
      const { docs, problems, safeCells } = await readImport(file, formatOfName(file.name), options);
      const plan = await planImport(database, docs, signal);
      setNow({ step: 'check', plan, problems, file, safeCells, isSafe });
    } catch (error) {
      if (!signal.aborted) setNow({ step: 'choose', error: failureText(error) });
    }
  };
  const write = async (docs: ImportPlan['fresh']) => {
    const { signal } = ending.current;
    const onProgress = (done: number) => setNow({ step: 'writing', done, of: docs.length });
    onProgress(0);
    try {
      const written = await writeImport(database, docs, { signal, onProgress });
      const rest = docs.length - written;
      const left = rest > 0 ? ` ${count(rest, 'was', 'were')} not imported.` : '';
      toast(`Imported ${count(written, 'document', 'documents')}.${left}`);
      if (!signal.aborted) onClose();
    } catch (error) {
      setNow({ step: 'choose', error: failureText(error) });
    }
  };
  const cancel = () => {
    ending.current.abort();
    onClose();
  };
  return { now, chooseAgain: () => setNow({ step: 'choose' }), read, write, cancel };
}

/** Imports the checked documents. If the file has none, lets the user choose another file. */
function NextButton(props: {
  plan: ImportPlan;
  replace: boolean;
  chooseAgain: () => void;
  onImport: (docs: ImportPlan['fresh']) => void;
}) {
  const { plan, replace, chooseAgain, onImport } = props;
  if (isNothing(plan))
    return (
      <Button tone="primary" onClick={chooseAgain}>
        Choose another file
      </Button>
    );
  const docs = replace ? [...plan.fresh, ...plan.known] : plan.fresh;
  return (
    <Button tone="primary" disabled={docs.length === 0} onClick={() => onImport(docs)}>
      {`Import ${count(docs.length, 'document', 'documents')}`}
    </Button>
  );
}

function ChooseFile({ error, onFile }: { error: string | undefined; onFile: (file: File) => void }) {
  return (
    <div className="flex flex-col gap-3">
      {error !== undefined && <ErrorPanel message={error} />}
      <input
        type="file"
        aria-label="File to import"
        accept=".json,.ndjson,.jsonl,.csv,application/json,text/csv"
        className="w-full cursor-pointer rounded-md border border-dashed border-line-strong p-4 text-sm text-ink-3 file:mr-3 file:cursor-pointer file:rounded-md file:border file:border-solid file:border-line-strong file:bg-surface file:px-3 file:py-1.5 file:font-medium file:text-ink"
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file !== undefined) onFile(file);
        }}
      />
    </div>
  );
}

/** Shows what the import would change, before any write. */
function Check(props: {
  checked: Checked;
  replace: boolean;
  setReplace: (replace: boolean) => void;
  setSafe: (isSafe: boolean) => void;
}) {
  const { replace, setReplace, setSafe } = props;
  const { plan, problems, safeCells, isSafe } = props.checked;
  const { fresh, known } = plan;
  return (
    <div role="status" className="flex flex-col gap-3 text-sm">
      <p>
        {isNothing(plan)
          ? 'This file contains no documents.'
          : `${count(fresh.length, 'new document', 'new documents')}.`}
      </p>
      {known.length > 0 && (
        <Checkbox
          label={`Replace ${count(known.length, 'document that already exists', 'documents that already exist')}`}
          checked={replace}
          onChange={(event) => setReplace(event.target.checked)}
        />
      )}
      {safeCells > 0 && (
        <Checkbox
          label={`Remove the apostrophe before = + - @ in ${count(safeCells, 'cell', 'cells')} (the file was exported as safe for spreadsheets)`}
          checked={isSafe}
          onChange={(event) => setSafe(event.target.checked)}
        />
      )}
      {problems.length > 0 && (
        <div className="rounded-md border border-conflict-line bg-conflict-soft p-3 text-conflict">
          <p className="font-medium">
            {count(
              problems.length,
              'part of the file isn’t a document',
              'parts of the file aren’t documents',
            )}{' '}
            and won’t be imported:
          </p>
          <ul className="mt-1 list-disc pl-5">
            {problems.slice(0, PROBLEMS_SHOWN).map(({ at, why }) => (
              <li key={at} className="break-words">
                {at}: {why}
              </li>
            ))}
            {problems.length > PROBLEMS_SHOWN && <li>and more</li>}
          </ul>
        </div>
      )}
    </div>
  );
}

const isNothing = ({ fresh, known }: ImportPlan): boolean => fresh.length === 0 && known.length === 0;

const count = (number: number, one: string, many: string): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
