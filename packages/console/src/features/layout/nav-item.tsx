import type { ReactNode } from 'react';
import { Link } from 'react-router';

export function NavItem({
  to,
  active,
  children,
  title,
}: {
  to: string;
  active: boolean;
  children: ReactNode;
  title?: string;
}) {
  return (
    <Link
      to={to}
      title={title}
      aria-current={active ? 'page' : undefined}
      className={`flex flex-1 items-center gap-2 rounded-md px-3 py-2 text-sm ${active ? 'bg-raised font-medium' : 'text-muted hover:bg-raised hover:text-text'}`}
    >
      {children}
    </Link>
  );
}
