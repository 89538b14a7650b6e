import { useEffect, useState } from 'react';
import type { Answer, ChartData } from '../../local/ask.ts';
import { EmptyState, ErrorPanel } from '../../ui/pages/feedback.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { ChartFigure } from '../charts/chart-figure.tsx';

/** Shows the numbers of a result as bars, with a legend that has totals. */
export function QueryChart({ answer, label, fills }: { answer: Answer; label: string; fills: boolean }) {
  const { data, error } = useChart(answer);
  if (error !== undefined) return <ErrorPanel message={failureText(error)} />;
  if (data === undefined) return <div className="h-65" />;
  if (data.labels.length === 0)
    return <EmptyState text="No row has a number to draw. Emit a number as the value, or reduce the rows." />;
  return (
    <ChartFigure data={data} label={label} fills={fills}>
      {data.isCut && <span>Only the first {data.labels.length} bars are drawn.</span>}
    </ChartFigure>
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
