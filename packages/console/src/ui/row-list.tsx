import type { ReactNode } from 'react';

export interface RowListProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** The frame of a list. In a card, the card is the frame. */
const FRAME =
  'rounded-lg border border-line bg-surface in-[.card]:-mx-3.5 in-[.card]:rounded-none in-[.card]:border-x-0 in-[.card]:border-b-0 in-[.card]:bg-transparent in-[.card]:last:-mb-3.5';

/** Renders a list of a few items, each with its actions. */
export function RowList({ label, children }: RowListProps) {
  return (
    <ul aria-label={label} className={`divide-y divide-line ${FRAME}`}>
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
      <div className="flex flex-wrap items-center gap-2 empty:hidden">{children}</div>
    </li>
  );
}

/** Shown in place of an empty list. */
export function NoRows({ children }: { children: ReactNode }) {
  return <p className={`px-3.5 py-2.5 text-sm text-ink-3 ${FRAME}`}>{children}</p>;
}
