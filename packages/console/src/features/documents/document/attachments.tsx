import type { Database, Stored, StoredFile } from 'fixpoint';
import { Download, File as FileIcon, Paperclip, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { untilStored } from '../../../leaving/ask-before-leaving.ts';
import { useCanWrite } from '../../../local/can-write.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { useTask } from '../../../ui/overlays/use-task.ts';
import { failureText } from '../../../ui/text/failure-text.ts';
import { recordStep } from '../../../undo/undo-stack.ts';
import { fieldChange, type WrittenPart, writtenStep } from '../../../undo/written-step.ts';
import { bytesText } from '../../../values/bytes-text.ts';
import { saveFile } from '../../transfer/save-file.ts';
import { inTurn } from '../values/in-turn.ts';
import {
  type Attachment,
  attachmentsOf,
  FILE_FIELDS,
  pictureUrl,
  previewKind,
  withFiles,
  withoutFile,
} from './attached-files.ts';

export interface AttachmentsProps {
  readonly database: Database;
  readonly id: string;
  /** The document as stored. */
  readonly stored: Readonly<Record<string, unknown>> | undefined;
  /** Whether the text has unsaved changes. */
  readonly isEdited: boolean;
}

/** Shows a document's files, which users can preview, download, add and remove. */
export function Attachments({ database, id, stored, isEdited }: AttachmentsProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const { isBusy, run } = useTask();
  const files = attachmentsOf(stored);
  const canWrite = useCanWrite();

  /** Changes the files and records this for Undo, or shows why that isn't possible. */
  const change = (how: (doc: Stored) => Stored, label: string, failed: string) =>
    run(failed, async () => {
      const part = await untilStored(inTurn(database, id, () => changeFiles(database, id, how)));
      recordStep(database, writtenStep(database, label, [part]));
    });
  const add = async (chosen: FileList | null) => {
    if (chosen === null || chosen.length === 0) return;
    const added = [...chosen];
    const label = `Added ${added.length === 1 ? added[0]?.name : `${added.length} files`}`;
    await change((doc) => withFiles(doc, added), label, 'Couldn’t add the file');
    if (chooser.current !== null) chooser.current.value = '';
  };
  const remove = (file: Attachment) =>
    change((doc) => withoutFile(doc, file), `Removed ${file.name}`, 'Couldn’t remove the file');
  if (!canWrite && files.length === 0) return null;
  return (
    <section aria-label="Files" className="@container flex flex-col gap-2 px-3.5 py-2.5">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="mr-auto text-xs font-semibold">
          Files <span className="font-normal text-ink-3">{files.length > 0 && files.length}</span>
        </h2>
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          aria-label="Files to add"
          onChange={({ target }) => void add(target.files)}
        />
        {canWrite && (
          <Button
            size="sm"
            disabled={isBusy || isEdited}
            title={isEdited ? 'Save the document first' : undefined}
            onClick={() => chooser.current?.click()}
          >
            <Paperclip size={13} aria-hidden /> Add files
          </Button>
        )}
      </div>
      {files.length > 0 && (
        <ul className="grid gap-3 @md:grid-cols-2 @2xl:grid-cols-3">
          {files.map((file) => (
            <FileCard
              key={`${file.field} ${file.name}`}
              file={file}
              canRemove={canWrite && !isBusy && !isEdited}
              onRemove={() => void remove(file)}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

/**
 * Returns what was written.
 * @throws FixpointError; an Error with a text for users if the document has a conflict
 */
async function changeFiles(
  database: Database,
  id: string,
  how: (doc: Stored) => Stored,
): Promise<WrittenPart> {
  const { before, after } = await database.transact(async (transaction) => {
    const doc = await transaction.get(id);
    if ((await database.conflicts(id)) !== undefined)
      throw new Error('this document has a conflict. Choose a version or merge them first.');
    transaction.put(how(doc));
    // An added file gets its stored entry only by the write.
    return { before: doc, after: await transaction.get(id) };
  });
  const cells = FILE_FIELDS.map((field) => ({ field, before: before[field], after: after[field] }));
  return { kept: [fieldChange(id, cells)] };
}

function FileCard(props: { file: Attachment; canRemove: boolean; onRemove: () => void }) {
  const { file, canRemove, onRemove } = props;
  const { name, entry } = file;
  const toast = useToast();
  const save = async () => {
    try {
      saveFile(name, await entry.file());
    } catch (error) {
      toast(`Couldn’t read ${name}: ${failureText(error)}`, { tone: 'error' });
    }
  };
  return (
    <li className="flex flex-col overflow-hidden rounded-lg border border-line bg-surface shadow-1">
      <Preview name={name} entry={entry} />
      <div className="flex items-center gap-1 border-t border-line py-1.5 pr-1.5 pl-3">
        <div className="min-w-0 grow">
          <p className="truncate text-sm font-medium" title={name}>
            {name}
          </p>
          <p className="truncate text-xs text-ink-3">
            {entry.type || 'unknown type'} · {bytesText(entry.size)}
          </p>
        </div>
        <IconButton label={`Download ${name}`} onClick={() => void save()}>
          <Download size={14} aria-hidden />
        </IconButton>
        <IconButton label={`Remove ${name}`} disabled={!canRemove} onClick={onRemove}>
          <Trash2 size={14} aria-hidden />
        </IconButton>
      </div>
    </li>
  );
}

const TEXT_CHARS = 600;

/** Previews images, and the beginning of texts; never executes any part of a file. */
function Preview({ name, entry }: { name: string; entry: StoredFile }) {
  const [seen, setSeen] = useState<{ url?: string; text?: string; why?: string }>({});
  const kind = previewKind(entry);
  useEffect(() => {
    if (kind === 'none') return undefined;
    let url: string | undefined;
    let isOver = false;
    const load = async () => {
      try {
        const file = await entry.file();
        if (isOver) return;
        if (kind === 'text') {
          const text = await file.slice(0, TEXT_CHARS * 4).text();
          if (!isOver) setSeen({ text: text.slice(0, TEXT_CHARS) });
        } else {
          const own = await pictureUrl(file);
          if (isOver) return URL.revokeObjectURL(own);
          url = own;
          setSeen({ url });
        }
      } catch (error) {
        if (!isOver) setSeen({ why: failureText(error) });
      }
    };
    void load();
    return () => {
      isOver = true;
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [entry, kind]);
  return (
    <div className="grid h-32 place-items-center overflow-hidden bg-hover">
      {seen.url !== undefined && <img src={seen.url} alt={name} className="size-full object-contain" />}
      {seen.text !== undefined && (
        <pre className="size-full overflow-hidden p-2.5 font-mono text-[0.6875rem] leading-4 whitespace-pre-wrap text-ink-3">
          {seen.text}
        </pre>
      )}
      {seen.why !== undefined && <p className="p-3 text-center text-xs text-conflict">{seen.why}</p>}
      {kind === 'none' && <FileIcon size={28} aria-hidden className="text-ink-3" />}
    </div>
  );
}
