import type { UsedDay } from '@fixpoint/protocol/admin';
import { useQuery } from '@tanstack/react-query';
import { ChartColumn } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { usageQuery } from '../../cloud/queries/queries.ts';
import { Button } from '../../ui/button.tsx';
import { type Segment, Segments } from '../../ui/forms/segments.tsx';
import { EmptyState, ErrorPanel, Skeleton } from '../../ui/pages/feedback.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { useIsWide } from '../../ui/use-is-wide.ts';
import { bytesText } from '../../values/bytes-text.ts';
import { ChartFigure } from '../charts/chart-figure.tsx';
import { numberText } from '../charts/number-text.ts';
import { chartOfDays, FIGURES, type Figure, isUsed, shownDay } from './usage-chart.ts';

const SEGMENTS: readonly Segment<Figure>[] = [
  { name: 'bytes', label: 'Bytes' },
  { name: 'requests', label: 'Requests' },
  { name: 'storage', label: 'Storage' },
];

/** Shows to admins what their tenant used on each of the last 30 days. */
export function UsageCard({ tenantId }: { tenantId: string }) {
  const usage = useQuery(usageQuery(useApp().api, tenantId));
  const [figure, setFigure] = useState<Figure>('bytes');
  const { data } = usage;
  return (
    <Card
      title="Usage in 30 days"
      actions={
        <Segments label="What to show by day" segments={SEGMENTS} chosen={figure} onChoose={setFigure} />
      }
    >
      {usage.isError && (
        <ErrorPanel message={`Couldn’t load the usage. ${failureText(usage.error)}`}>
          <Button onClick={() => void usage.refetch()}>Try again</Button>
        </ErrorPanel>
      )}
      {usage.isPending && (
        // As high as the chart.
        <div className="h-80.5">
          <Skeleton shape="editor" />
        </div>
      )}
      {data !== undefined && !isUsed(data.days) && (
        <EmptyState
          icon={<ChartColumn size={22} />}
          text="No device has used the databases of this tenant in the last 30 days."
        />
      )}
      {data !== undefined && isUsed(data.days) && (
        <>
          <p className="mb-3 text-sm text-ink-3">
            {FIGURES[figure].about} Stored now: {bytesText(data.bytes)}
            {data.maxBytes !== undefined && ` of ${bytesText(data.maxBytes)}`}. Days are days in UTC.
          </p>
          <Days days={data.days} figure={figure} />
        </>
      )}
    </Card>
  );
}

interface DaysProps {
  readonly days: readonly UsedDay[];
  readonly figure: Figure;
}

/** Shows a chart and a table of the same numbers: beside it, or below it on demand. */
function Days({ days, figure }: DaysProps) {
  const data = useMemo(() => chartOfDays(days, figure), [days, figure]);
  const isWide = useIsWide();
  const { name } = FIGURES[figure];
  const textOf = figure === 'requests' ? numberText : bytesText;
  if (data.series.every(({ total }) => total === 0))
    return <EmptyState icon={<ChartColumn size={22} />} text={FIGURES[figure].none} />;
  const chart = <ChartFigure data={data} label={`Bar chart: ${name} by day, 30 days`} textOf={textOf} />;
  const table = <DaysTable {...{ days, figure, textOf, isWide }} />;
  if (isWide)
    return (
      <div className="grid grid-cols-[minmax(0,1fr)_14rem] gap-3">
        {chart}
        {table}
      </div>
    );
  return (
    <div className="flex flex-col gap-2">
      {chart}
      <details className="text-sm">
        <summary className="w-fit cursor-pointer rounded py-0.5 text-ink-2 hover:text-ink">
          Numbers by day
        </summary>
        {table}
      </details>
    </div>
  );
}

interface DaysTableProps extends DaysProps {
  readonly textOf: (value: number) => string;
  readonly isWide: boolean;
}

function DaysTable({ days, figure, textOf, isWide }: DaysTableProps) {
  const { name, columns } = FIGURES[figure];
  return (
    <section
      aria-label={`${name} by day`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the focus lets the arrow keys scroll the table
      tabIndex={0}
      className={`max-h-70 overflow-auto rounded-md border border-line ${isWide ? '' : 'mt-2'}`}
    >
      <table className={`w-full text-right tabular-nums ${isWide ? 'text-xs' : 'text-sm'}`}>
        <thead className="sticky top-0 bg-surface text-xs text-ink-3">
          <tr className="*:border-b *:border-line *:px-2.5 *:py-1.5 *:font-medium">
            <th scope="col" className="text-left">
              day
            </th>
            {columns.map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map((day) => (
            <tr key={day.day} className="*:px-2.5 *:py-1 even:bg-hover">
              <th scope="row" className="text-left font-normal whitespace-nowrap">
                {shownDay(day.day)}
              </th>
              {columns.map(({ label, of }) => {
                const value = of(day);
                return <td key={label}>{value === undefined ? 'unknown' : textOf(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
