import { NavLink } from 'react-router';

/** Pages that stand side by side under one heading. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly { to: string; text: string }[] }) {
  return (
    <nav aria-label={label} className="mb-6 flex gap-4 overflow-x-auto border-b border-line">
      {tabs.map(({ to, text }) => (
        <NavLink
          key={to}
          to={to}
          className={({ isActive }) =>
            `border-b-2 px-0.5 pt-1 pb-2 text-sm font-medium whitespace-nowrap -outline-offset-2 transition-colors ${isActive ? 'border-accent text-text' : 'border-transparent text-muted hover:border-line-strong hover:text-text'}`
          }
        >
          {text}
        </NavLink>
      ))}
    </nav>
  );
}
