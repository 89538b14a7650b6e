import type { ReactNode } from 'react';

export interface RowListProps {
  readonly label: string;
  /** Whether the list is the whole content of a card, which is its frame then. */
  readonly isFlush?: boolean;
  readonly children: ReactNode;
}

/** Renders a framed list of a few items, each with its actions. */
export function RowList({ label, isFlush = false, children }: RowListProps) {
  return (
    <ul
      aria-label={label}
      className={`divide-y divide-line border-line ${isFlush ? '-mx-3.5 -mb-3.5 border-t' : 'rounded-lg border'}`}
    >
      {children}
    </ul>
  );
}

export interface RowProps {
  readonly name: string;
  /** Shown after the name. */
  readonly badge?: ReactNode;
  /** Below the name. */
  readonly detail?: ReactNode;
  /** Actions. They are below the name if there is no space next to the name. */
  readonly children?: ReactNode;
}

export function Row({ name, badge, detail, children }: RowProps) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-3.5 py-2.5 text-sm">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="min-w-0 break-words">{name}</span>
          {badge}
        </p>
        {detail !== undefined && <p className="text-xs break-words text-ink-3">{detail}</p>}
      </div>
      {children !== undefined && <div className="flex flex-wrap items-center gap-2">{children}</div>}
    </li>
  );
}

/** Shown in place of an empty list. */
export function NoRows({ children }: { children: ReactNode }) {
  return (
    <p className="rounded-md border border-dashed border-line-strong px-4 py-4 text-center text-sm text-ink-3">
      {children}
    </p>
  );
}
