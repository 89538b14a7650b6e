import { Plus, X } from 'lucide-react';
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import type { KnownPath } from './complete-filter.ts';
import { ConditionDialog } from './condition-dialog.tsx';
import { type Chip, chipOf, chipText, type Filter, pathLabel, testLabel, valueLabel } from './filter.ts';
import { filterText } from './filter-text.ts';

export interface FilterChipsProps {
  /** Filters that must all hold. */
  readonly parts: readonly Filter[];
  readonly known: readonly KnownPath[];
  readonly onChange: (how: (parts: readonly Filter[]) => readonly Filter[]) => void;
  readonly onAdd: () => void;
  readonly onText: () => void;
  readonly onClear: () => void;
}

/** Where an edited condition goes: a part, and if the part is an `or` group, a place in it. */
interface Place {
  readonly part: number;
  readonly within?: number;
}

/** Shows a filter as chips, which the user edits and removes one by one. */
export function FilterChips(props: FilterChipsProps) {
  const { parts, known, onChange, onAdd, onText, onClear } = props;
  const [edited, edit] = useState<(Place & { readonly chip: Chip | undefined }) | undefined>();
  const list = useRef<HTMLUListElement>(null);
  const freed = useRef<number>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chips are new once the parts are
  useLayoutEffect(() => {
    const part = freed.current;
    freed.current = undefined;
    if (part !== undefined) list.current?.querySelector<HTMLElement>(`[data-part="${part}"]`)?.focus();
  }, [parts]);
  if (parts.length === 0) return null;
  const put = (filter: Filter) => edited !== undefined && onChange((now) => withPut(now, edited, filter));
  const remove = (place: Place) => {
    freed.current = Math.max(0, place.part - 1);
    onChange((now) => without(now, place));
  };
  return (
    <>
      <ul
        ref={list}
        aria-label="Conditions"
        className="flex min-h-8.5 shrink-0 flex-wrap items-center gap-1.5 pr-3 pb-1.5 pl-4 text-sm max-sm:flex-nowrap max-sm:overflow-x-auto max-sm:*:shrink-0"
      >
        {parts.map((filter, part) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions may be equal, and have no state
          <li key={`${filterText(filter)} ${part}`} className="flex max-w-full items-center gap-1.5">
            {part > 0 && <span className="px-0.5 text-xs text-ink-3">and</span>}
            <Part
              {...{ filter, part, onText }}
              onEdit={(within, chip) => edit({ part, ...(within !== undefined && { within }), chip })}
              onRemove={(within) => remove({ part, ...(within !== undefined && { within }) })}
            />
          </li>
        ))}
        <li>
          <Button tone="quiet" size="sm" onClick={onAdd}>
            <Plus size={12} aria-hidden /> Add filter
          </Button>
        </li>
        <li className="ml-auto flex items-center">
          <Button tone="quiet" size="sm" onClick={onText}>
            Edit as text
          </Button>
          <Button tone="quiet" size="sm" onClick={onClear}>
            Clear all
          </Button>
        </li>
      </ul>
      {edited !== undefined && (
        <ConditionDialog known={known} chip={edited.chip} onClose={() => edit(undefined)} onSave={put} />
      )}
    </>
  );
}

interface PartProps {
  readonly filter: Filter;
  readonly part: number;
  readonly onEdit: (within: number | undefined, chip: Chip | undefined) => void;
  readonly onRemove: (within: number | undefined) => void;
  readonly onText: () => void;
}

function Part({ filter, part, onEdit, onRemove, onText }: PartProps) {
  const chip = chipOf(filter);
  if (chip !== undefined)
    return (
      <ConditionChip
        {...{ chip, part }}
        onEdit={() => onEdit(undefined, chip)}
        onRemove={() => onRemove(undefined)}
        onOr={() => onEdit(1, undefined)}
      />
    );
  if (filter.kind !== 'any')
    return <GroupChip {...{ filter, part }} onEdit={onText} onRemove={() => onRemove(undefined)} />;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be laid out as one line
    <span
      role="group"
      aria-label="Any of these"
      className="flex items-center gap-1 rounded-lg bg-pressed p-0.75"
    >
      {filter.of.map((one, within) => {
        const own = chipOf(one);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions may be equal, and have no state
          <span key={`${filterText(one)} ${within}`} className="flex items-center gap-1">
            {within > 0 && <span className="px-0.5 text-xs text-ink-3">or</span>}
            {own === undefined ? (
              <GroupChip filter={one} part={part} onEdit={onText} onRemove={() => onRemove(within)} />
            ) : (
              <ConditionChip
                {...{ chip: own, part }}
                onEdit={() => onEdit(within, own)}
                onRemove={() => onRemove(within)}
              />
            )}
          </span>
        );
      })}
      <OrButton onClick={() => onEdit(filter.of.length, undefined)} />
    </span>
  );
}

const CHIP =
  'flex h-6 pointer-coarse:min-h-8 max-w-full items-stretch divide-x divide-line rounded-md border border-line-strong bg-surface text-xs whitespace-nowrap max-sm:h-9';
const PIECE = 'flex min-w-0 items-center px-1.75';

function OrButton({ onClick }: { onClick: () => void }) {
  return (
    <button
      type="button"
      aria-label="Add an alternative"
      title="Add an alternative (or)"
      className="grid min-w-6 cursor-pointer place-items-center self-stretch rounded text-ink-3 hover:bg-hover hover:text-ink"
      onClick={onClick}
    >
      <Plus size={12} aria-hidden />
    </button>
  );
}

interface ConditionChipProps {
  readonly chip: Chip;
  readonly part: number;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
  /** Adds an alternative. Undefined inside of a group, which has its own button. */
  readonly onOr?: () => void;
}

const removing = (onRemove: () => void) => (event: KeyboardEvent) => {
  if (event.key !== 'Delete' && event.key !== 'Backspace') return;
  event.preventDefault();
  onRemove();
};

function ConditionChip({ chip, part, onEdit, onRemove, onOr }: ConditionChipProps) {
  const value = valueLabel(chip.condition);
  const text = chipText(chip);
  return (
    <span className={CHIP}>
      <button
        type="button"
        data-part={part}
        aria-label={`Edit condition: ${text}`}
        aria-keyshortcuts="Delete"
        className="flex min-w-0 cursor-pointer divide-x divide-line hover:bg-hover"
        onClick={onEdit}
        onKeyDown={removing(onRemove)}
      >
        <span className={`${PIECE} font-medium`}>
          <span className="truncate">{pathLabel(chip.condition.path)}</span>
        </span>
        <span className={`${PIECE} text-ink-2`}> {testLabel(chip)}</span>
        {value !== '' && (
          <span className={`${PIECE} font-medium text-accent-ink`}>
            <span className="max-w-64 truncate"> {value}</span>
          </span>
        )}
      </button>
      {onOr !== undefined && <OrButton onClick={onOr} />}
      <RemoveButton text={text} onRemove={onRemove} />
    </span>
  );
}

/** Shows a group that chips can't edit. */
function GroupChip(props: { filter: Filter; part: number; onEdit: () => void; onRemove: () => void }) {
  const { filter, part, onEdit, onRemove } = props;
  const text = filterText(filter);
  return (
    <span className={CHIP}>
      <button
        type="button"
        data-part={part}
        aria-label={`Edit as text: ${text}`}
        title="Edit as text"
        className={`${PIECE} cursor-pointer font-mono hover:bg-hover`}
        onClick={onEdit}
        onKeyDown={removing(onRemove)}
      >
        <span className="max-w-96 truncate">{text}</span>
      </button>
      <RemoveButton text={text} onRemove={onRemove} />
    </span>
  );
}

const RemoveButton = ({ text, onRemove }: { text: string; onRemove: () => void }) => (
  <button
    type="button"
    aria-label={`Remove condition: ${text}`}
    className="grid min-w-6 shrink-0 cursor-pointer place-items-center text-ink-3 hover:bg-hover hover:text-ink max-sm:min-w-9"
    onClick={onRemove}
  >
    <X size={12} aria-hidden />
  </button>
);

/** Returns the parts with a condition at a place: instead of another one, or as an alternative. */
function withPut(parts: readonly Filter[], { part, within }: Place, filter: Filter): readonly Filter[] {
  const before = parts[part];
  if (before === undefined) return [...parts, filter];
  if (within === undefined) return parts.with(part, filter);
  const of = before.kind === 'any' ? before.of : [before];
  return parts.with(part, { kind: 'any', of: [...of.slice(0, within), filter, ...of.slice(within + 1)] });
}

function without(parts: readonly Filter[], { part, within }: Place): readonly Filter[] {
  const before = parts[part];
  if (within === undefined || before?.kind !== 'any') return parts.filter((_, at) => at !== part);
  const of = before.of.filter((_, at) => at !== within);
  const [only] = of;
  return parts.with(part, of.length === 1 && only !== undefined ? only : { kind: 'any', of });
}
