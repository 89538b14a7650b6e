import type { DayHead } from './commit-days.ts';

const DATE: Intl.DateTimeFormatOptions = { weekday: 'long', day: 'numeric', month: 'long' };

/** The heading of all commits of one day. */
export function DayLine({ name, date, commits, documents }: DayHead) {
  const isThisYear = date?.getFullYear() === new Date().getFullYear();
  const shown = date?.toLocaleDateString(undefined, { ...DATE, ...(!isThisYear && { year: 'numeric' }) });
  return (
    <h2 className="flex h-7.5 items-center gap-2 bg-sunken px-4 text-xs text-ink-3">
      {name !== undefined && <b className="font-semibold text-ink">{name}</b>}
      <span className={`truncate ${name === undefined ? 'font-semibold text-ink' : ''}`}>{shown}</span>
      <span className="ml-auto whitespace-nowrap tabular-nums max-sm:hidden">
        {counted(commits, 'change')}, {counted(documents, 'document')}
      </span>
    </h2>
  );
}

const counted = (count: number, one: string): string =>
  `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`;
