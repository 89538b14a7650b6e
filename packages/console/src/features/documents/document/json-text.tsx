import { useMemo, useState } from 'react';
import { documentHistoryPath } from '../../../local/document-path.ts';
import { lazyComponent } from '../../../ui/pages/lazy-component.tsx';
import type { EditorRequest } from '../../editor/code-editor.tsx';
import type { FieldNote } from '../../editor/field-notes.ts';
import { CodeEditor } from '../../editor/lazy-editor.tsx';
import { authorText, type FieldAuthor, type FieldAuthors } from '../../history/versions/field-authors.ts';
import type { Draft } from './draft.ts';
import type { LiveDraft } from './live-draft.ts';

const AnchoredBlame = lazyComponent(
  async () => (await import('../../history/versions/blame-popover.tsx')).AnchoredBlame,
);

export interface JsonTextProps {
  readonly draft: Draft;
  readonly live: LiveDraft;
  readonly basePath: string;
  readonly canEdit: boolean;
  /** The field to focus, as in an address. */
  readonly field: string | undefined;
  /** The authors of the top-level fields, if they are shown. */
  readonly authors: FieldAuthors | undefined;
  readonly request: EditorRequest | undefined;
  /** Undefined for users who may not write. */
  readonly onSave: (() => void) | undefined;
}

/** The JSON of a document, with the author of each field beside it. */
export function JsonText(props: JsonTextProps) {
  const { draft, live, basePath, canEdit, field, authors, request, onSave } = props;
  const { id, text, revision, parsed, stored } = draft;
  const notes = useMemo(
    () => authors && new Map([...authors].map(([name, author]) => [name, noteOf(author)])),
    [authors],
  );
  const [shown, setShown] = useState<{ readonly field: string; readonly anchor: Element }>();
  const author = shown && authors?.get(shown.field);
  const fields: object = parsed.problem === undefined ? parsed.fields : (stored ?? {});
  return (
    <>
      <CodeEditor
        label="Document as JSON"
        language="json"
        text={text}
        revision={revision}
        readOnly={!canEdit}
        hasFocus={id === undefined}
        focusedField={field}
        notes={notes}
        onNote={(name, anchor) => setShown({ field: name, anchor })}
        request={request}
        onText={live.typed}
        onSave={onSave}
        onRun={onSave}
      />
      {shown !== undefined && author !== undefined && (
        <AnchoredBlame
          {...{ ...shown, author }}
          value={valueText(new Map(Object.entries(fields)).get(shown.field))}
          historyPath={id === undefined ? undefined : documentHistoryPath(basePath, id)}
          onClose={() => setShown(undefined)}
        />
      )}
    </>
  );
}

const noteOf = (author: FieldAuthor): FieldNote => {
  const { person, name, ago, isUnsaved = false } = author;
  // The picture already says which person it was.
  const short = isUnsaved ? 'You, now' : person === undefined ? name : (ago ?? name);
  return { text: authorText(author), short, person, isUnsaved };
};

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value) ?? '';
}
