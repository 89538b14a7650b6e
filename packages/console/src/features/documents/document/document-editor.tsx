import type { BridgedDatabase } from 'fixpoint/bridge';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { warnWhile } from '../../../leaving/ask-before-leaving.ts';
import { isLedToLogin } from '../../../leaving/led-to-login.ts';
import { useVisit } from '../../../leaving/visit.ts';
import { useCanWrite, useReadOnlyText } from '../../../local/can-write.ts';
import { documentPath } from '../../../local/document-path.ts';
import { Button, LinkButton } from '../../../ui/button.tsx';
import { reportFailure } from '../../../ui/overlays/report-failure.ts';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { usePageAction } from '../../../ui/page-actions.ts';
import { EmptyState, ErrorPanel, NotFound, Skeleton } from '../../../ui/pages/feedback.tsx';
import { InSlot } from '../../../ui/pages/page-slots.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { useIsNarrow } from '../../../ui/use-is-narrow.ts';
import { recordStep } from '../../../undo/undo-stack.ts';
import { writtenStep } from '../../../undo/written-step.ts';
import type { Fields } from '../../../values/document-fields.ts';
import { titleOfDocument } from '../../../values/document-title.ts';
import { shownId } from '../../../values/shown-id.ts';
import { truncate } from '../../../values/truncate.ts';
import type { People } from '../../../values/who-wrote.ts';
import { SideBySide } from '../../diff/side-by-side.tsx';
import { useIsUnsent } from '../../history/commits/use-unsent.ts';
import { ConflictPanel } from '../../history/conflicts/conflict-panel.tsx';
import { DocumentHistory } from '../../history/versions/document-history.tsx';
import { NeighbourLinks } from '../place/neighbour-links.tsx';
import { AS_IT_WAS, readView } from '../place/table-view.ts';
import { Attachments } from './attachments.tsx';
import { DocumentBody } from './document-body.tsx';
import {
  afterSave,
  canSave,
  type Draft,
  isEdited,
  keepText,
  takeMerged,
  takeStored,
  underneath,
} from './draft.ts';
import { canKeep } from './kept-text.ts';
import type { LiveDraft } from './live-draft.ts';
import { MergeView } from './merge-view.tsx';
import { saveDraft } from './save-draft.ts';
import { useDraft } from './use-draft.ts';
import { useKeptText } from './use-kept-text.ts';

export interface DocumentEditorProps {
  readonly database: BridgedDatabase;
  /** Undefined creates a new document. */
  readonly documentId: string | undefined;
  /** The path of a document is this path plus the encoded id. */
  readonly basePath: string;
  /** Target of the button next to Save; the base path by default. */
  readonly backPath?: string;
  readonly backLabel?: 'Back' | 'Cancel';
  /** Whether a stored document has a Delete button. */
  readonly hasDelete?: boolean;
  /** How many changes wait to be sent to the database's ledger. Undefined without a ledger. */
  readonly toSend?: number | undefined;
  /** The people who have access to the ledger. */
  readonly people?: People | undefined;
  /** Called with the title of the stored document, whenever it changes. */
  readonly onTitle?: ((title: string) => void) | undefined;
}

/** Edits one document. Follows remote changes until the user types. */
export function DocumentEditor(props: DocumentEditorProps) {
  const { database, documentId, basePath, backPath = basePath } = props;
  const { state, live, nth } = useDraft(database, documentId);
  const canWrite = useCanWrite();
  const readOnlyText = useReadOnlyText('database');
  if (state.state === 'loading') return <Skeleton shape="editor" />;
  if (state.state === 'failed') return <ErrorPanel message={failureText(state.error)} />;
  if (state.state === 'missing')
    return (
      <NotFound
        isPage={false}
        text={
          <>
            No document has the id{' '}
            <code className="font-mono wrap-anywhere">{shownId(documentId ?? '')}</code>. The document may
            have been deleted, or not synced to this device yet. This page shows the document as soon as it
            arrives.
          </>
        }
      >
        <LinkButton to={backPath}>All documents</LinkButton>
      </NotFound>
    );
  if (documentId === undefined && !canWrite)
    return (
      <EmptyState text={readOnlyText}>
        <LinkButton to={backPath}>All documents</LinkButton>
      </EmptyState>
    );
  return <Editing key={nth} {...props} draft={state.draft} live={live} />;
}

interface EditingProps extends DocumentEditorProps {
  readonly draft: Draft;
  readonly live: LiveDraft;
}

function Editing({ draft, live, ...props }: EditingProps) {
  const { database, basePath, backPath = basePath, backLabel = 'Back', hasDelete = false } = props;
  const { toSend, people, onTitle } = props;
  const isUnsent = useIsUnsent(database, draft.id, toSend);
  const navigate = useNavigate();
  const { saving, failure, isMoving, save } = useSave(database, live, basePath);
  usePageAction('save', () => {
    void save();
    // Even with nothing to save, so that the browser doesn't offer to save the page.
    return true;
  });
  const wasKept = useKeptText(database, draft, live);
  const canWrite = useCanWrite();
  const readOnlyText = useReadOnlyText('document');
  const [isReviewing, setReviewing] = useState(false);
  const title = useMemo(() => titleOfDocument(draft.id, draft.stored), [draft.id, draft.stored]);
  useEffect(() => onTitle?.(title), [onTitle, title]);
  const review = canWrite ? reviewOf(draft) : undefined;
  useEffect(
    () =>
      warnWhile((to) => {
        const settled = live.settled();
        if (isMoving.current || settled === undefined || !isEdited(settled)) return false;
        return to === undefined || !isLedToLogin(to) || !canKeep(settled.text);
      }, LEAVE_TEXT),
    [live, isMoving],
  );
  return (
    <div className="flex flex-col gap-3">
      {draft.id !== undefined && <ConflictPanel {...{ database, people }} id={draft.id} />}
      <News draft={draft} live={live} />
      <DocumentBody {...{ database, draft, live, basePath, canWrite, people }} onSave={() => void save()} />
      {failure !== undefined && <ErrorPanel message={failure} />}
      <Actions>
        {draft.id !== undefined && <NeighbourLinks {...{ database, basePath }} id={draft.id} />}
        {review !== undefined && (
          <Button tone="quiet" aria-expanded={isReviewing} onClick={() => setReviewing(!isReviewing)}>
            {isReviewing ? 'Hide changes' : 'Review changes'}
          </Button>
        )}
        {hasDelete && canWrite && draft.id !== undefined && (
          <Button tone="quiet" onClick={() => window.alert(DELETE_TEXT)}>
            Delete
          </Button>
        )}
        <Button onClick={() => void navigate(backPath + tableSearch(database), { state: AS_IT_WAS })}>
          {backLabel}
        </Button>
        {canWrite && (
          <Button tone="primary" disabled={saving || !canSave(draft)} onClick={() => void save()}>
            Save
          </Button>
        )}
      </Actions>
      <p role="status" className="min-w-0 text-xs break-words text-ink-3">
        {!canWrite
          ? readOnlyText
          : saving
            ? 'Saving...'
            : `${wasKept ? 'Your unsaved text was restored. ' : ''}${statusOf(draft, isUnsent)}`}
      </p>
      {review !== undefined && isReviewing && (
        <SideBySide {...review} beforeLabel="Stored" afterLabel="After saving" />
      )}
      {draft.id !== undefined && (
        <>
          <Attachments database={database} id={draft.id} stored={draft.files} isEdited={isEdited(draft)} />
          <DocumentHistory {...{ database, toSend, people }} id={draft.id} />
        </>
      )}
    </div>
  );
}

/** Renders actions in the title line; on a phone, at the bottom, within reach of the thumb. */
function Actions({ children }: { children: ReactNode }) {
  return useIsNarrow() ? (
    <div className="thumb-bar order-last -mx-4 -mb-4 flex items-center justify-end gap-2 border-t border-line bg-surface px-4 py-2 [&>button]:min-w-0 [&>button:last-child]:grow">
      {children}
    </div>
  ) : (
    <InSlot name="actions">{children}</InSlot>
  );
}

/** Returns the filter and order of the table as the user left it. */
const tableSearch = ({ name }: BridgedDatabase): string => readView(name)?.search ?? '';

/**
 * Returns the changes that Save would store, without the _id; undefined when there is nothing to
 * compare.
 */
function reviewOf(draft: Draft): { readonly before: Fields; readonly after: Fields } | undefined {
  const { stored, parsed } = draft;
  if (stored === undefined || parsed.problem !== undefined || !isEdited(draft)) return undefined;
  const { _id: _, ...before } = stored;
  return { before, after: parsed.fields };
}

const ID_CHARS_MAX = 40;
const LEAVE_TEXT = 'You have unsaved changes. Leave without saving them?';

/**
 * The Delete button of this page deletes nothing. It shows this text, which says where to delete
 * the document.
 */
const DELETE_TEXT =
  'Are you sure you want to delete this document?\n\nNothing was deleted yet. To delete this document, use the button at the end of its row in the table of all documents.';

function statusOf(draft: Draft, isUnsent: boolean | undefined): string {
  if (!draft.editable)
    return 'This document contains values that JSON can’t express, so you can’t edit it here.';
  if (draft.parsed.problem !== undefined) return draft.parsed.problem;
  if (draft.id === undefined) return 'Not saved yet.';
  if (isEdited(draft)) return 'Unsaved changes.';
  const saved = 'Saved in this browser.';
  if (isUnsent === undefined) return saved;
  return `${saved} ${isUnsent ? 'Not sent yet: it exists only on this device.' : 'Sent to the cloud.'}`;
}

/** Says that the document was changed or deleted elsewhere, and lets the user choose a version. */
function News({ draft, live }: { draft: Draft; live: LiveDraft }) {
  const what = underneath(draft);
  const [isMerging, setMerging] = useState(false);
  const { base, stored, parsed } = draft;
  if (what === undefined) return null;
  const canMerge = base !== undefined && stored !== undefined && parsed.problem === undefined;
  if (isMerging && canMerge)
    return (
      <MergeView
        base={base}
        mine={parsed.fields}
        theirs={stored}
        onMerge={(fields) => {
          setMerging(false);
          live.change((now) => takeMerged(now, fields));
        }}
        onCancel={() => setMerging(false)}
      />
    );
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 rounded-md border border-conflict-line bg-conflict-soft py-1.5 pr-1.5 pl-3 text-sm"
    >
      <p className="mr-auto">
        {what === 'changed'
          ? 'This document was changed elsewhere while you edited it. Saving overwrites those changes.'
          : 'This document was deleted elsewhere. Saving creates it again with your text.'}
      </p>
      {canMerge && (
        <Button tone="primary" onClick={() => setMerging(true)}>
          Merge...
        </Button>
      )}
      {what === 'changed' && <Button onClick={() => live.change(takeStored)}>Use the other version</Button>}
      <Button onClick={() => live.change(keepText)}>Keep my version</Button>
    </div>
  );
}

interface Save {
  readonly saving: boolean;
  readonly failure: string | undefined;
  /**
   * True while the page of a new document becomes the page of the saved document. The switch keeps
   * typed text, so the user isn't asked about unsaved changes.
   */
  readonly isMoving: { readonly current: boolean };
  save(): Promise<void>;
}

function useSave(database: BridgedDatabase, live: LiveDraft, basePath: string): Save {
  const [saving, setSaving] = useState(false);
  const [failure, setFailure] = useState<string | undefined>();
  const isMoving = useRef(false);
  const begin = useVisit();
  const toast = useToast();

  const save = async () => {
    const draft = live.settled();
    if (saving || draft === undefined || draft.parsed.problem !== undefined || !canSave(draft)) return;
    const visit = begin();
    setSaving(true);
    setFailure(undefined);
    try {
      const { fields } = draft.parsed;
      const { id, part, isNew } = await saveDraft(database, draft, fields);
      const label = `${isNew ? 'Created' : 'Saved'} document ${truncate(shownId(id), ID_CHARS_MAX)}`;
      recordStep(database, writtenStep(database, label, [part]));
      live.change((now) => afterSave(now, id, fields));
      if (draft.id !== undefined || visit.isOver()) return;
      isMoving.current = true;
      await visit.leadTo(documentPath(basePath, id), { replace: true });
    } catch (error) {
      const text = `Couldn’t save the document: ${failureText(error)}`;
      if (visit.isOver()) return toast(text, { tone: 'error' });
      reportFailure(text);
      setFailure(text);
    } finally {
      isMoving.current = false;
      setSaving(false);
    }
  };
  return { saving, failure, isMoving, save };
}
