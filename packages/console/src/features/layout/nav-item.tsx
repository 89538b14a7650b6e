/** Parts of a sidebar. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';

export interface NavItemProps {
  readonly to: string;
  readonly active: boolean;
  /** The whole name, where the text is cut. */
  readonly title?: string | undefined;
  readonly children: ReactNode;
}

export function NavItem({ to, active, title, children }: NavItemProps) {
  return (
    <Link
      to={to}
      title={title}
      aria-label={title}
      aria-current={active ? 'page' : undefined}
      className={`flex h-8 w-full min-w-0 items-center gap-2 rounded-md px-2 text-sm whitespace-nowrap -outline-offset-2 transition-colors max-md:h-10 ${active ? 'bg-raised font-medium text-text' : 'text-muted hover:bg-raised hover:text-text'}`}
    >
      {children}
    </Link>
  );
}

/** A group of entries under a small heading, with what can be done with the group at its right. */
export function SidebarSection({
  title,
  action,
  children,
}: {
  title: string;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={title}>
      <div className="flex h-8 items-center justify-between pr-0 pl-2">
        <h2 className="text-xs font-medium text-muted">{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}
