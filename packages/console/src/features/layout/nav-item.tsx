/** Parts of a sidebar. */
import { LIMITS } from '@fixpoint/protocol';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { truncate } from '../../values/truncate.ts';

export interface NavItemProps {
  readonly to: string;
  readonly active: boolean;
  readonly children: ReactNode;
}

export function NavItem({ to, active, children }: NavItemProps) {
  return (
    <Link to={to} aria-current={active ? 'page' : undefined} className={lookOf(active)}>
      {children}
    </Link>
  );
}

const lookOf = (active: boolean): string =>
  `flex h-8 w-full min-w-0 items-center gap-2 rounded-md px-2 text-sm whitespace-nowrap -outline-offset-2 transition-colors max-md:h-10 ${active ? 'bg-raised font-medium text-text' : 'text-muted hover:bg-raised hover:text-text'}`;

export interface NamedNavItemProps extends Omit<NavItemProps, 'children'> {
  readonly name: string;
}

/**
 * Renders an entry with a name that a user chose. For a truncated name, screen readers announce the
 * shown text, which other people may refer to, and then the full name.
 */
export function NamedNavItem({ to, active, name }: NamedNavItemProps) {
  const shown = truncate(name, LIMITS.sidebarNameCharsMax);
  return (
    <Link
      to={to}
      title={name}
      aria-label={shown === name ? undefined : `${shown} ${name}`}
      aria-current={active ? 'page' : undefined}
      className={lookOf(active)}
    >
      {shown}
    </Link>
  );
}
