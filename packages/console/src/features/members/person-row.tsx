import type { ReactNode } from 'react';
import { Avatar } from '../../ui/avatar.tsx';

export interface PersonRowProps {
  /** The person's email address, or their id if they have no known address. */
  readonly who: string;
  /** The display name that the person chose. */
  readonly name?: string | undefined;
  /** Shown after the name. */
  readonly badge?: ReactNode;
  /** Shown below the name and the address. */
  readonly detail?: ReactNode;
  /** Actions for this person; below the name on narrow screens. */
  readonly children?: ReactNode;
}

/** Renders one person of a list; the row wraps on small screens. */
export function PersonRow({ who, name, badge, children }: PersonRowProps) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3 text-sm">
      <PersonName who={who} name={name} badge={badge} />
      {children !== undefined && <span className="flex flex-wrap items-center gap-2">{children}</span>}
    </li>
  );
}

/**
 * Shows picture, name and address. People choose their own names, so two people may have the same
 * name.
 */
export function PersonName({ who, name = who, badge, detail }: Omit<PersonRowProps, 'children'>) {
  return (
    <span className="flex min-w-0 items-center gap-3">
      <Avatar name={name} />
      <span className="min-w-0">
        <span className="flex min-w-0 items-center gap-2">
          <bdi className="min-w-0 truncate font-medium" title={name}>
            {name}
          </bdi>
          {badge}
        </span>
        {name !== who && (
          <bdi className="block truncate text-xs text-ink-3" title={who}>
            {who}
          </bdi>
        )}
        {detail !== undefined && <span className="block text-xs text-ink-3">{detail}</span>}
      </span>
    </span>
  );
}
