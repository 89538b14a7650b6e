import type { DocumentChange } from 'fixpoint';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { SideBySide } from '../diff/side-by-side.tsx';

/** Drawn at once; the others when somebody asks for them. */
const PAGE = 20;

export interface ChangeListProps {
  readonly changes: readonly DocumentChange[];
  readonly beforeLabel: string;
  readonly afterLabel: string;
}

/** Documents that differ between two heads, each before and after. */
export function ChangeList({ changes, beforeLabel, afterLabel }: ChangeListProps) {
  const [shown, setShown] = useState(PAGE);
  const left = changes.length - shown;
  return (
    <>
      <ul aria-label="Changed documents" className="flex flex-col gap-3">
        {changes.slice(0, shown).map(({ id, before, after }) => (
          <li key={id} className="flex flex-col gap-1">
            <h3 className="text-sm">
              <code className="font-mono text-xs break-all">{id}</code>{' '}
              <span className="text-muted">{wordFor(before, after)}</span>
            </h3>
            <SideBySide {...{ before, after, beforeLabel, afterLabel }} />
          </li>
        ))}
      </ul>
      {left > 0 && (
        <Button size="sm" className="self-start" onClick={() => setShown(shown + PAGE)}>
          {`Show more, ${left.toLocaleString('en')} left`}
        </Button>
      )}
    </>
  );
}

const wordFor = (before: object | undefined, after: object | undefined): string =>
  before === undefined ? 'created' : after === undefined ? 'deleted' : 'changed';
