import type { DocumentChange } from 'fixpoint';
import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { documentPath } from '../../../local/document-path.ts';
import { titleOfDocument } from '../../../values/document-title.ts';
import { fieldLabel } from '../../../values/field-label.ts';
import { shortId, shownId } from '../../../values/shown-id.ts';
import { changedFields, type FieldChange } from './field-summary.ts';

/** Number of documents to show at first, and to add with each click on the button. */
const PAGE = 20;
const FIELDS_MAX = 4;

export interface ChangedDocumentsProps {
  readonly changes: readonly DocumentChange[];
  readonly docsPath: string;
}

/** Lists the documents that a commit changed, each with its changed fields. */
export function ChangedDocuments({ changes, docsPath }: ChangedDocumentsProps) {
  const [shown, setShown] = useState(PAGE);
  const left = changes.length - shown;
  return (
    <>
      <ul aria-label="Changed documents">
        {changes.slice(0, shown).map((change) => (
          <li key={change.id} className="border-b border-line px-4 py-1.75">
            <Changed {...{ change, docsPath }} />
          </li>
        ))}
      </ul>
      {left > 0 && (
        <button
          type="button"
          className="m-2 cursor-pointer rounded px-2 py-1 font-medium text-accent-ink hover:underline max-sm:min-h-10"
          onClick={() => setShown(shown + PAGE)}
        >
          {`Show more, ${left.toLocaleString('en')} left`}
        </button>
      )}
    </>
  );
}

function Changed({ change, docsPath }: { change: DocumentChange; docsPath: string }) {
  const { id, before, after } = change;
  const title = titleOfDocument(id, (after ?? before) as Readonly<Record<string, unknown>> | undefined);
  const fields = before === undefined || after === undefined ? [] : changedFields(change);
  const more = fields.length - FIELDS_MAX;
  return (
    <>
      <h3 className="flex items-baseline gap-2">
        <Link
          to={documentPath(docsPath, id)}
          title={shownId(id)}
          className="min-w-0 grow truncate font-medium hover:text-accent-ink hover:underline"
        >
          {title}
        </Link>
        {title !== shownId(id) && <code className="font-mono text-xs text-ink-3">{shortId(id)}</code>}
      </h3>
      {before === undefined && <p className="text-ink-3">created</p>}
      {after === undefined && <p className="text-ink-3">deleted</p>}
      {fields.slice(0, FIELDS_MAX).map((field) => (
        <p key={field.field} className="wrap-anywhere">
          <FieldLine {...field} />
        </p>
      ))}
      {more > 0 && <p className="text-ink-3">and {more.toLocaleString('en')} more</p>}
    </>
  );
}

const NEW_VALUE = 'rounded bg-history-soft px-1 py-0.5 font-medium text-history no-underline tabular-nums';

/** Shows a changed field with the values before and after. */
function FieldLine({ field, before, after }: FieldChange) {
  return (
    <>
      <span className="mr-1.5 text-ink-3">{fieldLabel(field)}</span>
      {before !== undefined && (
        <del className="text-ink-3 tabular-nums">
          <bdi>{before}</bdi>
        </del>
      )}
      <ArrowRight size={12} aria-label="is now" className="mx-1.5 inline-block align-[-1px] text-ink-3" />
      {after === undefined ? (
        <span className={NEW_VALUE}>removed</span>
      ) : (
        <ins className={NEW_VALUE}>
          <bdi>{after}</bdi>
        </ins>
      )}
    </>
  );
}
