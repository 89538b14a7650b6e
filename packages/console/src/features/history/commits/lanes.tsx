/** Draws the graph of commits beside their list. */
import { TEXT_SCALE } from '../../../ui/theme/text-scale.ts';
import type { DrawnRow } from './commit-lanes.ts';

const LANE_PX = 14;
/** Heights of a row of the graph: of one line, and of two lines on a phone. */
export const GRAPH_PX = 36 * TEXT_SCALE;
export const PHONE_GRAPH_PX = 56 * TEXT_SCALE;
export const LANES_MAX = 12;

export interface LanesProps {
  readonly row: DrawnRow | undefined;
  readonly lanes: number;
  readonly heightPx: number;
  readonly isHead: boolean;
  readonly isDropped: boolean;
  /** Whether older commits were removed. The line to them is then dotted. */
  readonly isLast: boolean;
}

/** Draws the part of the graph for one commit. */
export function Lanes({ row, lanes, heightPx, isHead, isDropped, isLast }: LanesProps) {
  if (row === undefined) return null;
  const width = lanes * LANE_PX + 12;
  const x = (lane: number) => 10 + Math.min(lane, LANES_MAX - 1) * LANE_PX;
  const [top, middle, bottom] = [0, heightPx / 2, heightPx];
  return (
    <svg
      aria-hidden
      width={width}
      height={heightPx}
      className="shrink-0 text-history"
      viewBox={`0 0 ${width} ${heightPx}`}
    >
      {row.lines.map(({ from, to }) => {
        const [x1, y1] = from === undefined ? [x(row.lane), middle] : [x(from), top];
        const [x2, y2] = to === undefined ? [x(row.lane), middle] : [x(to), bottom];
        return (
          <path
            key={`${from}-${to}`}
            d={`M${x1} ${y1} C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`}
            fill="none"
            stroke="currentColor"
            strokeOpacity={0.5}
            strokeWidth={1.5}
            strokeDasharray={isDropped || (isLast && from === undefined) ? '2 4' : undefined}
          />
        );
      })}
      <circle
        cx={x(row.lane)}
        cy={middle}
        r={isHead ? 5 : 4}
        fill={isHead ? 'currentColor' : 'var(--surface)'}
        stroke="currentColor"
        strokeWidth={1.5}
        strokeDasharray={isDropped ? '2 2' : undefined}
      />
    </svg>
  );
}
