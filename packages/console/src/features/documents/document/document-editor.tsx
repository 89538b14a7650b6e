import type { BridgedDatabase } from 'fixpoint/bridge';
import { useEffect, useMemo, useRef, useState } from 'react';
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
import { EmptyState, ErrorPanel, Skeleton } from '../../../ui/pages/feedback.tsx';
import { lazyComponent } from '../../../ui/pages/lazy-component.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { recordStep } from '../../../undo/undo-stack.ts';
import { writtenStep } from '../../../undo/written-step.ts';
import type { Fields } from '../../../values/document-fields.ts';
import { titleOfDocument } from '../../../values/document-title.ts';
import { shownId } from '../../../values/shown-id.ts';
import { truncate } from '../../../values/truncate.ts';
import type { People } from '../../../values/who-wrote.ts';
import { SideBySide } from '../../diff/side-by-side.tsx';
import { useIsUnsent } from '../../history/commits/use-unsent.ts';
import { Conflict } from '../../history/conflicts/conflict-panel.tsx';
import { MERGED, useConflict } from '../../history/conflicts/use-conflict.ts';
import { useKnownPeople } from '../../history/use-known-people.ts';
import { DocumentHistory } from '../../history/versions/document-history.tsx';
import { forgetKept, hasKept } from '../choices/use-kept.ts';
import { MERGE_TITLE, mergeOf, useConflictEnd, useIsMerging, useQuestion } from '../merge/merging.ts';
import { NeighbourLinks } from '../place/neighbour-links.tsx';
import { AS_IT_WAS, readView } from '../place/table-view.ts';
import { DocumentBody, useDocumentView } from './document-body.tsx';
import { DocumentNews } from './document-news.tsx';
import { afterNotSaved, afterSave, canSave, type Draft, isEdited } from './draft.ts';
import { canKeep } from './kept-text.ts';
import type { LiveDraft } from './live-draft.ts';
import { MissingDocument } from './missing-document.tsx';
import { saveDraft } from './save-draft.ts';
import { TitleActions } from './title-actions.tsx';
import { useDraft } from './use-draft.ts';
import { useKeptText } from './use-kept-text.ts';

const DocumentRail = lazyComponent(async () => (await import('./document-rail.tsx')).DocumentRail);
const DocumentMerge = lazyComponent(
  async () => (await import('../merge/document-merge.tsx')).DocumentMerge,
  () => <Skeleton shape="editor" />,
);

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
    return <MissingDocument {...{ database, backPath }} id={documentId ?? ''} people={props.people} />;
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
  const { database, basePath, backPath = basePath, toSend, onTitle } = props;
  const people = useKnownPeople(database, props.people);
  const isUnsent = useIsUnsent(database, draft.id, toSend);
  const [isMerging, setMerging] = useIsMerging();
  const { saving, failure, isMoving, save } = useSave(database, live, basePath, () => setMerging(true));
  const onSave = () => void save();
  usePageAction('save', () => {
    if (!isMerging) onSave();
    // Even with nothing to save, so that the browser doesn't offer to save the page.
    return true;
  });
  const wasKept = useKeptText(database, draft, live);
  const canWrite = useCanWrite();
  const readOnlyText = useReadOnlyText('document');
  const [isReviewing, setReviewing] = useState(false);
  const views = useDocumentView();
  const conflict = useConflict(database, draft.id);
  const possible = canWrite ? mergeOf(draft, conflict) : undefined;
  const merge = isMerging ? possible : undefined;
  useQuestion(!isMerging && possible?.what === 'versions', () => hasKept(live));
  useConflictEnd(live, isMerging, merge, conflict);
  const title = useMemo(() => titleOfDocument(draft.id, draft.stored), [draft.id, draft.stored]);
  const shownTitle = merge === undefined ? title : MERGE_TITLE;
  useEffect(() => onTitle?.(shownTitle), [onTitle, shownTitle]);
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
  if (merge !== undefined)
    return (
      <DocumentMerge
        {...{ database, draft, live, merge, people, basePath }}
        onDone={() => setMerging(false)}
      />
    );
  const status = !canWrite
    ? readOnlyText
    : saving
      ? 'Saving...'
      : `${wasKept ? 'Your unsaved text was restored. ' : ''}${statusOf(draft, isUnsent)}`;
  const { id } = draft;
  return (
    <div className={id === undefined ? 'flex flex-1 flex-col gap-3' : BESIDE}>
      <div className="flex min-w-0 flex-col gap-3 max-lg:contents">
        {id !== undefined && conflict !== undefined && (
          <Conflict {...{ database, people, id }} conflicts={conflict} mergePath={`?${MERGED}=`} />
        )}
        <DocumentNews draft={draft} live={live} onMerge={() => setMerging(true)} />
        <DocumentBody {...{ database, draft, live, basePath, canWrite, people, views, onSave }} />
        {failure !== undefined && <ErrorPanel message={failure} />}
        <Buttons {...props} {...{ draft, canWrite, isReviewing, setReviewing, saving, onSave }} />
        <p role="status" className="min-w-0 text-xs break-words text-ink-3">
          {status}
        </p>
        {review !== undefined && isReviewing && (
          <SideBySide {...review} beforeLabel="Stored" afterLabel="After saving" />
        )}
        {id !== undefined && <DocumentHistory {...{ database, toSend, people, id }} />}
      </div>
      {id !== undefined && <DocumentRail {...{ database, draft, basePath, people, id }} allPath={backPath} />}
    </div>
  );
}

const BESIDE = 'flex flex-1 flex-col gap-3 lg:grid lg:gap-4 lg:grid-cols-[minmax(0,1fr)_17.75rem]';

interface ButtonsProps extends DocumentEditorProps {
  readonly draft: Draft;
  readonly canWrite: boolean;
  readonly isReviewing: boolean;
  readonly setReviewing: (isReviewing: boolean) => void;
  readonly saving: boolean;
  readonly onSave: () => void;
}

function Buttons({ draft, canWrite, isReviewing, setReviewing, saving, onSave, ...props }: ButtonsProps) {
  const { database, basePath, backPath = basePath, backLabel = 'Back', hasDelete = false } = props;
  const navigate = useNavigate();
  const canReview = canWrite && reviewOf(draft) !== undefined;
  return (
    <TitleActions>
      {draft.id !== undefined && (
        // A phone has no room for these links beside the review, and they would leave the changes.
        <div className={canReview ? 'max-sm:hidden' : 'contents'}>
          <NeighbourLinks {...{ database, basePath }} id={draft.id} />
        </div>
      )}
      {canReview && (
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
        <Button tone="primary" disabled={saving || !canSave(draft)} onClick={onSave}>
          Save
        </Button>
      )}
    </TitleActions>
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
const NOT_SAVED = 'Somebody changed this document in the meantime, so your text isn’t saved';
const HAS_CONFLICT = 'This document has a conflict, so your text isn’t saved';
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

/** @param onMerge shows the merge with a document that somebody else changed */
function useSave(database: BridgedDatabase, live: LiveDraft, basePath: string, onMerge: () => void): Save {
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
      const done = await saveDraft(database, draft, fields);
      if ('now' in done) {
        const { conflict } = done;
        const why = conflict === undefined ? NOT_SAVED : HAS_CONFLICT;
        live.change((now) => afterNotSaved(now, done.now));
        if (visit.isOver()) return toast(`${why}.`, { tone: 'error' });
        const mayMerge = mergeOf(live.settled() ?? draft, conflict) !== undefined;
        const next = mayMerge ? 'Merge the versions' : 'Choose a version';
        toast(`${why} yet. ${next}, then save.`, { tone: 'warning' });
        return mayMerge ? onMerge() : undefined;
      }
      const { id, part, isNew } = done;
      const label = `${isNew ? 'Created' : 'Saved'} document ${truncate(shownId(id), ID_CHARS_MAX)}`;
      recordStep(database, writtenStep(database, label, [part]));
      live.change((now) => afterSave(now, id, fields, draft.stored));
      forgetKept(live);
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
