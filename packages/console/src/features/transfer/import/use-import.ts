import type { Database } from 'fixpoint';
import { useCallback, useEffect, useRef, useState } from 'react';
import { untilStored } from '../../../leaving/ask-before-leaving.ts';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { conflictsText } from '../../../undo/open-conflicts.ts';
import { recordStep } from '../../../undo/undo-stack.ts';
import { type Check, type CheckedFile, checkImport, countFates, type PlannedFile } from './check-import.ts';
import { rememberFields } from './field-order.ts';
import type { FileChoices } from './import-file.ts';
import { type NewIds, newIds } from './new-ids.ts';
import { type Choices, SUGGESTED } from './problems.ts';
import { importedText, writeImport } from './write-import.ts';

interface ReadProgress {
  readonly file: string;
  readonly bytes: number;
  readonly of: number;
}

export interface WriteProgress {
  readonly done: number;
  readonly of: number;
  /** When the import started, in milliseconds of the page's clock. */
  readonly since: number;
}

export interface Import {
  readonly planned: readonly PlannedFile[];
  readonly choices: Choices;
  /** The latest check. It stays while the files are read again. */
  readonly check: Check | undefined;
  readonly reading: ReadProgress | undefined;
  readonly writing: WriteProgress | undefined;
  readonly error: string | undefined;
  addFiles(files: readonly File[]): void;
  removeFile(at: number): void;
  /** Changes how a file is read, and reads it again. */
  changeFile(at: number, more: FileChoices): void;
  choose(more: Partial<Choices>): void;
  write(): void;
  /** Stops reading or writing, and closes. */
  cancel(): void;
}

/** Milliseconds between two updates of the page while a file is read. */
const UPDATE_MS = 100;

/** Runs an import. When its component unmounts, reading and writing stop. */
export function useImport(database: Database, files: readonly File[], onClose: () => void): Import {
  const [ids] = useState(() => newIds(Date.now()));
  const numbers = useRef(0);
  const planOf = (file: File): PlannedFile => ({ file, number: numbers.current++, chosen: {} });
  const [planned, setPlanned] = useState<readonly PlannedFile[]>(() => files.map(planOf));
  const [areWritten, setWritten] = useState(false);
  const [choices, setChoices] = useState<Choices>(SUGGESTED);
  const [writing, setWriting] = useState<WriteProgress | undefined>();
  const [failed, setFailed] = useState<string | undefined>();
  const ending = useRef(new AbortController());
  const toast = useToast();
  useEffect(() => {
    ending.current = new AbortController();
    return () => ending.current.abort();
  }, []);
  const { check, reading, error } = useCheck(database, planned, choices, { idOf: ids, areWritten });

  const write = async (checked: Check) => {
    const { signal } = ending.current;
    const { added, replaced } = countFates(checked, choices);
    const of = added + replaced;
    const since = performance.now();
    setFailed(undefined);
    setWriting({ done: 0, of, since });
    const onProgress = (done: number) => setWriting({ done, of, since });
    rememberFields(database.name, checked.files.flatMap(fieldsIn));
    const imported = await untilStored(writeImport(database, checked, choices, { signal, onProgress }));
    const { documents, conflicts, step, error: cause } = imported;
    setWriting(undefined);
    // Screen readers announce the step only if no dialog covers it.
    if (cause === undefined && !signal.aborted) onClose();
    if (step !== undefined) recordStep(database, step);
    else if (documents > 0) toast(`${importedText(documents, of)}. The import is too large to undo.`);
    if (conflicts > 0) toast(conflictsText(conflicts));
    if (cause === undefined) return;
    const reason = failureText(cause);
    const wasWritten = documents > 0;
    setFailed(wasWritten ? `${importedText(documents, of)}, but not the rest: ${reason}` : reason);
    // Some documents may exist now, so the files are compared with the database again.
    setWritten(true);
    setPlanned((now) => [...now]);
  };
  return {
    planned,
    choices,
    check,
    reading,
    writing,
    error: failed ?? error,
    addFiles: (more) => {
      const plans = more.map(planOf);
      setPlanned((now) => [...now, ...plans]);
    },
    removeFile: (at) => setPlanned((now) => now.filter((_, index) => index !== at)),
    changeFile: (at, more) => {
      // The rows that an earlier attempt wrote may be other rows now.
      const number = areWritten && changesRows(more) ? numbers.current++ : undefined;
      setPlanned((now) =>
        now.map((one, index) =>
          index === at ? { ...one, number: number ?? one.number, chosen: { ...one.chosen, ...more } } : one,
        ),
      );
    },
    choose: (more) => setChoices((now) => ({ ...now, ...more })),
    write: () => {
      if (check !== undefined) void write(check);
    },
    cancel: () => {
      ending.current.abort();
      onClose();
    },
  };
}

/** Returns the fields of a file in their order. In CSV, the first row can lack some. */
const fieldsIn = ({ facts, fields }: CheckedFile): readonly string[] =>
  facts.kind === 'csv' ? facts.fields : fields.map(({ field }) => field);

/** Whether a choice changes which rows a file has, rather than their values. */
const changesRows = ({ types, idField, keepsApostrophes, ...others }: FileChoices): boolean =>
  Object.keys(others).length > 0;

/** Reads the files whenever something changes that the answer depends on. */
function useCheck(database: Database, planned: readonly PlannedFile[], choices: Choices, newIdsOf: NewIds) {
  const [check, setCheck] = useState<Check | undefined>();
  const [reading, setReading] = useState<ReadProgress | undefined>();
  const [error, setError] = useState<string | undefined>();
  const latest = useRef({ choices, newIds: newIdsOf });
  latest.current = { choices, newIds: newIdsOf };
  const { id: idChoice } = choices;
  const run = useCallback(
    async (signal: AbortSignal, id: string) => {
      let updated = Number.NEGATIVE_INFINITY;
      const onProgress = (progress: ReadProgress) => {
        const now = performance.now();
        if (now - updated < UPDATE_MS || signal.aborted) return;
        updated = now;
        setReading(progress);
      };
      try {
        const checked = await checkImport(database, planned, {
          signal,
          choices: { ...latest.current.choices, id },
          newIds: latest.current.newIds,
          onProgress,
        });
        if (!signal.aborted) setCheck(checked);
      } catch (cause) {
        if (signal.aborted) return;
        setCheck(undefined);
        setError(failureText(cause));
      }
      if (!signal.aborted) setReading(undefined);
    },
    [database, planned],
  );
  useEffect(() => {
    setError(undefined);
    const [first] = planned;
    if (first === undefined) {
      setCheck(undefined);
      setReading(undefined);
      return undefined;
    }
    const ending = new AbortController();
    setReading({ file: first.file.name, bytes: 0, of: first.file.size });
    void run(ending.signal, idChoice);
    return () => ending.abort();
  }, [planned, idChoice, run]);
  return { check, reading, error };
}

export const count = (number: number, one: string, many: string): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
