import { ChevronRight, SlidersHorizontal } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { Checkbox, TextField } from '../../ui/forms/form.tsx';
import { Select } from '../../ui/forms/select.tsx';
import {
  GROUP_LABELS,
  optionsText,
  type ParsedOptions,
  type QueryOptionTexts,
  REDUCE_LABELS,
  savedOptions,
} from './query-options.ts';

export interface OptionsFormProps {
  readonly options: QueryOptionTexts;
  readonly problem: ParsedOptions['problem'];
  readonly onChange: (options: QueryOptionTexts) => void;
  readonly onRun: () => void;
  /** Whether all options are always visible. Otherwise they fold into one line. */
  readonly isWide: boolean;
}

/** Asks which rows a query returns, in which order, and how rows are grouped. */
export function OptionsForm({ options, problem, onChange, onRun, isWide }: OptionsFormProps) {
  const change = (part: Readonly<Record<string, unknown>>) => onChange(savedOptions({ ...options, ...part }));
  const onKeyDown = (event: KeyboardEvent) => {
    const isField = event.target instanceof HTMLInputElement && event.target.type !== 'checkbox';
    if (event.key === 'Enter' && (isField || event.ctrlKey || event.metaKey)) onRun();
  };
  const field = (name: 'key' | 'prefix' | 'from' | 'to' | 'limit', label: string, placeholder: string) => (
    <TextField
      label={label}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      value={options[name]}
      error={problem?.field === name ? problem.text : undefined}
      onChange={({ target }) => change({ [name]: target.value })}
    />
  );
  const fields = (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter in a field runs the query, and Ctrl + Enter anywhere
    <div className="divide-y divide-line" onKeyDown={onKeyDown}>
      <GroupFields {...{ options, change }} />
      <div className={GRID}>
        {field('key', 'Key', 'Any')}
        {field('prefix', 'Prefix', 'None')}
        {field('from', 'From', '["a"]')}
        {field('to', 'To', '["z", {}]')}
        {field('limit', 'Limit', 'All')}
        <div className="flex flex-col justify-end pb-1.5">
          <Checkbox
            label="Descending"
            checked={options.descending}
            onChange={({ target }) => change({ descending: target.checked })}
          />
        </div>
        <p className="col-span-full text-xs text-ink-3">
          Keys are JSON; other text is a string. A list such as ["a"] as a prefix finds all lists that begin
          with it. Sums, averages and histograms use numbers in values, or in keys without a value.
        </p>
      </div>
    </div>
  );
  if (isWide) return <div className="shrink-0 border-t border-line">{fields}</div>;
  return (
    <details open={problem !== undefined || undefined} className="border-t border-line text-sm">
      <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2.5 px-4 text-ink-2 [&::-webkit-details-marker]:hidden">
        <SlidersHorizontal size={14} aria-hidden className="shrink-0" />
        <span className="min-w-0 truncate">{optionsText(options)}</span>
        <ChevronRight size={14} aria-hidden className="ml-auto shrink-0 in-open:rotate-90" />
      </summary>
      <div className="border-t border-line">{fields}</div>
    </details>
  );
}

interface GroupFieldsProps {
  readonly options: QueryOptionTexts;
  readonly change: (part: Readonly<Record<string, unknown>>) => void;
}

function GroupFields({ options, change }: GroupFieldsProps) {
  return (
    <div className={GRID}>
      <Select
        label="Reduce"
        isLabelled
        value={options.reduce}
        onChange={({ target }) => change({ reduce: target.value })}
      >
        <option value="">None</option>
        {Object.entries(REDUCE_LABELS).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      <Select
        label="Group by"
        isLabelled
        value={options.group}
        disabled={options.reduce === '' || options.reduce === 'histogram'}
        onChange={({ target }) => change({ group: target.value })}
      >
        {[...GROUP_LABELS].map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
    </div>
  );
}

const GRID =
  'grid grid-cols-2 gap-x-3 gap-y-2 px-4 py-3 sm:max-xl:grid-cols-4 sm:[&_input:not([type=checkbox])]:h-7 sm:[&_select]:h-7 [&_label]:text-xs [&>div]:gap-1';
