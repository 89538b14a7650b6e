import type { BridgedDatabase } from 'fixpoint/bridge';
import { Braces, ListTree, RectangleEllipsis, UserRoundPen } from 'lucide-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { Button } from '../../../ui/button.tsx';
import { usePageAction } from '../../../ui/page-actions.ts';
import { Skeleton } from '../../../ui/pages/feedback.tsx';
import { lazyComponent } from '../../../ui/pages/lazy-component.tsx';
import { InSlot } from '../../../ui/pages/page-slots.tsx';
import { CopyButton } from '../../../ui/text/copy-button.tsx';
import { useIsNarrow } from '../../../ui/use-is-narrow.ts';
import { shownId } from '../../../values/shown-id.ts';
import type { People } from '../../../values/who-wrote.ts';
import type { EditorRequest } from '../../editor/code-editor.tsx';
import { useFieldAuthors } from '../../history/versions/field-authors.ts';
import { type Draft, isEdited } from './draft.ts';
import { JsonText } from './json-text.tsx';
import type { LiveDraft } from './live-draft.ts';

const FieldsView = lazyComponent(
  async () => (await import('../fields/fields-view.tsx')).FieldsView,
  () => <Skeleton shape="editor" />,
);
const JsonProblemBar = lazyComponent(async () => (await import('./json-problem-bar.tsx')).JsonProblemBar);

export interface DocumentBodyProps {
  readonly database: BridgedDatabase;
  readonly draft: Draft;
  readonly live: LiveDraft;
  readonly basePath: string;
  readonly canWrite: boolean;
  readonly views: Views;
  readonly onSave: () => void;
  /** The people who have access to the ledger. */
  readonly people?: People | undefined;
}

type View = 'json' | 'tree' | 'form';
/** The shown view, and a function that shows another one. */
type Views = readonly [View, (view: View) => void];

const ICON = { size: 14, 'aria-hidden': true } as const;
const VIEWS = [
  { view: 'json', text: 'JSON', icon: <Braces {...ICON} /> },
  { view: 'tree', text: 'Tree', icon: <ListTree {...ICON} /> },
  { view: 'form', text: 'Form', icon: <RectangleEllipsis {...ICON} /> },
] as const;

/** Shows the draft of a document as JSON, tree or form. All of them edit the same draft. */
export function DocumentBody(props: DocumentBodyProps) {
  const { database, draft, live, basePath, canWrite, onSave, people } = props;
  const [view, setView] = props.views;
  const [hasAuthors, toggleAuthors] = useAuthorsChoice();
  const { id, stored, parsed } = draft;
  const edited = parsed.problem === undefined && isEdited(draft) ? parsed.fields : undefined;
  const authors = useFieldAuthors({ database, id, stored, edited, people, isOn: hasAuthors });
  const field = useSearchParams()[0].get('field') ?? undefined;
  const [request, setRequest] = useState<EditorRequest>();
  const canEdit = canWrite && draft.editable;
  return (
    <>
      <Metadata {...{ draft, view, hasAuthors, toggleAuthors }} onView={setView} />
      {view === 'json' ? (
        <>
          <JsonText
            {...{ draft, live, basePath, canEdit, field, authors, request }}
            onSave={canWrite ? onSave : undefined}
          />
          {canEdit && parsed.problem !== undefined && draft.text.trim() !== '' && (
            <JsonProblemBar text={draft.text} onRequest={setRequest} />
          )}
        </>
      ) : (
        <FieldsView {...{ view, database, draft, live, basePath, canWrite, field, authors, people }} />
      )}
    </>
  );
}

interface MetadataProps {
  readonly draft: Draft;
  readonly view: View;
  readonly onView: (view: View) => void;
  readonly hasAuthors: boolean;
  readonly toggleAuthors: () => void;
}

function Metadata({ draft, view, onView, hasAuthors, toggleAuthors }: MetadataProps) {
  const { id, text } = draft;
  const isNarrow = useIsNarrow();
  const views = <ViewButtons {...{ view, onView }} />;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 max-sm:gap-y-2">
      <dl className="flex min-w-0 items-center gap-x-3 text-sm max-sm:gap-x-2">
        <dt className="text-ink-3">_id</dt>
        <dd className="flex min-w-0 items-center gap-2">
          {id === undefined ? (
            <span className="text-ink-3">assigned when you save the document</span>
          ) : (
            <>
              <code className="font-mono text-xs wrap-anywhere">{shownId(id)}</code>
              <CopyButton text={id} label="Copy id" tone="quiet" size="sm" isShort />
            </>
          )}
        </dd>
      </dl>
      <div className="ml-auto flex flex-wrap items-center gap-2 max-sm:contents">
        {id !== undefined && (
          <Button
            tone="quiet"
            size="sm"
            aria-pressed={hasAuthors}
            className="aria-pressed:bg-history-soft aria-pressed:text-history"
            title="Show who changed each field (B)"
            onClick={toggleAuthors}
          >
            <UserRoundPen size={13} aria-hidden /> Authors
          </Button>
        )}
        <CopyButton text={text} label="Copy JSON" tone="quiet" size="sm" />
        {isNarrow ? views : <InSlot name="actions">{views}</InSlot>}
      </div>
    </div>
  );
}

function ViewButtons({ view, onView }: Pick<MetadataProps, 'view' | 'onView'>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a border and a legend
    <div role="group" aria-label="View" className="-order-1 flex rounded-md bg-pressed p-0.5 max-sm:w-full">
      {VIEWS.map(({ view: one, text: label, icon }) => (
        <button
          key={one}
          type="button"
          aria-pressed={view === one}
          className="flex h-6 pointer-coarse:min-h-8 cursor-pointer items-center justify-center gap-1.5 rounded px-2 text-xs font-medium text-ink-2 hover:text-ink aria-pressed:bg-surface aria-pressed:text-ink aria-pressed:shadow-1 max-sm:h-9 max-sm:flex-1 max-sm:text-sm tiny:px-1 tiny:[&>svg]:hidden dark:aria-pressed:bg-line-strong"
          onClick={() => onView(one)}
        >
          {icon} {label}
        </button>
      ))}
    </div>
  );
}

const AUTHORS_AS = 'fixpoint:document-authors';

/** Returns whether the authors of fields are shown, unless the user hid them in this browser. */
function useAuthorsChoice(): readonly [boolean, () => void] {
  const [isOn, setOn] = useState(() => readChoice(AUTHORS_AS) !== 'off');
  const toggle = () => {
    setOn(!isOn);
    keepChoice(AUTHORS_AS, isOn ? 'off' : 'on');
  };
  usePageAction('authors', () => {
    toggle();
    return true;
  });
  return [isOn, toggle];
}

const STORED_AS = 'fixpoint:document-view';

/**
 * Returns the view that the user chose last in this browser. It stays the same while the page of a
 * document is open, whatever another tab chooses.
 */
export function useDocumentView(): Views {
  const [view, set] = useState<View>(
    () => VIEWS.find((one) => one.view === readChoice(STORED_AS))?.view ?? 'json',
  );
  const choose = (next: View) => {
    set(next);
    keepChoice(STORED_AS, next);
  };
  return [view, choose];
}

function readChoice(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function keepChoice(key: string, choice: string): void {
  try {
    localStorage.setItem(key, choice);
  } catch {
    // Without storage, the choice lasts until the page is left.
  }
}
