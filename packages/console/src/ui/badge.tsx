import type { ReactNode } from 'react';

export type BadgeTone = 'plain' | 'accent' | 'ok' | 'warn' | 'danger';

const TONES: Record<BadgeTone, string> = {
  plain: 'border-line bg-raised text-muted',
  accent: 'border-accent/25 bg-accent-soft text-accent',
  ok: 'border-ok/25 bg-ok-soft text-ok',
  warn: 'border-warn/25 bg-warn-soft text-warn',
  danger: 'border-danger/30 bg-danger-soft text-danger',
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
      className={`inline-flex h-5 max-w-full shrink-0 items-center gap-1 rounded-full border px-2 text-xs whitespace-nowrap ${TONES[tone]}`}
    >
      {children}
    </span>
  );
}
