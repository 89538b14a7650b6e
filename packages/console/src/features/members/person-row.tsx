import type { ReactNode } from 'react';
import { Avatar } from '../../ui/avatar.tsx';

export interface PersonRowProps {
  /** Address, or else id. */
  readonly who: string;
  readonly name?: string | undefined;
  /** Beside the name. */
  readonly badge?: ReactNode;
  /** What can be done about this person; below the name where there is no room beside it. */
  readonly children: ReactNode;
}

/** A person in a list, on a row that wraps on small screens. */
export function PersonRow({ who, name, badge, children }: PersonRowProps) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3 text-sm">
      <span className="flex min-w-0 items-center gap-3">
        <Avatar name={name ?? who} />
        <span className="min-w-0 truncate" title={who}>
          {who}
          {name !== undefined && name !== who && <span className="text-muted"> ({name})</span>}
        </span>
        {badge}
      </span>
      <span className="flex flex-wrap items-center gap-2">{children}</span>
    </li>
  );
}

/** A framed list of people. */
export function PersonList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul
      aria-label={label}
      className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card"
    >
      {children}
    </ul>
  );
}
