import type { BridgedDatabase } from 'fixpoint/bridge';
import { type ReactNode, useRef, useState } from 'react';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { Progress } from '../../ui/progress.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import type { Ids } from './document-ids.ts';
import { exportText } from './export-documents.ts';
import { type Format, mediaType } from './formats.ts';
import { fileOf, saveFile } from './save-file.ts';

export interface Export {
  /** Starts an export of the documents with these ids; without ids, of all documents. */
  start(format: Format, ids: Ids | undefined): void;
  /** Whether CSV is written so that spreadsheets execute no cell as a formula. */
  readonly isSafe: boolean;
  setSafe(isSafe: boolean): void;
  /** Shows the progress. */
  readonly dialog: ReactNode;
}

/** Exports documents to a file that the browser saves. */
export function useExport(database: BridgedDatabase): Export {
  const toast = useToast();
  const [done, setDone] = useState<number | undefined>();
  const [isSafe, setSafe] = useState(true);
  const ending = useRef<AbortController | undefined>(undefined);

  const run = async (format: Format, ids: Ids | undefined) => {
    ending.current?.abort();
    const controller = new AbortController();
    ending.current = controller;
    const { signal } = controller;
    let documents = 0;
    const onProgress = (count: number) => {
      documents = count;
      setDone(count);
    };
    setDone(0);
    try {
      const text = exportText(database, format, ids, { signal, onProgress, isSafe });
      const file = await fileOf(text, mediaType(format));
      saveFile(`${database.name.replace(/[^\w.-]+/g, '_')}.${format}`, file);
      toast(`Exported ${documents.toLocaleString('en')} ${documents === 1 ? 'document' : 'documents'}.`);
    } catch (error) {
      if (!signal.aborted) toast(`Couldn’t export the documents: ${failureText(error)}`, { tone: 'error' });
    } finally {
      if (ending.current === controller) setDone(undefined);
    }
  };
  return {
    start: (format, ids) => void run(format, ids),
    isSafe,
    setSafe,
    dialog: done !== undefined && (
      <div className="fixed inset-x-4 bottom-4 z-40 flex justify-center">
        <Progress label="Exporting" done={done} onCancel={() => ending.current?.abort()} />
      </div>
    ),
  };
}
