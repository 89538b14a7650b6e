/** Selects the figures of a tenant's usage by day that a chart and its table show. */
import type { UsedDay } from '@fixpoint/protocol/admin';
import type { ChartData } from '../../local/ask.ts';

/** A group of figures that one chart shows. */
export type Figure = 'bytes' | 'requests' | 'storage';

interface Column {
  readonly label: string;
  /** Undefined on days before the figure was first counted. */
  readonly of: (day: UsedDay) => number | undefined;
}

interface FigureFacts {
  readonly name: string;
  readonly about: string;
  /** Said instead of a chart without a bar. */
  readonly none: string;
  readonly columns: readonly Column[];
}

export const FIGURES: Readonly<Record<Figure, FigureFacts>> = {
  bytes: {
    name: 'bytes sent and fetched',
    about: 'Bytes that devices sent to and fetched from the databases of this tenant.',
    none: 'No device has sent or fetched bytes in the last 30 days.',
    columns: [
      { label: 'sent', of: ({ uploaded }) => uploaded },
      { label: 'fetched', of: ({ downloaded }) => downloaded },
    ],
  },
  requests: {
    name: 'requests',
    about: 'Requests of devices about the databases of this tenant.',
    none: 'No device has sent a request in the last 30 days.',
    columns: [{ label: 'requests', of: ({ requests }) => requests }],
  },
  storage: {
    name: 'storage',
    about: 'Stored bytes at the end of each day. Days before the first count have no bar.',
    none: 'No stored bytes were counted in the last 30 days.',
    columns: [{ label: 'stored', of: ({ stored }) => stored }],
  },
};

/** Returns the bars of one figure, with one bar for each day. */
export function chartOfDays(days: readonly UsedDay[], figure: Figure): ChartData {
  const series = FIGURES[figure].columns.map(({ label, of }) => {
    const values = days.map((day) => of(day) ?? null);
    return { name: label, total: values.reduce<number>((sum, value) => sum + (value ?? 0), 0), values };
  });
  return { labels: days.map(({ day }) => shownDay(day)), series, isCut: false };
}

let format: Intl.DateTimeFormat | undefined;

/** Formats a day in UTC. */
export function shownDay(day: string): string {
  format ??= new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  return format.format(Date.parse(day));
}

/** Returns whether there is anything to draw. */
export const isUsed = (days: readonly UsedDay[]): boolean =>
  days.some(
    ({ requests, uploaded, downloaded, stored = 0 }) => requests + uploaded + downloaded + stored > 0,
  );
