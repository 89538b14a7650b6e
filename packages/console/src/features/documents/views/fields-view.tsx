import type { BridgedDatabase } from 'fixpoint/bridge';
import { useEffect, useMemo, useRef } from 'react';
import { EmptyState } from '../../../ui/pages/feedback.tsx';
import { pathInParameter } from '../../../values/field-parameter.ts';
import type { Draft } from '../document/draft.ts';
import type { LiveDraft } from '../document/live-draft.ts';
import { Fields, fieldElement, keyOfPath, useFieldEdits } from './field-edits.ts';
import { FormView } from './form-view.tsx';
import { fieldsInText } from './json-tree.ts';
import { useLinkedIds } from './linked-documents.ts';
import { TreeView } from './tree-view.tsx';

export interface FieldsViewProps {
  readonly view: 'tree' | 'form';
  readonly database: BridgedDatabase;
  readonly draft: Draft;
  readonly live: LiveDraft;
  readonly basePath: string;
  readonly canWrite: boolean;
  /** The field to focus, as in an address. */
  readonly field: string | undefined;
}

/** Longer texts are edited as JSON. */
const CHARS_MAX = 256 * 1024;

/** Shows the draft of a document as a tree or a form. */
export function FieldsView({ view, database, draft, live, basePath, canWrite, field }: FieldsViewProps) {
  const { text, parsed, id, editable } = draft;
  const isValid = parsed.problem === undefined && text.length <= CHARS_MAX;
  const fields = useMemo(() => (isValid ? fieldsInText(text) : undefined), [text, isValid]);
  const edits = useFieldEdits(live);
  const linked = useLinkedIds(database, fields, id);
  const context = useMemo(
    () => ({ edits, canWrite: canWrite && editable, linked, basePath }),
    [edits, canWrite, editable, linked, basePath],
  );
  const part = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (field === undefined) return;
    const found = part.current && fieldElement(part.current, keyOfPath(pathInParameter(field)));
    found?.scrollIntoView({ block: 'center' });
    found?.focus({ preventScroll: true });
  }, [field]);
  if (fields === undefined)
    return (
      <EmptyState
        text={
          parsed.problem === undefined
            ? 'This document is too long for a tree or a form. Edit it as JSON.'
            : 'The text of this document isn’t valid JSON. Correct it as JSON, then come back.'
        }
      />
    );
  return (
    <div ref={part}>
      <Fields value={context}>
        {view === 'tree' ? <TreeView fields={fields} /> : <FormView fields={fields} />}
      </Fields>
    </div>
  );
}
