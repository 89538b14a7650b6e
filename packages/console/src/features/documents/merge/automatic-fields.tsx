import { ArrowRight, Check, ChevronDown, ChevronUp } from 'lucide-react';
import { useState } from 'react';
import { Avatar } from '../../../ui/avatar.tsx';
import { Button } from '../../../ui/button.tsx';
import { fieldLabel } from '../../../values/field-label.ts';
import { truncate } from '../../../values/truncate.ts';
import type { MergeChoices } from '../choices/merge-choices.ts';
import { type Difference, keyOf, type Side } from '../choices/merge-fields.ts';
import { valueText } from './value-text.tsx';

const CHARS_MAX = 80;
const SHOWN_MAX = 200;

export interface AutomaticFieldsProps {
  readonly choices: MergeChoices;
  readonly otherName: string;
  readonly otherPerson: string | undefined;
}

/**
 * Lists the fields that only one side changed. They need no decision, but the user can take the
 * other value.
 */
export function AutomaticFields({ choices, otherName, otherPerson }: AutomaticFieldsProps) {
  const { automatic, choiceOf, choose } = choices;
  const [isOpen, setOpen] = useState(true);
  const count = automatic.length;
  if (count === 0) return null;
  return (
    <section aria-label="Fields merged without a conflict">
      <div className="flex min-h-10 items-center gap-2 border-b border-line px-4 py-1">
        <Check size={14} aria-hidden className="shrink-0 text-accent-ink" />
        <p className="mr-auto">
          <b className="font-medium">
            {count === 1 ? '1 field' : `${count.toLocaleString('en')} fields`} merged without a conflict
          </b>{' '}
          <span className="text-ink-3">Only one side changed {count === 1 ? 'it' : 'them'}.</span>
        </p>
        <Button tone="quiet" size="sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide' : 'Show'}
          {isOpen ? <ChevronUp size={12} aria-hidden /> : <ChevronDown size={12} aria-hidden />}
        </Button>
      </div>
      {isOpen && (
        <ul>
          {automatic.slice(0, SHOWN_MAX).map((difference) => (
            <Row
              key={keyOf(difference)}
              {...{ difference, otherName, otherPerson }}
              isKept={choiceOf(difference)?.how === difference.by}
              onToggle={(how) => choose(difference, { how })}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

interface RowProps extends Omit<AutomaticFieldsProps, 'choices'> {
  readonly difference: Difference;
  /** Whether the changed value is used, and not the one from before. */
  readonly isKept: boolean;
  readonly onToggle: (how: Side) => void;
}

function Row({ difference, otherName, otherPerson, isKept, onToggle }: RowProps) {
  const { path, by, was } = difference;
  const isMine = by === 'mine';
  const label = path.map(fieldLabel).join(' › ');
  const now = difference[isMine ? 'mine' : 'theirs'];
  return (
    <li className="grid min-h-8 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 border-b border-line px-4 py-1 text-ink-2 md:grid-cols-[7.375rem_minmax(0,1fr)_auto]">
      <b className="font-medium text-ink wrap-anywhere max-md:col-span-2">{label}</b>
      <span className="min-w-0 wrap-anywhere tabular-nums">
        {was !== undefined && (
          <del className={isKept ? 'text-ink-3' : 'no-underline'}>
            <bdi>{shortText(was)}</bdi>
          </del>
        )}
        <ArrowRight size={12} aria-label="is now" className="mx-1 inline-block align-[-1px] text-ink-3" />
        <span className={isKept ? '' : 'text-ink-3 line-through'}>
          {now === undefined ? 'removed' : <bdi>{shortText(now)}</bdi>}
        </span>
      </span>
      <span className="inline-flex items-center gap-1.5 text-xs text-ink-3">
        <Avatar name={isMine ? undefined : otherPerson} isSmall />
        {isMine ? 'Mine' : otherName}
        <Button
          tone="quiet"
          size="sm"
          aria-label={`${isKept ? 'Undo' : 'Use'} this change of ${label}`}
          onClick={() => onToggle(isKept === isMine ? 'theirs' : 'mine')}
        >
          {isKept ? 'Undo' : 'Use'}
        </Button>
      </span>
    </li>
  );
}

const shortText = (value: unknown): string => truncate(valueText(value), CHARS_MAX);
