import type { KeyboardEvent } from 'react';
import { Checkbox, TextField } from '../../ui/forms/form.tsx';
import { Select } from '../../ui/forms/select.tsx';
import {
  GROUP_LABELS,
  isPlain,
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
}

/** Asks which rows a query returns, in which order, and how rows are grouped. */
export function OptionsForm({ options, problem, onChange, onRun }: OptionsFormProps) {
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
  return (
    <details
      open={!isPlain(options) || undefined}
      className="rounded-lg border border-line bg-surface text-sm"
    >
      <summary className="cursor-pointer px-4 py-2 font-medium">Rows, groups and order</summary>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Enter in a field runs the query, and Ctrl + Enter anywhere */}
      <div
        className="grid grid-cols-2 gap-3 border-t border-line px-4 py-3 @xl:grid-cols-4"
        onKeyDown={onKeyDown}
      >
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
        {field('key', 'Key', 'Any')}
        {field('prefix', 'Prefix', 'None')}
        {field('from', 'From', '["a"]')}
        {field('to', 'To', '["z", {}]')}
        {field('limit', 'Limit', 'All')}
        <div className="flex flex-col justify-end pb-2">
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
    </details>
  );
}
