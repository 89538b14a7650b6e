import { GitMerge, type LucideIcon, PencilLine } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { fieldLabel } from '../../../values/field-label.ts';
import { toPlain } from '../../../values/plain-json.ts';
import { bothChoice, type Choice, type How } from './merge-choices.ts';
import { type Difference, keyOf } from './merge-fields.ts';
import { typeName, ValueText, valueText } from './value-text.tsx';

export interface FieldChoiceProps {
  readonly difference: Difference;
  readonly choice: Choice | undefined;
  /** Name of the first side. */
  readonly mineLabel: string;
  readonly onChoose: (choice: Choice) => void;
}

/** Lets the user choose one side of a field, both edits, or a value of their own. */
export function FieldChoice({ difference, choice, mineLabel, onChoose }: FieldChoiceProps) {
  const { path, was, mine, theirs } = difference;
  const [name, heading] = [useId(), useId()];
  const both = bothChoice(difference);
  const types =
    typeName(mine) === typeName(theirs) ? undefined : { mine: typeName(mine), theirs: typeName(theirs) };
  const radio = (how: How, next: Choice) => ({
    name,
    how,
    isChosen: choice?.how === how,
    onChoose: () => onChoose(next),
  });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't lay out its legend in a column
    <div
      role="group"
      aria-labelledby={heading}
      data-conflict={keyOf(difference)}
      className={`grid scroll-my-16 gap-x-3 gap-y-2 border-b border-line px-4 py-2.5 md:grid-cols-[7.375rem_minmax(0,1fr)_minmax(0,1fr)] ${choice === undefined ? 'bg-conflict-soft shadow-[inset_3px_0_0_var(--conflict)]' : ''}`}
    >
      <div className="min-w-0 pt-1.5">
        <h3 id={heading} className="font-medium wrap-anywhere">
          <span>{path.map(fieldLabel).join(' › ')}</span>
          <span className="sr-only"> changed in both versions</span>
        </h3>
        {choice === undefined ? (
          <p className="text-xs font-medium text-conflict">Choose one</p>
        ) : (
          was !== undefined && (
            <p className="line-clamp-2 text-xs text-ink-3 tabular-nums wrap-anywhere">was {valueText(was)}</p>
          )
        )}
      </div>
      <Card {...radio('mine', { how: 'mine' })} label={mineLabel} note={types?.mine}>
        <ValueText was={was} value={mine} />
      </Card>
      <Card {...radio('theirs', { how: 'theirs' })} label="The other version" note={types?.theirs}>
        <ValueText was={was} value={theirs} />
      </Card>
      <div className="flex flex-wrap items-center gap-2 md:col-start-2 md:col-end-4">
        {both !== undefined && (
          <Small {...radio('both', both)} icon={GitMerge}>
            Use both edits
          </Small>
        )}
        <Small {...radio('own', { how: 'own', value: startOf(difference, choice) })} icon={PencilLine}>
          Write it yourself
        </Small>
      </div>
      {choice?.how === 'both' && (
        <p className="rounded-md bg-accent-soft px-3 py-1.5 md:col-start-2 md:col-end-4">
          <span className="text-xs text-ink-2">Both edits: </span>
          <ValueText was={was} value={choice.value} />
        </p>
      )}
      {choice?.how === 'own' && (
        <OwnValue
          label={`Your own value of ${path.map(fieldLabel).join(' › ')}`}
          value={choice.value}
          onValue={(value) => onChoose({ how: 'own', value })}
        />
      )}
    </div>
  );
}

/** Returns the value that the user begins to write with. */
function startOf(difference: Difference, choice: Choice | undefined): unknown {
  if (choice?.how === 'both' || choice?.how === 'own') return choice.value;
  if (choice !== undefined)
    return difference[choice.how as 'mine' | 'theirs'] ?? difference.theirs ?? difference.mine;
  return difference.mine ?? difference.theirs;
}

interface RadioProps {
  readonly name: string;
  readonly how: How;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly children: ReactNode;
}

function Card(props: RadioProps & { readonly label: string; readonly note: string | undefined }) {
  const { name, how, isChosen, onChoose, label, note, children } = props;
  return (
    <label
      className={`grid min-h-9.5 min-w-0 cursor-pointer grid-cols-[0.875rem_minmax(0,1fr)] items-center gap-x-2.5 rounded-lg border px-3 py-2 max-sm:min-h-14 ${isChosen ? 'border-accent bg-accent-soft font-medium inset-ring inset-ring-accent' : 'border-line-strong bg-surface hover:bg-hover'}`}
    >
      <input
        type="radio"
        name={name}
        data-how={how}
        checked={isChosen}
        onChange={onChoose}
        className="size-3.5 accent-accent"
      />
      <span className="max-h-48 min-w-0 overflow-y-auto">
        <span className="block text-xs text-ink-3 md:sr-only">{label} </span>
        {children}
        {note !== undefined && <span className="block text-xs font-normal text-ink-3">{note}</span>}
      </span>
    </label>
  );
}

function Small({
  name,
  how,
  isChosen,
  onChoose,
  icon: Icon,
  children,
}: RadioProps & { readonly icon: LucideIcon }) {
  return (
    <label
      className={`inline-flex h-6 cursor-pointer items-center gap-1.5 rounded-md border px-2 text-xs font-medium shadow-1 has-focus-visible:outline-2 has-focus-visible:outline-offset-1 max-sm:h-10 max-sm:grow max-sm:justify-center ${isChosen ? 'border-accent bg-accent-soft text-accent-ink' : 'border-line-strong bg-surface hover:bg-hover'}`}
    >
      <input
        type="radio"
        name={name}
        data-how={how}
        checked={isChosen}
        onChange={onChoose}
        className="sr-only"
      />
      <Icon size={12} aria-hidden className="text-ink-3" />
      {children}
    </label>
  );
}

interface OwnValueProps {
  readonly label: string;
  readonly value: unknown;
  readonly onValue: (value: unknown) => void;
}

/** Takes a text as it is typed, and other values as JSON. */
function OwnValue({ label, value, onValue }: OwnValueProps) {
  const [isText] = useState(typeof value === 'string');
  const [text, setText] = useState(() =>
    isText ? String(value) : (JSON.stringify(toPlain(value), undefined, 2) ?? ''),
  );
  const [isValid, setValid] = useState(true);
  const hint = useId();
  const take = (next: string) => {
    setText(next);
    if (isText) return onValue(next);
    try {
      onValue(JSON.parse(next) as unknown);
      setValid(true);
    } catch {
      setValid(false);
    }
  };
  return (
    <div className="md:col-start-2 md:col-end-4">
      <textarea
        aria-label={label}
        aria-invalid={!isValid}
        aria-describedby={hint}
        dir="auto"
        spellCheck={isText}
        rows={Math.min(10, Math.max(2, text.split('\n').length))}
        className={`w-full rounded-md border border-control-line bg-surface px-2 py-1.5 text-sm -outline-offset-1 aria-invalid:border-conflict max-sm:text-[1rem] ${isText ? '' : 'font-mono'}`}
        value={text}
        onChange={({ target }) => take(target.value)}
      />
      <p id={hint} role="status" className="text-xs text-conflict empty:hidden">
        {!isValid && 'This isn’t valid JSON yet. The last valid value is used.'}
      </p>
    </div>
  );
}
