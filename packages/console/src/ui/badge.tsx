import type { ReactNode } from 'react';

/**
 * `plain`: a fact. `accent`: in sync, in order. `past`: about a version. `decide`: the user has to
 * decide something. `danger`: the data is damaged.
 */
export type BadgeTone = 'plain' | 'accent' | 'past' | 'decide' | 'danger';

const TONES: Record<BadgeTone, string> = {
  plain: 'bg-hover text-ink-2',
  accent: 'bg-accent-soft text-accent-ink',
  past: 'bg-history-soft text-history',
  decide: 'bg-conflict-soft text-conflict',
  danger: 'bg-danger-soft text-danger',
};

export interface BadgeProps {
  readonly tone?: BadgeTone;
  /** Whether a screen reader announces changes. */
  readonly live?: boolean;
  readonly title?: string | undefined;
  readonly children: ReactNode;
}

/** Shows a short status next to a name. */
export function Badge({ tone = 'plain', live = false, title, children }: BadgeProps) {
  return (
    <span
      role={live ? 'status' : undefined}
      title={title}
      className={`inline-flex h-5.5 max-w-full shrink-0 items-center gap-1.5 rounded-full border border-transparent px-2 text-xs font-medium whitespace-nowrap ${TONES[tone]}`}
    >
      {children}
    </span>
  );
}
