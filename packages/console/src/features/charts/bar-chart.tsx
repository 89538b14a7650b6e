import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartData } from '../../local/ask.ts';
import { useIsDark } from '../../ui/theme/theme.ts';
import { axisTexts, isWhole, WHOLE_STEPS } from './number-text.ts';

const HEIGHT = 260;
const FONT = '11px "Geist Variable", system-ui, sans-serif';

export interface BarChartProps {
  readonly data: ChartData;
  /** Describes the chart for screen readers. */
  readonly label: string;
  /** Formats the values. */
  readonly textOf: (value: number) => string;
  /** Whether the chart fills the height of its container. */
  readonly fills: boolean;
}

/** Draws bars, in parts if there are several series. Arrow keys move from bar to bar. */
export function BarChart({ data, label, textOf, fills }: BarChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | undefined>();
  const isDark = useIsDark();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours depend on the theme
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const chart = draw(element, { data, textOf, onBar: setAt });
    const watcher = new ResizeObserver(() => chart.setSize(sizeOf(element)));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      chart.destroy();
    };
  }, [data, textOf, isDark]);
  const move = (event: KeyboardEvent) => {
    const next = placeAfter(event.key, at, data.labels.length);
    if (next === undefined) return;
    event.preventDefault();
    setAt(next);
  };
  return (
    <div className={`relative ${fills ? 'min-h-0 flex-1' : ''}`} style={{ minHeight: HEIGHT }}>
      <div
        ref={place}
        role="img"
        aria-label={`${label}. A table has the same numbers. Arrow keys read the bars.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read the bars
        tabIndex={0}
        onKeyDown={move}
        onBlur={() => setAt(undefined)}
        className="absolute inset-0 overflow-hidden rounded"
      />
      <BarNote data={data} at={at} textOf={textOf} />
    </div>
  );
}

function placeAfter(key: string, at: number | undefined, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  if (key === 'ArrowRight') return Math.min(count - 1, (at ?? -1) + 1);
  return key === 'ArrowLeft' ? Math.max(0, (at ?? count) - 1) : undefined;
}

/** Shows the numbers of one bar. */
function BarNote({
  data: { labels, series },
  at,
  textOf,
}: Pick<BarChartProps, 'data' | 'textOf'> & { at: number | undefined }) {
  const isShown = at !== undefined && at < labels.length;
  return (
    <div
      aria-live="polite"
      className={
        isShown
          ? `pointer-events-none absolute top-2 z-10 max-w-64 rounded-lg border border-line bg-surface px-3 py-2 text-xs shadow-3 ${at > labels.length / 2 ? 'left-14' : 'right-2'}`
          : 'sr-only'
      }
    >
      {isShown && (
        <>
          <p className="truncate font-semibold">{labels[at]}</p>
          {series.map(({ name, values }, n) =>
            values[at] === null || values[at] === undefined ? null : (
              <p key={name} className="flex items-center gap-2">
                <span
                  aria-hidden
                  className="size-2.5 shrink-0 rounded-sm forced-color-adjust-none"
                  style={{ background: `var(--c${n + 1})` }}
                />
                <span className="truncate">{name}</span>
                <span className="ml-auto tabular-nums">{textOf(values[at])}</span>
              </p>
            ),
          )}
        </>
      )}
    </div>
  );
}

interface Drawn extends Pick<BarChartProps, 'data' | 'textOf'> {
  readonly onBar: (at: number | undefined) => void;
}

function draw(element: HTMLElement, { data, textOf, onBar }: Drawn): uPlot {
  const styles = getComputedStyle(document.documentElement);
  const colour = (name: string) => styles.getPropertyValue(name).trim();
  const [ink, line] = [colour('--ink-3'), colour('--line')];
  const stacked = stackedValues(data);
  const bars = uPlot.paths.bars?.({ size: [0.72, 64], align: 0 });
  const last = Math.max(0, data.labels.length - 1);
  const options: uPlot.Options = {
    ...sizeOf(element),
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false } },
    scales: { x: { time: false, range: () => [-0.6, last + 0.6] }, y: { range: rangeOfValues } },
    axes: [
      {
        stroke: ink,
        font: FONT,
        grid: { show: false },
        ticks: { show: false },
        splits: () => labelPlaces(data.labels, element.clientWidth),
        values: (_chart, places) => places.map((at) => shortLabel(data.labels[at] ?? '')),
      },
      {
        stroke: ink,
        font: FONT,
        size: (_chart, texts) => axisWidth(texts),
        space: NUMBERS_PX,
        ...(isWhole(data) && { incrs: WHOLE_STEPS }),
        grid: { stroke: line, width: 1 },
        ticks: { show: false },
        values: (_chart, values) => axisTexts(values, textOf),
      },
    ],
    // The highest sums first, so that lower ones are drawn over them.
    series: [
      {},
      ...stacked.toReversed().map((_, n) => ({
        paths: bars,
        fill: colour(`--c${stacked.length - n}`),
        stroke: colour('--surface'),
        width: stacked.length > 1 ? 1 : 0,
        points: { show: false },
      })),
    ] as uPlot.Series[],
    hooks: { setCursor: [({ cursor: { idx } }) => onBar(idx ?? undefined)] },
  };
  const values = [data.labels.map((_, at) => at), ...stacked.toReversed()] as uPlot.AlignedData;
  return new uPlot(options, values, element);
}

const sizeOf = ({ clientWidth, clientHeight }: HTMLElement) => ({
  width: Math.max(1, clientWidth),
  height: clientHeight === 0 ? HEIGHT : clientHeight,
});

/** Returns for each series the sum of it and of all series before it. */
function stackedValues({ series, labels }: ChartData): readonly (readonly (number | null)[])[] {
  if (series.length < 2) return series.map(({ values }) => values);
  const sums = labels.map(() => 0);
  return series.map(({ values }) =>
    labels.map((_, at) => {
      const own = values[at] ?? null;
      sums[at] = (sums[at] ?? 0) + (own ?? 0);
      return own === null ? null : (sums[at] ?? 0);
    }),
  );
}

const DIGIT_PX = 6.7;
/** Width of the numbers beside the chart. */
const AXIS_PX = 44;

/** Returns the width that the longest number beside the chart needs. */
const axisWidth = (texts: readonly string[] | null): number =>
  (texts ?? []).reduce((widest, text) => Math.max(widest, text.length * DIGIT_PX + 14), AXIS_PX);

/** Bars start at zero. */
const rangeOfValues = (_chart: uPlot, least: number, greatest: number): uPlot.Range.MinMax => {
  const [low, high] = [Math.min(0, least ?? 0), Math.max(0, greatest ?? 0)];
  return low === high ? [0, 1] : [low * 1.05, high * 1.05];
};

const LABEL_PX = { least: 12, most: 64, margin: 6 } as const;
/** Least distance of the numbers beside the chart. */
const NUMBERS_PX = 44;
const LABEL_CHARS = 9;

/** Returns the bars that have a label, so that labels don't touch. */
function labelPlaces(labels: readonly string[], widthPx: number): number[] {
  const longest = labels.reduce((most, label) => Math.max(most, Math.min(LABEL_CHARS, label.length)), 0);
  const wanted = longest * DIGIT_PX + LABEL_PX.margin;
  const labelPx = Math.min(LABEL_PX.most, Math.max(LABEL_PX.least, wanted));
  const each = Math.max(1, Math.ceil((labels.length * labelPx) / Math.max(LABEL_PX.most, widthPx - AXIS_PX)));
  return Array.from({ length: Math.ceil(labels.length / each) }, (_, n) => n * each);
}

const shortLabel = (label: string): string =>
  label.length > LABEL_CHARS ? `${label.slice(0, LABEL_CHARS - 1)}…` : label;
