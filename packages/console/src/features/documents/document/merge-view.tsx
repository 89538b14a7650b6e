import { useId, useMemo, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import type { Fields } from '../../../values/document-fields.ts';
import { fieldLabel } from '../../../values/field-label.ts';
import { toPlain } from '../../../values/plain-json.ts';
import { type Difference, differencesOf, merged, type Side } from './merge-fields.ts';

export interface MergeViewProps {
  readonly base: Fields;
  readonly mine: Fields;
  readonly theirs: Fields;
  readonly onMerge: (fields: Fields) => void;
  readonly onCancel: () => void;
}

/**
 * Shows the changes of both sides, field by field. If both sides changed a field, the user chooses
 * one. For other fields, the side that changed the field is preselected.
 */
export function MergeView({ base, mine, theirs, onMerge, onCancel }: MergeViewProps) {
  const differences = useMemo(() => differencesOf(base, mine, theirs), [base, mine, theirs]);
  const [chosen, setChosen] = useState<ReadonlyMap<string, Side>>(new Map());
  const sideOf = (difference: Difference): Side | undefined =>
    chosen.get(keyOf(difference)) ?? (difference.by === 'both' ? undefined : difference.by);
  const isOpen = differences.some((difference) => sideOf(difference) === undefined);
  return (
    <section
      aria-label="Merge"
      className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4 shadow-1"
    >
      <h2 className="font-semibold">Merge both versions</h2>
      <p className="text-sm text-ink-3">
        Changes to different fields are merged. If both versions changed the same field, choose a value.
      </p>
      <div className="flex flex-col divide-y divide-line">
        {differences.map((difference) => (
          <Choice
            key={keyOf(difference)}
            difference={difference}
            side={sideOf(difference)}
            onChoose={(side) => setChosen(new Map(chosen).set(keyOf(difference), side))}
          />
        ))}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button
          tone="primary"
          disabled={isOpen}
          title={isOpen ? 'Choose a value for each field first' : undefined}
          onClick={() => onMerge(merged(theirs, differences, (one) => sideOf(one) ?? 'mine'))}
        >
          Use the merged document
        </Button>
        <Button onClick={onCancel}>Not now</Button>
      </div>
    </section>
  );
}

const keyOf = ({ path }: Difference): string => JSON.stringify(path);

function Choice(props: { difference: Difference; side: Side | undefined; onChoose: (side: Side) => void }) {
  const { difference, side, onChoose } = props;
  const { path, by } = difference;
  const name = useId();
  const option = (value: Side, label: string) => (
    <label
      className={`flex min-w-0 cursor-pointer items-start gap-2 rounded-md border p-2.5 ${side === value ? 'border-accent bg-accent-soft' : 'border-line hover:bg-hover'}`}
    >
      <input
        type="radio"
        name={name}
        checked={side === value}
        onChange={() => onChoose(value)}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <span className="min-w-0 grow">
        <span className="block text-xs font-medium">{label}</span>
        <code className="block max-h-32 overflow-auto font-mono text-xs break-words whitespace-pre-wrap">
          {textOf(difference[value])}
        </code>
      </span>
    </label>
  );
  return (
    <fieldset className="py-3">
      <legend className="float-left mb-1.5 text-sm">
        <code className="font-mono text-xs font-semibold">{path.map(fieldLabel).join(' › ')}</code>{' '}
        <span className="text-ink-3">{WHO[by]}</span>
      </legend>
      <div className="clear-both grid gap-2 sm:grid-cols-2">
        {option('mine', 'My version')}
        {option('theirs', 'The other version')}
      </div>
    </fieldset>
  );
}

const WHO = { mine: 'changed by you', theirs: 'changed elsewhere', both: 'changed in both versions' };

const textOf = (value: unknown): string =>
  value === undefined ? '(no field)' : JSON.stringify(toPlain(value), undefined, 2);
