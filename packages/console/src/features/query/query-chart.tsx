import { useEffect, useState } from 'react';
import type { Answer, ChartData } from '../../local/ask.ts';
import { EmptyState, ErrorPanel } from '../../ui/pages/feedback.tsx';
import { lazyComponent } from '../../ui/pages/lazy-component.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { numberText } from './number-text.ts';

const BarChart = lazyComponent(
  async () => (await import('./bar-chart.tsx')).BarChart,
  () => <div className="h-65" />,
);

/** Shows the numbers of a result as bars, with a legend that has totals. */
export function QueryChart({ answer, label }: { answer: Answer; label: string }) {
  const { data, error } = useChart(answer);
  if (error !== undefined) return <ErrorPanel message={failureText(error)} />;
  if (data === undefined) return <div className="h-65" />;
  if (data.labels.length === 0)
    return <EmptyState text="No row has a number to draw. Emit a number as the value, or reduce the rows." />;
  return (
    <figure className="flex flex-col gap-2">
      <figcaption className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-2">
        {data.series.length > 1 &&
          data.series.map(({ name, total }, n) => (
            <span key={name} className="flex items-center gap-1.5">
              <span
                aria-hidden
                className="size-2.5 rounded-sm forced-color-adjust-none"
                style={{ background: `var(--c${n + 1})` }}
              />
              {name === '' ? '(empty)' : name}
              <span className="text-ink-3 tabular-nums">{numberText(total)}</span>
            </span>
          ))}
        {data.isCut && <span>Only the first {data.labels.length} bars are drawn.</span>}
      </figcaption>
      <BarChart data={data} label={label} />
    </figure>
  );
}

function useChart(answer: Answer): { readonly data?: ChartData; readonly error?: unknown } {
  const [state, setState] = useState<{ readonly data?: ChartData; readonly error?: unknown }>({});
  useEffect(() => {
    let isOver = false;
    setState({});
    answer.chart().then(
      (data) => !isOver && setState({ data }),
      (error: unknown) => !isOver && setState({ error }),
    );
    return () => {
      isOver = true;
    };
  }, [answer]);
  return state;
}
