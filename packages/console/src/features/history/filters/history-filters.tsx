import { FileText, type LucideIcon, SlidersHorizontal, Tag, UserRound } from 'lucide-react';
import { useCallback, useId, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { Button } from '../../../ui/button.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { useAddressChoice } from '../../../ui/pages/use-address-choice.ts';
import type { Who } from '../../../values/who-wrote.ts';
import { filterIn, type HistoryFilter, isHistoryFiltered, withHistoryFilter } from './history-filter.ts';

const TYPING_MS = 200;
const NOTHING: HistoryFilter = { who: '', document: '', field: '', from: '', to: '' };

/** Returns the filter in the address, and a function that changes parts of it. */
export function useHistoryFilter(): readonly [HistoryFilter, (filter: Partial<HistoryFilter>) => void] {
  const [parameters, setParameters] = useSearchParams();
  const text = parameters.toString();
  const filter = useMemo(() => filterIn(new URLSearchParams(text)), [text]);
  const change = useCallback(
    (next: Partial<HistoryFilter>) =>
      setParameters((now) => {
        const changed = withHistoryFilter(now, next);
        // The opened commit may not be in the list any more.
        changed.delete('event');
        return changed;
      }),
    [setParameters],
  );
  return [filter, change];
}

export interface HistoryFiltersProps {
  /** All known authors. */
  readonly authors: readonly Who[];
  readonly filter: HistoryFilter;
  readonly onFilter: (filter: Partial<HistoryFilter>) => void;
}

/** Renders the filters of the history: author, document, field and days. */
export function HistoryFilters({ authors, filter, onFilter }: HistoryFiltersProps) {
  const { who, document, field, from, to } = filter;
  const [isOpen, setOpen] = useState(false);
  // A filter that is in use is shown, also while the others are hidden.
  const unless = (isUsed: boolean, hidden: string) => (isOpen || isUsed ? '' : hidden);
  return (
    // biome-ignore lint/a11y/useSemanticElements: React doesn’t know the search element in all browsers
    <div role="search" className="flex flex-wrap items-center gap-1.5" aria-label="Filter the history">
      {(authors.length > 1 || who !== '') && (
        <Select
          label="Author"
          icon={UserRound}
          className="w-32 max-sm:min-w-0 max-sm:flex-1"
          value={who}
          onChange={({ target }) => onFilter({ who: target.value })}
        >
          <option value="">Anyone</option>
          {!authors.some(({ id }) => id === who) && who !== '' && <option value={who}>Unknown author</option>}
          {authors.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
      <TypedFilter
        name="document"
        label="Any document"
        icon={FileText}
        value={document}
        onFilter={onFilter}
        className="max-sm:flex-1"
      />
      <TypedFilter
        name="field"
        label="Any field"
        icon={Tag}
        value={field}
        onFilter={onFilter}
        className={`max-sm:w-full ${unless(field !== '', 'max-sm:hidden')}`}
      />
      <Button
        className="w-7 px-0! max-sm:w-10"
        aria-label={isOpen ? 'Fewer filters' : 'More filters'}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <SlidersHorizontal size={14} aria-hidden />
      </Button>
      <DayField
        name="from"
        label="From"
        value={from}
        onFilter={onFilter}
        className={unless(from !== '', 'hidden')}
      />
      <DayField name="to" label="To" value={to} onFilter={onFilter} className={unless(to !== '', 'hidden')} />
      {isHistoryFiltered(filter) && (
        <Button tone="quiet" onClick={() => onFilter(NOTHING)}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

interface OneFilterProps {
  readonly name: keyof HistoryFilter;
  readonly label: string;
  readonly value: string;
  readonly onFilter: (filter: Partial<HistoryFilter>) => void;
  readonly className: string;
}

const INPUT =
  'h-(--control) rounded-md border border-line-strong bg-surface px-2.5 text-sm shadow-1 -outline-offset-1 placeholder:text-ink-3 hover:border-ink max-sm:text-[1rem]';

interface TypedFilterProps extends OneFilterProps {
  readonly icon: LucideIcon;
}

const ICON = 'pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-ink-3 max-sm:hidden';

/** Filters after a pause in typing. */
function TypedFilter({ name, label, icon: Icon, value, onFilter, className }: TypedFilterProps) {
  const give = useCallback((text: string) => onFilter({ [name]: text }), [name, onFilter]);
  const [text, setText] = useAddressChoice(value, give, TYPING_MS);
  return (
    <span className={`relative w-34 min-w-0 ${className}`}>
      <Icon size={14} aria-hidden className={ICON} />
      <input
        type="search"
        aria-label={name === 'field' ? 'Field' : 'Document id'}
        placeholder={label}
        spellCheck={false}
        autoComplete="off"
        className={`${INPUT} w-full sm:pl-7.5 [&:placeholder-shown::-webkit-search-cancel-button]:hidden`}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </span>
  );
}

function DayField({ name, label, value, onFilter, className }: OneFilterProps) {
  const id = useId();
  return (
    <span
      className={`flex items-center gap-1.5 text-sm max-sm:w-[calc(50%-0.25rem)] max-sm:flex-col max-sm:items-start ${className}`}
    >
      <label htmlFor={id} className="text-ink-3">
        {label}
      </label>
      <input
        id={id}
        type="date"
        className={`${INPUT} max-sm:w-full`}
        value={value}
        onChange={({ target }) => onFilter({ [name]: target.value })}
      />
    </span>
  );
}
