import type { BridgedDatabase } from 'fixpoint/bridge';
import { TriangleAlert } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { documentHistoryPath } from '../../../local/document-path.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/pages/feedback.tsx';
import { Notice } from '../../../ui/pages/notice.tsx';
import { type FieldPath, pathInParameter } from '../../../values/field-parameter.ts';
import type { People } from '../../../values/who-wrote.ts';
import type { FieldAuthors } from '../../history/versions/field-authors.ts';
import type { Draft } from '../document/draft.ts';
import type { LiveDraft } from '../document/live-draft.ts';
import { useClashes } from '../merge/use-clashes.ts';
import { Fields, fieldElement, keyOfPath, pathLabel, useFieldEdits } from './field-edits.ts';
import { FormView } from './form-view.tsx';
import { fieldsInText, repeatedFields } from './json-tree.ts';
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
  /** The authors of the top-level fields, if they are shown. */
  readonly authors?: FieldAuthors | undefined;
  readonly people?: People | undefined;
}

/** Longer texts are edited as JSON. */
const CHARS_MAX = 256 * 1024;

/** Shows the draft of a document as a tree or a form. */
export function FieldsView(props: FieldsViewProps) {
  const { view, database, draft, live, basePath, canWrite, field, authors, people } = props;
  const { text, parsed, id, editable } = draft;
  const isValid = parsed.problem === undefined && text.length <= CHARS_MAX;
  const fields = useMemo(() => (isValid ? fieldsInText(text) : undefined), [text, isValid]);
  const edits = useFieldEdits(live);
  const linked = useLinkedIds(database, fields, id);
  const repeated = useMemo(() => (isValid ? repeatedFields(text) : []), [text, isValid]);
  // An edit could change a value that isn't saved.
  const canEdit = canWrite && editable && repeated.length === 0;
  const clashes = useClashes({ database, draft, live, people, isOn: canEdit });
  const historyPath = id === undefined ? undefined : documentHistoryPath(basePath, id);
  const context = useMemo(
    () => ({ edits, canWrite: canEdit, linked, basePath, historyPath, authors, clashes }),
    [edits, canEdit, linked, basePath, historyPath, authors, clashes],
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
  const at = field === undefined ? undefined : pathInParameter(field);
  return (
    <div ref={part}>
      {repeated.length > 0 && (
        <Repeated fields={repeated} {...(canWrite && { onRemove: edits.removeRepeats })} />
      )}
      <Fields value={context}>
        {view === 'tree' ? <TreeView {...{ fields, field: at }} /> : <FormView {...{ fields, field: at }} />}
      </Fields>
    </div>
  );
}

const NAMED_MAX = 3;

/** Says that the JSON contains values that won't be saved, and removes them. */
function Repeated({ fields, onRemove }: { fields: readonly FieldPath[]; onRemove?: () => void }) {
  const names = fields.slice(0, NAMED_MAX).map((path) => `“${pathLabel(path)}”`);
  const more = fields.length - names.length;
  return (
    <Notice
      icon={<TriangleAlert size={16} aria-hidden />}
      action={onRemove !== undefined && <Button onClick={onRemove}>Remove the other values</Button>}
    >
      The JSON contains {names.join(', ')}
      {more > 0 && ` and ${more.toLocaleString('en')} more fields`} twice. Only the last value is saved, and
      shown here.
    </Notice>
  );
}
