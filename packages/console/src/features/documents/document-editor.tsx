import type { Database, Stored } from 'fixpoint';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useBlocker, useNavigate } from 'react-router';
import { Button } from '../../ui/button.tsx';
import { Card, ErrorPanel, NotFound, Skeleton } from '../../ui/feedback.tsx';
import { useToast } from '../../ui/toaster.tsx';
import { documentPath } from './document-path.ts';
import { parseDocumentText, textOfDocument } from './json-text.ts';

const CodeEditor = lazy(async () => ({ default: (await import('../../ui/code-editor.tsx')).CodeEditor }));
const IDLE_MS = 400;
const REFORMAT_CHARS_MAX = 256 * 1024;
const NEW_TEXT = '{\n  \n}';

export interface DocumentEditorProps {
  readonly database: Database;
  /** Undefined makes a new document. */
  readonly documentId: string | undefined;
  readonly basePath: string;
  /** Where Back leads. */
  readonly backPath: string;
}

type Loaded =
  | { state: 'loading' }
  | { state: 'missing' }
  | { state: 'failed'; message: string }
  | { state: 'there'; doc: Stored | undefined };

/** One document as JSON. It follows changes from elsewhere as long as there are no edits here. */
export function DocumentEditor(props: DocumentEditorProps) {
  const loaded = useDocumentOf(props.database, props.documentId);
  if (loaded.state === 'loading') return <Skeleton />;
  if (loaded.state === 'missing') return <NotFound />;
  if (loaded.state === 'failed') return <ErrorPanel message={loaded.message} />;
  return <Draft key={props.documentId ?? ''} {...props} doc={loaded.doc} />;
}

function useDocumentOf(database: Database, id: string | undefined): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({ state: 'loading' });
  useEffect(() => {
    if (id === undefined) return setLoaded({ state: 'there', doc: undefined });
    let current = true;
    const load = () =>
      database.get(id).then(
        (doc) => current && setLoaded({ state: 'there', doc }),
        (error: Error & { code?: string }) =>
          current &&
          setLoaded(
            error.code === 'NOT_FOUND' ? { state: 'missing' } : { state: 'failed', message: error.message },
          ),
      );
    void load();
    const stop = database.subscribe(() => void load());
    return () => {
      current = false;
      stop();
    };
  }, [database, id]);
  return loaded;
}

function Draft({
  database,
  documentId,
  basePath,
  backPath,
  doc,
}: DocumentEditorProps & { doc: Stored | undefined }) {
  const stored = doc === undefined ? NEW_TEXT : textOfDocument(doc);
  const [base, setBase] = useState(stored);
  const [text, setText] = useState(stored);
  const [saving, setSaving] = useState(false);
  const navigate = useNavigate();
  const toast = useToast();
  const edited = text !== base;
  const parsed = parseDocumentText(text);
  const changedElsewhere = stored !== base;

  useEffect(() => {
    if (stored === base || edited) return;
    setBase(stored);
    setText(stored);
  }, [stored, base, edited]);

  useEffect(() => {
    if (!('fields' in parsed) || text.length > REFORMAT_CHARS_MAX || !edited) return undefined;
    const timer = setTimeout(() => setText(textOfDocument(parsed.fields)), IDLE_MS);
    return () => clearTimeout(timer);
  });

  const blocker = useBlocker(edited && !saving);
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    if (window.confirm('There are unsaved changes. Leave without saving?')) blocker.proceed();
    else blocker.reset();
  }, [blocker]);

  const save = async () => {
    if (!('fields' in parsed)) return;
    setSaving(true);
    try {
      const fields = documentId === undefined ? parsed.fields : { ...parsed.fields, _id: documentId };
      const { id } = await database.put(fields);
      const clean = textOfDocument(parsed.fields);
      setBase(clean);
      setText(clean);
      if (documentId === undefined) await navigate(documentPath(basePath, id), { replace: true });
      else toast('Saved.');
    } catch (error) {
      toast(`Not saved: ${(error as Error).message}`, { tone: 'error' });
    } finally {
      setSaving(false);
    }
  };

  return (
    <Card>
      {documentId !== undefined && (
        <p className="mb-3 text-sm text-muted">
          _id <code className="font-mono break-all text-text">{documentId}</code>
        </p>
      )}
      {edited && changedElsewhere && documentId !== undefined && (
        <div role="status" className="mb-3 flex flex-wrap items-center gap-3 rounded-md bg-raised p-3">
          This document was changed elsewhere since you began to edit it.
          <Button
            onClick={() => {
              setBase(stored);
              setText(stored);
            }}
          >
            Take the other version
          </Button>
        </div>
      )}
      <Suspense fallback={<Skeleton />}>
        <CodeEditor
          label="Document as JSON"
          language="json"
          value={text}
          onChange={setText}
          onRun={() => void save()}
        />
      </Suspense>
      <p className="mt-2 min-h-5 text-sm text-danger" role="status">
        {edited && 'problem' in parsed ? parsed.problem : ''}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button
          tone="primary"
          disabled={!edited || saving || !('fields' in parsed)}
          onClick={() => void save()}
        >
          Save
        </Button>
        <Button onClick={() => void navigate(backPath)}>Back</Button>
        {documentId !== undefined && (
          <Button
            tone="danger"
            onClick={() => window.alert('Documents are deleted from the table of all documents.')}
          >
            Delete
          </Button>
        )}
      </div>
    </Card>
  );
}
