/** Draws the graph of commits beside their list. */
import { TEXT_SCALE } from '../../../ui/theme/text-scale.ts';
import type { DrawnRow } from './commit-lanes.ts';

const LANE_PX = 14;
/** Height of a row of the graph. */
export const GRAPH_PX = 36 * TEXT_SCALE;
export const LANES_MAX = 12;

export interface LanesProps {
  readonly row: DrawnRow | undefined;
  readonly lanes: number;
  readonly isHead: boolean;
  readonly isDropped: boolean;
  /** Whether older commits were removed. The line to them is then dotted. */
  readonly isLast: boolean;
}

/** Draws the part of the graph for one commit. */
export function Lanes({ row, lanes, isHead, isDropped, isLast }: LanesProps) {
  if (row === undefined) return null;
  const width = lanes * LANE_PX + 12;
  const x = (lane: number) => 10 + Math.min(lane, LANES_MAX - 1) * LANE_PX;
  const [top, middle, bottom] = [0, GRAPH_PX / 2, GRAPH_PX];
  return (
    <svg
      aria-hidden
      width={width}
      height={GRAPH_PX}
      className="shrink-0 text-history"
      viewBox={`0 0 ${width} ${GRAPH_PX}`}
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
