import { Button } from '../../../ui/button.tsx';
import { truncate } from '../../../values/truncate.ts';
import { bothChoice } from '../choices/merge-choices.ts';
import { valueText } from '../merge/value-text.tsx';
import { keyOfPath, pathLabel, useFields } from './field-edits.ts';
import type { FieldNode } from './json-tree.ts';

const CHARS_MAX = 120;

/**
 * Shows the value that somebody else gave to a field that the user changed too, and lets the user
 * choose. Renders nothing for other fields.
 */
export function FieldClash({ node: { path } }: { node: FieldNode }) {
  const { clashes } = useFields();
  const difference = clashes?.byKey.get(keyOfPath(path));
  if (clashes === undefined || difference === undefined) return null;
  const { person, decide } = clashes;
  const { theirs } = difference;
  const first = person?.split(' ')[0];
  const both = typeof theirs === 'string' ? bothChoice(difference) : undefined;
  const field = pathLabel(path);
  return (
    <div className="flex w-full flex-wrap items-center gap-1.5 text-xs text-ink-2">
      <span className="max-sm:w-full">
        {first ?? 'Somebody'}{' '}
        {both !== undefined ? (
          'changed another part of this text'
        ) : theirs === undefined ? (
          'removed this field'
        ) : (
          <>
            changed it to{' '}
            <b className="font-semibold text-conflict wrap-anywhere tabular-nums">
              {truncate(valueText(theirs), CHARS_MAX)}
            </b>
          </>
        )}
      </span>
      <Button
        size="sm"
        className="max-sm:h-10 max-sm:grow"
        aria-label={`Keep mine: ${field}`}
        onClick={() => decide(difference, { how: 'mine' })}
      >
        Keep mine
      </Button>
      <Button
        tone="decide"
        size="sm"
        className="max-sm:h-10 max-sm:grow"
        aria-label={`${both === undefined ? textOfUse(first, theirs) : 'Use both'}: ${field}`}
        onClick={() => decide(difference, both ?? { how: 'theirs' })}
      >
        {both === undefined ? textOfUse(first, theirs) : 'Use both'}
      </Button>
    </div>
  );
}

function textOfUse(first: string | undefined, theirs: unknown): string {
  if (theirs === undefined) return 'Remove it';
  return first === undefined ? 'Use theirs' : `Use ${first}’s`;
}
