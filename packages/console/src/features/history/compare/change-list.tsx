import type { DocumentChange } from 'fixpoint';
import { useState } from 'react';
import { Link } from 'react-router';
import { documentPath } from '../../../local/document-path.ts';
import { Button } from '../../../ui/button.tsx';
import { titleOfDocument } from '../../../values/document-title.ts';
import { shownId } from '../../../values/shown-id.ts';
import { SideBySide } from '../../diff/side-by-side.tsx';

/** Number of documents to show at first, and to add with each click on the button. */
const PAGE = 20;

export interface ChangeListProps {
  readonly changes: readonly DocumentChange[];
  readonly beforeLabel: string;
  readonly afterLabel: string;
  readonly words?: ChangeWords;
  /**
   * Paths of the documents of both states. If given, a document that exists in only one of them
   * is a link, because there is nothing to compare.
   */
  readonly docsPaths?: { readonly before: string; readonly after: string };
}

/**
 * Labels for a document that exists only in the later state, only in the earlier one, or in both.
 */
interface ChangeWords {
  readonly created: string;
  readonly deleted: string;
  readonly changed: string;
}

const WORDS: ChangeWords = { created: 'created', deleted: 'deleted', changed: 'changed' };

/** Lists the documents that differ between two states, each before and after. */
export function ChangeList(props: ChangeListProps) {
  const { changes, beforeLabel, afterLabel, words = WORDS, docsPaths } = props;
  const [shown, setShown] = useState(PAGE);
  const left = changes.length - shown;
  return (
    <>
      <ul aria-label="Changed documents" className="flex flex-col gap-3">
        {changes.slice(0, shown).map(({ id, before, after }) => {
          const only = before === undefined ? after : after === undefined ? before : undefined;
          const path = only && docsPaths?.[only === before ? 'before' : 'after'];
          return (
            <li key={id} className="flex flex-col gap-1">
              <h3 className="text-sm">
                {path !== undefined && <DocumentLink {...{ id, path }} doc={only} />}
                {path === undefined && <code className={ID}>{shownId(id)}</code>}{' '}
                <span className="text-ink-3">{wordFor(words, before, after)}</span>
              </h3>
              {path === undefined && <SideBySide {...{ before, after, beforeLabel, afterLabel }} />}
            </li>
          );
        })}
      </ul>
      {left > 0 && (
        <Button className="self-start" onClick={() => setShown(shown + PAGE)}>
          {`Show more, ${left.toLocaleString('en')} left`}
        </Button>
      )}
    </>
  );
}

const ID = 'font-mono text-xs wrap-anywhere';

/** Names a document by its title and its id. */
function DocumentLink({ id, path, doc }: { id: string; path: string; doc: object | undefined }) {
  const title = titleOfDocument(id, doc as Readonly<Record<string, unknown>> | undefined);
  return (
    <>
      <Link to={documentPath(path, id)} className="font-medium hover:text-accent-ink hover:underline">
        <bdi>{title}</bdi>
      </Link>
      {title !== shownId(id) && <code className={`${ID} ml-1.5 text-ink-3`}>{shownId(id)}</code>}
    </>
  );
}

const wordFor = (words: ChangeWords, before: object | undefined, after: object | undefined): string =>
  before === undefined ? words.created : after === undefined ? words.deleted : words.changed;
