import { type ReactNode, useId } from 'react';
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

/** Renders a framed list of people. */
export function PersonList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line bg-surface shadow-1">
      {children}
    </ul>
  );
}

export interface PeopleSectionProps {
  readonly title: string;
  /** The number of people, with its limit if there is one; undefined until the number is known. */
  readonly used: string | undefined;
  readonly children: ReactNode;
}

/** Renders a list of people or invitations under a heading. */
export function PeopleSection({ title, used, children }: PeopleSectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-2">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {used !== undefined && <p className="text-xs text-ink-3">{used}</p>}
      </div>
      {children}
    </section>
  );
}
