import type { ReactNode } from 'react';

export interface PanelProps {
  readonly title: string;
  readonly text?: string | undefined;
  readonly tone?: 'plain' | 'warn';
  readonly body?: ReactNode;
  /** Actions. */
  readonly children?: ReactNode;
}

/** Shows one thing that is left to do about a connection, or a problem, and the actions. */
export function Panel({ title, text, tone = 'plain', body, children }: PanelProps) {
  return (
    <section
      aria-label={title}
      className={`flex max-w-3xl flex-col gap-3 rounded-lg border p-4 text-sm ${tone === 'warn' ? 'border-conflict-line bg-conflict-soft' : 'border-line bg-surface shadow-card'}`}
    >
      <h2 className="text-base font-semibold wrap-anywhere">{title}</h2>
      {text !== undefined && (
        <p role={tone === 'warn' ? 'alert' : undefined} className="max-w-prose wrap-anywhere">
          {text}
        </p>
      )}
      {body}
      {children !== undefined && <div className="flex flex-wrap gap-2">{children}</div>}
    </section>
  );
}
