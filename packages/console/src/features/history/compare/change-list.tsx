import type { DocumentChange } from 'fixpoint';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { shownId } from '../../../values/shown-id.ts';
import { SideBySide } from '../../diff/side-by-side.tsx';

/** Number of documents to show at first, and to add with each click on the button. */
const PAGE = 20;

export interface ChangeListProps {
  readonly changes: readonly DocumentChange[];
  readonly beforeLabel: string;
  readonly afterLabel: string;
  readonly words?: ChangeWords;
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
export function ChangeList({ changes, beforeLabel, afterLabel, words = WORDS }: ChangeListProps) {
  const [shown, setShown] = useState(PAGE);
  const left = changes.length - shown;
  return (
    <>
      <ul aria-label="Changed documents" className="flex flex-col gap-3">
        {changes.slice(0, shown).map(({ id, before, after }) => (
          <li key={id} className="flex flex-col gap-1">
            <h3 className="text-sm">
              <code className="font-mono text-xs wrap-anywhere">{shownId(id)}</code>{' '}
              <span className="text-ink-3">{wordFor(words, before, after)}</span>
            </h3>
            <SideBySide {...{ before, after, beforeLabel, afterLabel }} />
          </li>
        ))}
      </ul>
      {left > 0 && (
        <Button className="self-start" onClick={() => setShown(shown + PAGE)}>
          {`Show more, ${left.toLocaleString('en')} left`}
        </Button>
      )}
    </>
  );
}

const wordFor = (words: ChangeWords, before: object | undefined, after: object | undefined): string =>
  before === undefined ? words.created : after === undefined ? words.deleted : words.changed;
