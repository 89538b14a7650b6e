import type { ReactNode } from 'react';

const TONES = {
  plain: 'border-line bg-hover [&_svg]:text-ink-3',
  decide: 'border-conflict-line bg-conflict-soft [&_svg]:text-conflict',
};

export interface NoticeProps {
  /** `decide`: something waits for the user's decision. */
  readonly tone?: keyof typeof TONES;
  readonly icon: ReactNode;
  /** A button, at the right. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** Shows a notice about the whole page. Screen readers announce it. */
export function Notice({ tone = 'plain', icon, action, children }: NoticeProps) {
  return (
    <div
      role="status"
      className={`mb-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border px-3 py-2 text-sm ${TONES[tone]}`}
    >
      <div className="flex min-w-0 grow basis-60 items-start gap-2.5">
        <span className="mt-0.5 shrink-0">{icon}</span>
        <p className="min-w-0">{children}</p>
      </div>
      {action}
    </div>
  );
}
