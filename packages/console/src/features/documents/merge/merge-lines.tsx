import { shortDayOf } from '../../../ui/text/moment.ts';

export interface MergeLinesProps {
  /** Name of each side. */
  readonly mine: string;
  readonly other: string;
  /** When the sides parted, in ms since 1970; undefined if nobody knows. */
  readonly baseMs?: number | undefined;
  /** Whether all conflicts are decided. */
  readonly isMerged: boolean;
}

/** Draws two sides that become one. */
export function MergeLines({ mine, other, baseMs, isMerged }: MergeLinesProps) {
  const end = isMerged ? 'var(--accent)' : 'var(--conflict)';
  return (
    <svg
      aria-hidden
      viewBox="0 0 316 92"
      className="block h-23 w-full shrink-0 border-b border-line bg-surface fill-none text-2xs max-lg:hidden"
      strokeWidth={2.5}
      strokeLinecap="round"
    >
      <path d="M16 46H52" stroke="var(--line-strong)" />
      <path d="M52 46C84 46 78 20 112 20H150C196 20 198 46 236 46" stroke="var(--accent)" />
      <path d="M52 46C84 46 78 72 112 72H150C196 72 198 46 236 46" stroke="var(--c4)" />
      <path
        d="M236 46H300"
        stroke={isMerged ? end : 'var(--line-strong)'}
        strokeDasharray={isMerged ? undefined : '2 6'}
      />
      <circle cx="52" cy="46" r="4.5" fill="var(--ink-3)" />
      <circle cx="131" cy="20" r="5" fill="var(--accent)" />
      <circle cx="131" cy="72" r="5" fill="var(--c4)" />
      <circle cx="236" cy="46" r="8" fill="var(--surface)" stroke={end} />
      <circle cx="236" cy="46" r="3" fill={end} />
      <g className="fill-ink-2 font-medium">
        {baseMs !== undefined && (
          <text x="16" y="34">
            {shortDayOf(baseMs)}
          </text>
        )}
        <text x="142" y="15">
          {mine}
        </text>
        <text x="142" y="88">
          {other}
        </text>
        <text x="252" y="34">
          merged
        </text>
      </g>
    </svg>
  );
}
