import { GitMerge, type LucideIcon, PencilLine } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Keys } from '../../../ui/text/kbd.tsx';
import { fieldLabel } from '../../../values/field-label.ts';
import { bothChoice, type Choice, type How, type OwnChoice } from '../choices/merge-choices.ts';
import { type Difference, keyOf } from '../choices/merge-fields.ts';
import { OwnValue, whyNoOwn } from './own-value.tsx';
import { typeName, ValueText, valueText } from './value-text.tsx';

export interface FieldChoiceProps {
  readonly difference: Difference;
  readonly choice: Choice | undefined;
  /** The value that the user wrote last. */
  readonly own?: OwnChoice | undefined;
  /** Whether a side changed after the user chose. */
  readonly isOutdated?: boolean;
  /** Name of the first side. */
  readonly mineLabel: string;
  readonly onChoose: (choice: Choice) => void;
}

/** Lets the user choose one side of a field, both edits, or a value of their own. */
export function FieldChoice(props: FieldChoiceProps) {
  const { difference, choice, own, isOutdated = false, mineLabel, onChoose } = props;
  const { path, was, mine, theirs } = difference;
  const [name, heading] = [useId(), useId()];
  const both = bothChoice(difference);
  const versions = [was, mine, theirs];
  const noOwn = whyNoOwn(versions);
  const types =
    typeName(mine) === typeName(theirs) ? undefined : { mine: typeName(mine), theirs: typeName(theirs) };
  const radio = (how: How, next: Choice) => ({
    name,
    how,
    isChosen: choice?.how === how,
    onChoose: () => onChoose(next),
  });
  // After the choice of a side, the other choices are icons beside the name.
  const isCompact = choice?.how === 'mine' || choice?.how === 'theirs';
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't lay out its legend in a column
    <div
      role="group"
      aria-labelledby={heading}
      data-conflict={keyOf(difference)}
      className={`grid scroll-my-16 gap-x-3 gap-y-2 border-b border-line px-4 py-2.5 md:grid-cols-[7.375rem_minmax(0,1fr)_minmax(0,1fr)] ${choice === undefined ? 'bg-conflict-soft/55 shadow-[inset_3px_0_0_var(--conflict)]' : ''}`}
    >
      <Name
        {...{ difference, heading, isOutdated }}
        isOpen={choice === undefined}
        hasBoth={both !== undefined}
      />
      <Card {...radio('mine', { how: 'mine' })} label={mineLabel} note={types?.mine}>
        <ValueText was={was} value={mine} />
      </Card>
      <Card {...radio('theirs', { how: 'theirs' })} label="The other version" note={types?.theirs}>
        <ValueText was={was} value={theirs} />
      </Card>
      <div
        className={`flex flex-wrap items-center gap-2 ${isCompact ? 'md:col-start-1 md:row-start-1 md:flex-nowrap md:self-start md:justify-self-end md:pt-1 md:gap-0' : 'md:col-start-2 md:col-end-4'}`}
      >
        {both !== undefined && (
          <Small {...radio('both', both)} icon={GitMerge} isIcon={isCompact}>
            Use both edits
          </Small>
        )}
        {noOwn === undefined && (
          <Small
            {...radio('own', own ?? { how: 'own', value: startOf(difference, choice) })}
            icon={PencilLine}
            isIcon={isCompact}
          >
            Write it yourself
          </Small>
        )}
        {noOwn !== undefined && !isCompact && <p className="text-xs text-ink-2">{noOwn}</p>}
        {choice === undefined && <KeyHints hasBoth={both !== undefined} />}
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
          {...{ versions, choice, onChoose }}
        />
      )}
    </div>
  );
}

interface NameProps {
  readonly difference: Difference;
  readonly heading: string;
  readonly isOpen: boolean;
  /** Whether two icons follow the name. */
  readonly hasBoth: boolean;
  readonly isOutdated: boolean;
}

/** Shows the name of the field, and what the user must do or did before. */
function Name({ difference: { path, was, decided }, heading, isOpen, hasBoth, isOutdated }: NameProps) {
  return (
    <div className="min-w-0 pt-1.5 md:col-start-1 md:row-start-1">
      <h3 id={heading} className={`font-medium wrap-anywhere ${hasBoth ? 'md:pr-12' : 'md:pr-6'}`}>
        <span>{path.map(fieldLabel).join(' › ')}</span>
        <span className="sr-only"> changed in both versions</span>
      </h3>
      {isOpen && (
        <p className="text-xs font-medium text-conflict">
          {isOutdated ? 'Changed, choose again' : 'Choose one'}
        </p>
      )}
      {decided !== undefined ? (
        <p className={NOTE}>
          you chose {decided.value === undefined ? 'no field' : valueText(decided.value)}
        </p>
      ) : (
        !isOpen && was !== undefined && <p className={NOTE}>was {valueText(was)}</p>
      )}
    </div>
  );
}

const NOTE = 'line-clamp-2 text-xs text-ink-3 tabular-nums wrap-anywhere';

const KeyHints = ({ hasBoth }: { hasBoth: boolean }) => (
  <span aria-hidden className="ml-auto inline-flex items-center gap-3 text-xs text-ink-3 max-md:hidden">
    <KeyHint text="Mine" keys="1" />
    <KeyHint text="Other" keys="2" />
    {hasBoth && <KeyHint text="Both" keys="3" />}
  </span>
);

export const KeyHint = ({ text, keys }: { text: string; keys: string }) => (
  <span className="inline-flex items-center gap-1">
    {text} <Keys strokes={[[keys]]} />
  </span>
);

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
      className={`grid min-h-9.5 min-w-0 cursor-pointer md:row-start-1 ${how === 'mine' ? 'md:col-start-2' : 'md:col-start-3'} grid-cols-[0.875rem_minmax(0,1fr)] items-center gap-x-2.5 rounded-lg border px-3 py-2 max-sm:min-h-14 ${isChosen ? 'border-accent bg-accent-soft font-medium inset-ring inset-ring-accent' : 'border-line-strong bg-surface hover:bg-hover'}`}
    >
      <input
        type="radio"
        name={name}
        data-how={how}
        checked={isChosen}
        onChange={onChoose}
        className="size-3.5 accent-accent"
      />
      <span className="min-w-0">
        <span className="block text-xs text-ink-3 md:sr-only">{label} </span>
        {children}
        {note !== undefined && <span className="block text-xs font-normal text-ink-3">{note}</span>}
      </span>
    </label>
  );
}

interface SmallProps extends RadioProps {
  readonly icon: LucideIcon;
  /** Whether wide screens show only the icon. */
  readonly isIcon: boolean;
}

function Small({ name, how, isChosen, onChoose, icon: Icon, isIcon, children }: SmallProps) {
  const look = isChosen
    ? 'border-accent bg-accent-soft text-accent-ink'
    : `border-line-strong bg-surface hover:bg-hover ${isIcon ? 'md:border-transparent md:bg-transparent md:px-1 md:shadow-none' : ''}`;
  return (
    <label
      title={isIcon ? String(children) : undefined}
      className={`inline-flex h-(--control) cursor-pointer items-center gap-1.5 rounded-md border px-2 text-xs font-medium shadow-1 has-focus-visible:outline-2 has-focus-visible:outline-offset-1 max-sm:grow max-sm:justify-center ${look}`}
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
      <span className={isIcon ? 'md:sr-only' : ''}>{children}</span>
    </label>
  );
}
