import type { ReactNode } from 'react';
import type { ChartData } from '../../local/ask.ts';
import { lazyComponent } from '../../ui/pages/lazy-component.tsx';
import { numberText } from './number-text.ts';

const BarChart = lazyComponent(
  async () => (await import('./bar-chart.tsx')).BarChart,
  () => <div className="h-65" />,
);

export interface ChartFigureProps {
  readonly data: ChartData;
  /** Describes the chart for screen readers. */
  readonly label: string;
  /** Formats the values. By default they are plain numbers. */
  readonly textOf?: (value: number) => string;
  /** Whether the chart fills the height of its container. */
  readonly fills?: boolean;
  /** Notes after the legend. */
  readonly children?: ReactNode;
}

/** Draws numbers as bars, with a legend that has totals. */
export function ChartFigure(props: ChartFigureProps) {
  const { data, label, textOf = numberText, fills = false, children } = props;
  return (
    <figure className={`flex min-w-0 flex-col gap-2 ${fills ? 'min-h-0 flex-1' : ''}`}>
      <figcaption className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-2 empty:hidden">
        {data.series.length > 1 &&
          data.series.map(({ name, total }, n) => (
            <span key={name} className="flex max-w-full min-w-0 items-center gap-1.5">
              <span
                aria-hidden
                className="size-2.5 shrink-0 rounded-sm forced-color-adjust-none"
                style={{ background: `var(--c${n + 1})` }}
              />
              <span className="truncate" title={name}>
                {name === '' ? '(empty)' : name}
              </span>
              <span className="text-ink-3 tabular-nums">{textOf(total)}</span>
            </span>
          ))}
        {children}
      </figcaption>
      <BarChart {...{ data, label, textOf, fills }} />
    </figure>
  );
}
